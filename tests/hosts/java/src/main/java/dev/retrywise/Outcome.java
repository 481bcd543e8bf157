package dev.retrywise;

/**
 * How an attempt ended.
 *
 * @param answered an answer came: status and headers count
 * @param committed the answer is already streaming to the caller
 * @param durationMs how long the attempt took; NaN lets the clock between the events count
 */
public record Outcome(boolean answered, int status, Items items, boolean committed, double durationMs) {
    /** An answer. */
    public static Outcome answer(int status, Items items) {
        return new Outcome(true, status, items, false, Double.NaN);
    }

    /** No answer: the items hold the error. */
    public static Outcome failure(Items items) {
        return new Outcome(false, 0, items, false, Double.NaN);
    }

    int flags() {
        return (answered ? 1 : 0) | (committed ? 2 : 0);
    }
}
