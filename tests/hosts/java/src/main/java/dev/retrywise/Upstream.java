package dev.retrywise;

import static dev.retrywise.Brain.number;

/** One dependency: it decides for all calls to it. Clocks are the caller's, in milliseconds. */
public final class Upstream implements AutoCloseable {
    private final Brain brain;
    private final int handle;

    Upstream(Brain brain, int handle) {
        this.brain = brain;
        this.handle = handle;
    }

    /**
     * Begins a call: the first attempt may be sent now.
     *
     * @param bodyOnce the body can be sent only once
     * @throws Refusal.Exception where there is a reason why not
     */
    public Call begin(String method, Items items, boolean bodyOnce, double now, double wall)
            throws Refusal.Exception {
        synchronized (brain) {
            int code = brain.code(Brain.Table.METHODS, method);
            if (code == 0) {
                items.token(method);
            }
            int length = brain.write(items.bytes());
            int call = brain.integer("call_begin", handle, code, bodyOnce ? 1 : 0, number(0), number(now),
                    number(wall), length);
            if (call == 0) {
                throw new Refusal.Exception(Refusal.read(brain, true));
            }
            return new Call(brain, call);
        }
    }

    /** How it stands: {@code breaker} is null where there is none, {@code balance} counts thousandths. */
    public record View(String breaker, long retryInMs, double balance) {}

    /** How it stands now. */
    public View view(double now) {
        synchronized (brain) {
            int state = brain.integer("upstream_view", handle, number(now));
            String breaker = state == 0 ? null : brain.name(Brain.Table.BREAKER_STATES, state - 1);
            long retryIn = state == 0 ? -1 : (long) brain.output(Brain.RETRY_IN);
            return new View(breaker, retryIn, brain.output(Brain.BALANCE));
        }
    }

    /** Holds the breaker open until {@link #reset}. */
    public void isolate() {
        hand("upstream_isolate");
    }

    /** Closes the breaker and forgets its past. */
    public void reset() {
        hand("upstream_reset");
    }

    /** What the waits of one call remember. */
    public static final class DelayState {
        private double previous = -1;
        private double polly;
    }

    /** A wait, ms, and its reason; -1 for a hint that is too long. */
    public record Delay(long delayMs, String reason) {}

    /** The wait before a retry by itself. */
    public Delay delay(int retry, String outcomeClass, double hintMs, DelayState state) {
        synchronized (brain) {
            long wait = (long) Double.longBitsToDouble(brain.call("delay", handle, retry,
                    brain.code(Brain.Table.CLASSES, outcomeClass), number(hintMs), number(state.previous),
                    number(state.polly))[0]);
            state.previous = brain.output(Brain.PREVIOUS);
            state.polly = brain.output(Brain.POLLY);
            return new Delay(wait, brain.name(Brain.Table.REASONS, (int) brain.output(Brain.REASON)));
        }
    }

    /** The state of the generator. */
    public long randomState() {
        synchronized (brain) {
            long high = brain.integer("rng_high", handle), low = brain.integer("rng_low", handle);
            return high << 32 | low & 0xffffffffL;
        }
    }

    /** Continues from a saved state of the generator. */
    public void randomState(long state) {
        synchronized (brain) {
            brain.call("rng_set", handle, (int) (state >>> 32), (int) state);
        }
    }

    @Override
    public void close() {
        hand("upstream_free");
    }

    private void hand(String function) {
        synchronized (brain) {
            brain.call(function, handle);
        }
    }
}
