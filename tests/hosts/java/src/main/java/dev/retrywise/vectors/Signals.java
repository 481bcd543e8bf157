package dev.retrywise.vectors;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.retrywise.Brain;
import dev.retrywise.Call;
import dev.retrywise.Items;
import dev.retrywise.Outcome;
import dev.retrywise.Refusal;
import dev.retrywise.Upstream;
import dev.retrywise.Verdict;

/** What one outcome means, and whether it would be repeated. */
final class Signals {
    /**
     * Outcomes that the core takes for a class and a delivery given directly. A not_processed counts
     * as proven there, so it must not rest on a status.
     */
    private static final String[] STAND_INS = {
        "{\"status\":200}",
        "{\"status\":404}",
        "{\"status\":404,\"headers\":[[\"x-should-retry\",\"true\"]]}",
        "{\"status\":503,\"headers\":[[\"proxy-status\",\"edge; error=connection_limit_reached\"]]}",
        "{\"error\":{\"family\":\"node\",\"code\":\"ECONNREFUSED\",\"syscall\":\"connect\"}}",
        "{\"error\":{\"family\":\"node\",\"code\":\"ECONNRESET\"}}",
        "{\"error\":{\"family\":\"node\",\"code\":\"CERT_HAS_EXPIRED\"}}",
        "{\"error\":{\"family\":\"http2\",\"code\":\"ENHANCE_YOUR_CALM\"}}",
        "{\"error\":{\"family\":\"dom\",\"name\":\"AbortError\"}}",
    };

    private final Brain brain;

    Signals(Brain brain) {
        this.brain = brain;
    }

    /** Every answer that the input has. */
    JsonObject answer(JsonObject input, double wall) throws Vectors.Refused {
        JsonObject said = new JsonObject();
        String method = text(input, "method");
        String profile = text(input, "profile");
        boolean keySent = input.has("idempotency_key") && input.get("idempotency_key").getAsBoolean();
        if (method != null) {
            int facts = brain.methodFacts(method);
            said.addProperty("safe", (facts & 1) != 0);
            said.addProperty("idempotent", (facts & 2) != 0);
        }
        Outcome seen;
        if (input.has("class")) {
            seen = standIn(text(input, "class"), text(input, "delivery"));
            said.addProperty("class", text(input, "class"));
            said.addProperty("delivery", text(input, "delivery"));
        } else if (input.has("status") || input.has("error")) {
            seen = Documents.outcome(input, brain);
            Brain.Meaning meaning = brain.classify(seen, profile, keySent, wall);
            said.addProperty("class", meaning.outcomeClass());
            said.addProperty("delivery", meaning.delivery());
            said.add("delay_ms", Documents.orNull(brain.hint(seen, profile, wall)));
        } else {
            return said;
        }
        if (method != null) {
            said.addProperty("retry", isRetried(method, keySent, seen, profile));
        }
        return said;
    }

    /** The decision, attempts and budget aside: what the first settle of a call says. */
    private boolean isRetried(String method, boolean honoured, Outcome seen, String profile) throws Vectors.Refused {
        JsonObject policy = new JsonObject();
        policy.addProperty("profile", profile);
        JsonObject idempotency = new JsonObject();
        idempotency.addProperty("honoured", honoured);
        policy.add("idempotency", idempotency);
        Items items = new Items();
        if (honoured) {
            items.key("key");
        }
        try (Upstream upstream = brain.upstream(Documents.GSON.toJson(policy), 0)) {
            Call call = upstream.begin(method, items, false, 0, 0);
            Verdict verdict = call.settle(seen, 0, 0);
            call.end(0);
            return verdict.kind() == Verdict.Kind.RETRY;
        } catch (IllegalArgumentException | Refusal.Exception refused) {
            throw new Vectors.Refused(refused.getMessage());
        }
    }

    private Outcome standIn(String outcomeClass, String delivery) throws Vectors.Refused {
        for (String document : STAND_INS) {
            Outcome outcome = Documents.outcome(JsonParser.parseString(document).getAsJsonObject(), brain);
            Brain.Meaning meaning = brain.classify(outcome, null, false, Double.NaN);
            if (meaning.outcomeClass().equals(outcomeClass) && meaning.delivery().equals(delivery)
                    && !meaning.basis().equals("status")) {
                return outcome;
            }
        }
        throw new Vectors.Refused("no outcome here is " + outcomeClass + " and " + delivery);
    }

    private static String text(JsonObject object, String name) {
        JsonElement value = object.get(name);
        return value == null || value.isJsonNull() ? null : value.getAsString();
    }
}
