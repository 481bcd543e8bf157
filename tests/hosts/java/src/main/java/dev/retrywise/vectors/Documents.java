package dev.retrywise.vectors;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import dev.retrywise.Brain;
import dev.retrywise.Items;
import dev.retrywise.Outcome;
import java.util.Map;

/** The documents of vectors, as the module takes them. */
final class Documents {
    static final Gson GSON = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

    private static final Map<String, Integer> BODY = Map.of("code", 0x10, "policy", 0x11, "problem_type", 0x12,
            "retry_delay", 0x13, "retry_after_s", 0x14);
    private static final Map<String, Integer> ERROR = Map.ofEntries(Map.entry("code", 0x21), Map.entry("name", 0x22),
            Map.entry("message", 0x23), Map.entry("syscall", 0x24), Map.entry("phase", 0x25), Map.entry("op", 0x26),
            Map.entry("type", 0x27), Map.entry("rcode", 0x28), Map.entry("frame", 0x29), Map.entry("progress", 0x2a),
            Map.entry("stream_id", 0x2b), Map.entry("last_stream_id", 0x2c));
    private static final Map<String, Integer> FLAGS = Map.of("temporary", 1, "not_found", 2, "reused", 4);

    /** How an attempt ended. */
    static Outcome outcome(JsonObject document, Brain brain) {
        Items items = new Items();
        headers(document, items);
        if (document.get("body") instanceof JsonObject body) {
            body.entrySet().forEach(field -> items.add(BODY.get(field.getKey()), text(field.getValue())));
        }
        JsonElement error = document.get("error");
        for (int depth = 0; error instanceof JsonObject one && depth < 8; depth++, error = one.get("cause")) {
            error(one, items, brain);
        }
        boolean answered = document.has("status");
        int status = answered ? (int) document.get("status").getAsDouble() : 0;
        boolean committed = document.has("committed") && document.get("committed").getAsBoolean();
        double duration = document.has("durationMs") ? document.get("durationMs").getAsDouble() : Double.NaN;
        return new Outcome(answered, status, items, committed, duration);
    }

    static void headers(JsonObject document, Items items) {
        if (document.get("headers") instanceof JsonArray lines) {
            for (JsonElement line : lines) {
                JsonArray pair = line.getAsJsonArray();
                items.header(pair.get(0).getAsString(), pair.get(1).getAsString());
            }
        }
    }

    private static void error(JsonObject error, Items items, Brain brain) {
        int flags = 0;
        for (Map.Entry<String, Integer> flag : FLAGS.entrySet()) {
            String value = error.has(flag.getKey()) ? error.get(flag.getKey()).getAsString() : "";
            flags |= value.equals("true") || value.equals("reused") ? flag.getValue() : 0;
        }
        items.error(error.has("family") ? brain.family(error.get("family").getAsString()) : 0, flags);
        error.entrySet().stream().filter(field -> ERROR.containsKey(field.getKey()))
                .forEach(field -> items.add(ERROR.get(field.getKey()), text(field.getValue())));
    }

    /** A string as it is, and a number as it is written. */
    private static String text(JsonElement value) {
        return value.isJsonPrimitive() ? value.getAsString() : "";
    }

    /** The wall clock of a question; NaN for none. */
    static double wall(JsonObject asked) {
        JsonElement wall = asked.get("wall");
        return wall == null || wall.isJsonNull() ? Double.NaN : wall.getAsDouble();
    }

    /** -1 stands for none. */
    static JsonElement orNull(long ms) {
        return ms < 0 ? JsonNull.INSTANCE : new JsonPrimitive(ms);
    }

    private Documents() {}
}
