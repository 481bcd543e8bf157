package dev.retrywise;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.Consumer;

/**
 * A {@code java.net.http} client that repeats what the policy lets it repeat. A final bad status comes
 * back as its response, a final failure as its exception.
 *
 * <p>The JDK's client sends a GET again by itself when a connection ends before an answer, up to five
 * times, and nobody hears of it. Its limit is read once, at the first request of the process, so
 * make this client before that.
 */
public final class RetryingClient {
    static {
        System.setProperty("jdk.httpclient.redirects.retrylimit", "1");
    }

    private final HttpClient inner;
    private final Upstream upstream;
    private final int family;
    private final Consumer<Verdict> onVerdict;
    private final SecureRandom random = new SecureRandom();
    private final long started = System.nanoTime();

    public RetryingClient(HttpClient inner, Brain brain, String policy, long seed, Consumer<Verdict> onVerdict) {
        this.inner = inner;
        this.upstream = brain.upstream(policy, seed);
        this.family = brain.family("java");
        this.onVerdict = onVerdict;
    }

    /** Sends a request, as often as it takes and the policy allows. Its body publisher must be repeatable. */
    public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
            throws IOException, InterruptedException {
        byte[] entropy = new byte[16];
        random.nextBytes(entropy);
        Items facts = new Items().headers(request.headers().map()).entropy(entropy);
        Call call = upstream.begin(request.method(), facts, false, now(), System.currentTimeMillis());
        try {
            while (true) {
                HttpResponse<T> response = null;
                IOException failure = null;
                Outcome outcome;
                try {
                    response = inner.send(withHeaders(request, call.headers()), handler);
                    outcome = Outcome.answer(response.statusCode(), new Items().headers(response.headers().map()));
                } catch (IOException thrown) {
                    failure = thrown;
                    outcome = Outcome.failure(new Items().error(thrown, family));
                }
                Verdict verdict = call.settle(outcome, now(), System.currentTimeMillis());
                onVerdict.accept(verdict);
                if (verdict.kind() != Verdict.Kind.RETRY || !resumes(call, verdict.delayMs())) {
                    if (failure != null) {
                        throw failure;
                    }
                    return response;
                }
            }
        } finally {
            call.end(now());
        }
    }

    /** Sleeps, then asks; whether the next attempt may be sent. */
    private boolean resumes(Call call, long delayMs) throws InterruptedException {
        while (true) {
            Thread.sleep(delayMs);
            Refusal refusal = call.resume(now());
            if (refusal == null) {
                return true;
            }
            if (refusal.over() || refusal.retryInMs() < 0) {
                return false;
            }
            delayMs = refusal.retryInMs();
        }
    }

    private static HttpRequest withHeaders(HttpRequest request, List<String> headers) {
        HttpRequest.Builder attempt = HttpRequest.newBuilder(request, (name, value) -> true);
        for (int at = 0; at + 1 < headers.size(); at += 2) {
            attempt.setHeader(headers.get(at), headers.get(at + 1));
        }
        return attempt.build();
    }

    private double now() {
        return (System.nanoTime() - started) / 1_000_000;
    }
}
