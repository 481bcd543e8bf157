package dev.retrywise.vectors;

import com.google.gson.JsonArray;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import dev.retrywise.Brain;
import dev.retrywise.Call;
import dev.retrywise.Items;
import dev.retrywise.Refusal;
import dev.retrywise.Upstream;
import dev.retrywise.Verdict;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** The trace that is being played: an upstream on a clock that the steps move. */
final class World {
    private final Brain brain;
    private final Map<String, Call> calls = new HashMap<>();
    private final Map<String, Upstream.DelayState> delays = new HashMap<>();
    private Upstream upstream;
    private String latest = "";

    World(Brain brain) {
        this.brain = brain;
    }

    void open(String policy, String seed) throws Vectors.Refused {
        if (upstream != null) {
            upstream.close();
        }
        calls.clear();
        delays.clear();
        try {
            upstream = brain.upstream(policy, 0);
        } catch (IllegalArgumentException invalid) {
            throw new Vectors.Refused("the policy is invalid: " + invalid.getMessage());
        }
        random(seed);
    }

    void random(String state) {
        upstream.randomState(Long.parseUnsignedLong(state));
    }

    String random() {
        return Long.toUnsignedString(upstream.randomState());
    }

    JsonObject play(JsonObject step, double at, double wall) throws Vectors.Refused {
        JsonObject args = step.getAsJsonObject("args");
        String op = step.get("op").getAsString();
        switch (op) {
            case "policy":
                return policy(args.get("document").toString());
            case "view":
                return view(at);
            case "isolate":
                upstream.isolate();
                return new JsonObject();
            case "reset":
                upstream.reset();
                return new JsonObject();
            case "delay":
                return delay(args);
            case "begin":
                return begin(args, at, wall);
            default:
        }
        String name = args.has("call") ? args.get("call").getAsString() : latest;
        Call call = calls.get(name);
        if (call == null) {
            throw new Vectors.Refused("no call " + name + " was admitted");
        }
        switch (op) {
            case "settle":
                JsonObject outcome = args.has("outcome") ? args.getAsJsonObject("outcome") : new JsonObject();
                return verdict(call.settle(Documents.outcome(outcome, brain), at, wall));
            case "resume":
                Refusal refusal = call.resume(at);
                JsonObject said = admission(refusal);
                said.addProperty("over", refusal != null && refusal.over());
                return said;
            case "cancel":
                return verdict(call.cancel(at));
            case "end":
                call.end(at);
                return new JsonObject();
            default:
                throw new Vectors.Refused("this host does not know " + op);
        }
    }

    private JsonObject policy(String document) {
        JsonArray issues = new JsonArray();
        for (Brain.Issue issue : brain.validate(document)) {
            JsonObject one = new JsonObject();
            one.addProperty("field", issue.field());
            one.addProperty("kind", issue.kind());
            issues.add(one);
        }
        JsonObject said = new JsonObject();
        said.addProperty("valid", issues.isEmpty());
        said.add("issues", issues);
        return said;
    }

    private JsonObject view(double at) {
        Upstream.View view = upstream.view(at);
        JsonObject said = new JsonObject();
        said.addProperty("state", view.breaker());
        said.add("retryInMs", Documents.orNull(view.retryInMs()));
        said.addProperty("balance", view.balance() < 0 ? null : view.balance() / 1000);
        return said;
    }

    private JsonObject begin(JsonObject args, double at, double wall) {
        JsonObject request = args.has("request") ? args.getAsJsonObject("request") : new JsonObject();
        Items items = new Items();
        Documents.headers(request, items);
        if (request.has("key")) {
            items.key(request.get("key").getAsString());
        }
        String method = request.has("method") ? request.get("method").getAsString() : "GET";
        boolean once = request.has("replayableBody") && !request.get("replayableBody").getAsBoolean();
        try {
            Call call = upstream.begin(method, items, once, at, wall);
            latest = args.get("call").getAsString();
            calls.put(latest, call);
            return admission(null);
        } catch (Refusal.Exception refused) {
            return admission(refused.refusal());
        }
    }

    private JsonObject delay(JsonObject args) {
        String call = args.has("call") ? args.get("call").getAsString() : "";
        String outcomeClass = args.has("class") ? args.get("class").getAsString() : "transient";
        boolean hinted = args.has("hintMs") && !args.get("hintMs").isJsonNull();
        double hint = hinted ? args.get("hintMs").getAsDouble() : -1;
        Upstream.DelayState state = delays.computeIfAbsent(call, name -> new Upstream.DelayState());
        Upstream.Delay delay = upstream.delay(args.get("retry").getAsInt(), outcomeClass, hint, state);
        JsonObject said = new JsonObject();
        said.add("delayMs", Documents.orNull(delay.delayMs()));
        said.addProperty("reason", delay.reason());
        return said;
    }

    private static JsonObject admission(Refusal refusal) {
        JsonObject said = new JsonObject();
        said.addProperty("admitted", refusal == null);
        said.addProperty("reason", refusal == null ? null : refusal.reason());
        said.add("retryInMs", refusal == null ? JsonNull.INSTANCE : Documents.orNull(refusal.retryInMs()));
        return said;
    }

    private static JsonObject verdict(Verdict verdict) {
        JsonObject said = new JsonObject();
        said.addProperty("verdict", verdict.kind().name().toLowerCase(Locale.ROOT));
        said.addProperty("attempt", verdict.attempt());
        said.addProperty("delayMs", verdict.delayMs());
        said.addProperty("reason", verdict.reason());
        said.add("hintMs", Documents.orNull(verdict.hintMs()));
        said.addProperty("hintSource", verdict.hintSource());
        said.addProperty("class", verdict.outcomeClass());
        said.addProperty("delivery", verdict.delivery());
        said.addProperty("transition", verdict.transition());
        said.addProperty("stale", verdict.stale());
        return said;
    }
}
