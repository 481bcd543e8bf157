package dev.retrywise;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * {@code URL METHOD POLICY SEED [KEY]}: prints a line for each verdict, then how it ended.
 * RETRYWISE_RAW names the module's file.
 */
public final class Host {
    public static void main(String[] args) throws IOException, InterruptedException {
        if (args.length < 4) {
            System.err.println("usage: URL METHOD POLICY SEED [KEY]");
            System.exit(2);
        }
        // HTTP/1.1 alone: an upgrade to HTTP/2 would ride on the first request.
        HttpClient plain = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        Brain brain = new Brain(Files.readAllBytes(Path.of(System.getenv("RETRYWISE_RAW"))));
        RetryingClient client = new RetryingClient(plain, brain, args[2], Long.parseLong(args[3]), Host::show);
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(args[0]))
                .method(args[1], HttpRequest.BodyPublishers.noBody());
        if (args.length > 4) {
            request.header("Idempotency-Key", args[4]);
        }
        try {
            System.out.println("status " + client.send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode());
        } catch (IOException failure) {
            System.out.println("error");
        }
    }

    private static void show(Verdict verdict) {
        String kind = verdict.kind().name().toLowerCase(Locale.ROOT);
        System.out.println(kind + " " + verdict.reason() + " " + verdict.attempt() + " " + verdict.delayMs());
    }

    private Host() {}
}
