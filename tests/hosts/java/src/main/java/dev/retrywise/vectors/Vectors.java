package dev.retrywise.vectors;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.retrywise.Brain;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Answers the vector runner, a line of JSON with a line of JSON, through the raw core module. It
 * converts names and holds no rule; comparing is the runner's. RETRYWISE_RAW names the module's file.
 */
public final class Vectors {
    /** A vector that asks for something that has no answer. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        Refused(String why) {
            super(why);
        }
    }

    public static void main(String[] args) throws IOException {
        Brain brain = new Brain(Files.readAllBytes(Path.of(System.getenv("RETRYWISE_RAW"))));
        World world = new World(brain);
        Signals signals = new Signals(brain);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonObject answer;
            try {
                answer = answer(JsonParser.parseString(line).getAsJsonObject(), world, signals);
            } catch (Refused refused) {
                answer = new JsonObject();
                answer.addProperty("refused", refused.getMessage());
            }
            out.println(Documents.GSON.toJson(answer));
        }
    }

    private static JsonObject answer(JsonObject asked, World world, Signals signals) throws Refused {
        JsonObject said = new JsonObject();
        switch (asked.get("op").getAsString()) {
            case "hello" -> {
                said.add("machines", JsonParser.parseString("[\"delay\",\"engine\",\"policy\"]"));
                said.addProperty("views", true);
                said.addProperty("isolates", true);
            }
            case "signal" -> said.add("answers",
                    signals.answer(asked.getAsJsonObject("input"), Documents.wall(asked)));
            case "open" -> world.open(asked.get("policy").toString(), asked.get("seed").getAsString());
            case "step" -> {
                JsonElement random = asked.get("rng");
                if (random != null && !random.isJsonNull()) {
                    world.random(random.getAsString());
                }
                double at = asked.get("at").getAsDouble();
                said.add("answers", world.play(asked.getAsJsonObject("step"), at, Documents.wall(asked)));
                said.addProperty("rng", world.random());
            }
            default -> throw new Refused("this host does not know " + asked.get("op"));
        }
        return said;
    }

    private Vectors() {}
}
