package dev.retrywise;

import static dev.retrywise.Brain.number;

import java.util.List;

/** The attempts of one logical request. Settle it to its end, or end it: it holds a place. */
public final class Call {
    private static final int LATER = 0, ADMITTED = 1;

    private final Brain brain;
    private final int handle;
    private Verdict last;
    private boolean over;

    Call(Brain brain, int handle) {
        this.brain = brain;
        this.handle = handle;
    }

    /** The headers to send with every attempt: name, value, name, value. */
    public List<String> headers() {
        synchronized (brain) {
            return brain.strings(brain.integer("call_headers", handle));
        }
    }

    /** Settles the attempt on its way. After the end it gives the last verdict again, as stale. */
    public Verdict settle(Outcome outcome, double now, double wall) {
        synchronized (brain) {
            if (over && last != null) {
                return last.again();
            }
            int length = brain.write(outcome.items().bytes());
            return keep(brain.integer("call_settle", handle, outcome.flags(), number(outcome.status()), 0,
                    number(now), number(wall), number(outcome.durationMs()), length));
        }
    }

    /** Asks, after the wait, whether the next attempt may be sent: null, or why not. */
    public Refusal resume(double now) {
        synchronized (brain) {
            if (over && last != null) {
                return new Refusal(last.reason(), -1, true);
            }
            int word = brain.integer("call_resume", handle, number(now));
            if (word == ADMITTED) {
                return null;
            }
            if (word != LATER) {
                keep(word);
            }
            return Refusal.read(brain, word != LATER);
        }
    }

    /** Cancels a call, while sending or waiting. */
    public Verdict cancel(double now) {
        synchronized (brain) {
            return over && last != null ? last.again() : keep(brain.integer("call_cancel", handle, number(now)));
        }
    }

    /** Ends a call that nobody will settle; harmless after a terminal verdict. */
    public void end(double now) {
        synchronized (brain) {
            brain.call("call_end", handle, number(now));
            over = true;
        }
    }

    /** The module lets a call go with any verdict but a retry, so the last one is remembered here. */
    private Verdict keep(int word) {
        last = Verdict.read(brain, word);
        over = last.kind() != Verdict.Kind.RETRY;
        return last;
    }
}
