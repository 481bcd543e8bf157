package dev.retrywise;

/**
 * Why a call may not go on now: ask again in {@code retryInMs}, or never where it is -1; {@code over}
 * says that the call has ended.
 */
public record Refusal(String reason, long retryInMs, boolean over) {
    static Refusal read(Brain brain, boolean over) {
        double code = brain.output(Brain.REASON);
        return code < 0
                ? new Refusal("the upstream is gone or a million calls are under way", -1, true)
                : new Refusal(brain.name(Brain.Table.REASONS, (int) code), (long) brain.output(Brain.RETRY_IN), over);
    }

    /** Why a call may not begin. */
    public static final class Exception extends java.io.IOException {
        private static final long serialVersionUID = 1L;
        private final transient Refusal refusal;

        Exception(Refusal refusal) {
            super("refused: " + refusal.reason);
            this.refusal = refusal;
        }

        /** The refusal. */
        public Refusal refusal() {
            return refusal;
        }
    }
}
