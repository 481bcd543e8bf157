package dev.retrywise;

import com.dylibso.chicory.compiler.MachineFactoryCompiler;
import com.dylibso.chicory.runtime.Instance;
import com.dylibso.chicory.wasm.Parser;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One instance of the raw core module: numbers, one input buffer, one text. The ABI is written down
 * in wasm/RAW-ABI.md. Converts, decides nothing. It has one thread: calls take turns.
 */
public final class Brain {
    static final int DELAY = 0, HINT = 1, ATTEMPT = 2, REASON = 3, RETRY_IN = 4, TRANSITION = 5;
    static final int PREVIOUS = 6, POLLY = 7, BALANCE = 8;

    /** Tables of names, by number. */
    enum Table {
        KINDS, REASONS, CLASSES, DELIVERIES, BASES, SIGNALS, SOURCES, FAMILIES, METHODS, BREAKER_STATES
    }

    private final Instance instance;
    private final Map<Table, Map<Integer, String>> names = new HashMap<>();
    private final Map<Table, Map<String, Integer>> codes = new HashMap<>();

    /** Compiles and instantiates the module; it imports nothing. */
    public Brain(byte[] wasm) {
        instance = Instance.builder(Parser.parse(wasm)).withMachineFactory(MachineFactoryCompiler::compile).build();
        for (Table table : Table.values()) {
            String lines = new String(text(integer("table", table.ordinal())), StandardCharsets.UTF_8);
            names.put(table, new HashMap<>());
            codes.put(table, new HashMap<>());
            lines.lines().map(line -> line.split(" ", 2)).filter(pair -> pair.length == 2).forEach(pair -> {
                names.get(table).put(Integer.valueOf(pair[0]), pair[1]);
                codes.get(table).put(pair[1], Integer.valueOf(pair[0]));
            });
        }
    }

    /**
     * An upstream of a policy document.
     *
     * @throws IllegalArgumentException with everything that is wrong with the policy
     */
    public synchronized Upstream upstream(String policy, long seed) {
        List<Issue> issues = validate(policy);
        if (!issues.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", issues.stream().map(Issue::message).toList()));
        }
        int handle = integer("policy_new", write(policy.getBytes(StandardCharsets.UTF_8)));
        int upstream = integer("upstream_new", handle, number(seed), 0);
        call("policy_free", handle);
        if (upstream == 0) {
            throw new IllegalStateException("a million policies or upstreams are kept already");
        }
        return new Upstream(this, upstream);
    }

    /** One thing that is wrong with a policy. */
    public record Issue(String field, String kind, String message) {}

    /** Everything that is wrong with a policy document. */
    public synchronized List<Issue> validate(String policy) {
        List<String> words = strings(integer("policy_validate", write(policy.getBytes(StandardCharsets.UTF_8))));
        List<Issue> issues = new ArrayList<>();
        for (int at = 0; at + 2 < words.size(); at += 3) {
            issues.add(new Issue(words.get(at), words.get(at + 1), words.get(at + 2)));
        }
        return issues;
    }

    /** What an outcome means; {@code hintMs} is -1 where the server asked for nothing. */
    public record Meaning(String outcomeClass, String delivery, String basis, long hintMs) {}

    /** What an outcome means, without a call. An unknown or null profile leaves the generic rules. */
    public synchronized Meaning classify(Outcome outcome, String profile, boolean keySent, double wall) {
        int vendor = profile(profile);
        int flags = outcome.flags() | (keySent ? 4 : 0);
        int length = write(outcome.items().bytes());
        int word = integer("classify", flags, number(outcome.status()), 0, number(wall), 0, vendor, length);
        return new Meaning(name(Table.CLASSES, word >>> 15 & 7), name(Table.DELIVERIES, word >>> 18 & 3),
                name(Table.BASES, word >>> 20 & 7), (long) output(HINT));
    }

    /** The wait that an answer asks for, ms; -1 for none. */
    public synchronized long hint(Outcome outcome, String profile, double wall) {
        int vendor = profile(profile);
        int length = write(outcome.items().bytes());
        call("hint", number(outcome.status()), number(wall), vendor, length);
        return (long) output(HINT);
    }

    /** Whether a method is safe (bit 0) and idempotent (bit 1); case-sensitive, as in HTTP. */
    public synchronized int methodFacts(String token) {
        return integer("method_facts", code(Table.METHODS, token));
    }

    /** The code of a family of transport errors; 0, which is unknown, for another name. */
    public int family(String name) {
        return code(Table.FAMILIES, name);
    }

    int profile(String id) {
        return id == null ? 0 : integer("profile_find", write(id.getBytes(StandardCharsets.UTF_8)));
    }

    String name(Table table, int code) {
        return names.get(table).get(code);
    }

    int code(Table table, String name) {
        return codes.get(table).getOrDefault(name, 0);
    }

    /** The bits of a number, as the module takes them. */
    static long number(double value) {
        return Double.doubleToRawLongBits(value);
    }

    long[] call(String function, long... arguments) {
        return instance.export(function).apply(arguments);
    }

    int integer(String function, long... arguments) {
        return (int) call(function, arguments)[0];
    }

    double output(int slot) {
        return Double.longBitsToDouble(call("output", slot)[0]);
    }

    /** Puts bytes into the input; their length. */
    int write(byte[] bytes) {
        int address = integer("input_reserve", bytes.length);
        if (address == 0) {
            return 0;
        }
        instance.memory().write(address, bytes);
        return bytes.length;
    }

    byte[] text(int length) {
        return instance.memory().readBytes(integer("text_address"), length);
    }

    /** A text of strings, each four bytes of length and its UTF-8. */
    List<String> strings(int length) {
        ByteBuffer text = ByteBuffer.wrap(text(length)).order(ByteOrder.LITTLE_ENDIAN);
        List<String> found = new ArrayList<>();
        while (text.remaining() >= 4) {
            byte[] bytes = new byte[text.getInt()];
            text.get(bytes);
            found.add(new String(bytes, StandardCharsets.UTF_8));
        }
        return found;
    }
}
