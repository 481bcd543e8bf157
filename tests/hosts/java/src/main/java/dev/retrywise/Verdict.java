package dev.retrywise;

/** What to do next, and why. Spans are in milliseconds, -1 stands for none. */
public record Verdict(Kind kind, String reason, long attempt, long delayMs, long hintMs, String hintSource,
        String outcomeClass, String delivery, String transition, boolean stale) {
    /** What to do next. */
    public enum Kind { ACCEPT, RETRY, STOP }

    /** The packed word, and the slots beside it. */
    static Verdict read(Brain brain, int word) {
        double change = brain.output(Brain.TRANSITION);
        String transition = change < 0 ? null : brain.name(Brain.Table.BREAKER_STATES, (int) change >> 8) + "->"
                + brain.name(Brain.Table.BREAKER_STATES, (int) change & 255);
        return new Verdict(Kind.values()[word & 3], brain.name(Brain.Table.REASONS, word >>> 2 & 0xff),
                (long) brain.output(Brain.ATTEMPT), (long) brain.output(Brain.DELAY), (long) brain.output(Brain.HINT),
                brain.name(Brain.Table.SOURCES, word >>> 10 & 31), brain.name(Brain.Table.CLASSES, word >>> 15 & 7),
                brain.name(Brain.Table.DELIVERIES, word >>> 18 & 3), transition, (word >>> 28 & 1) == 1);
    }

    Verdict again() {
        return new Verdict(kind, reason, attempt, delayMs, hintMs, hintSource, outcomeClass, delivery, null, true);
    }
}
