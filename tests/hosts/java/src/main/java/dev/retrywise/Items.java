package dev.retrywise;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** What one event says: headers, errors, keys. Each item is a tag, the payload's length, the payload. */
public final class Items {
    private static final int NAMED_HEADER = 0x02, ERROR = 0x20, NAME = 0x22, MESSAGE = 0x23;
    private static final int KEY = 0x30, ENTROPY = 0x32, TOKEN = 0x33;
    private static final int MAX_PAYLOAD = 0xffff;
    private static final int MAX_CAUSES = 8;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** Appends an item. What is too long is cut. */
    public Items add(int tag, byte[] payload) {
        int length = Math.min(payload.length, MAX_PAYLOAD);
        bytes.write(tag);
        bytes.write(length);
        bytes.write(length >> 8);
        bytes.write(payload, 0, length);
        return this;
    }

    /** Appends a text. */
    public Items add(int tag, String text) {
        return add(tag, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Appends a header line. A name longer than 255 bytes is none that the core reads. */
    public Items header(String name, String value) {
        byte[] key = name.getBytes(StandardCharsets.UTF_8);
        byte[] line = value.getBytes(StandardCharsets.UTF_8);
        if (key.length > 255) {
            return this;
        }
        byte[] payload = new byte[1 + key.length + line.length];
        payload[0] = (byte) key.length;
        System.arraycopy(key, 0, payload, 1, key.length);
        System.arraycopy(line, 0, payload, 1 + key.length, line.length);
        return add(NAMED_HEADER, payload);
    }

    /** Appends all lines of headers. */
    public Items headers(Map<String, List<String>> headers) {
        headers.forEach((name, values) -> values.forEach(value -> header(name, value)));
        return this;
    }

    /** Begins an error, or the cause of the one before: a family by its code, and flags. */
    public Items error(int family, int flags) {
        return add(ERROR, new byte[] {(byte) family, (byte) flags});
    }

    /** Appends an exception and its causes, the outermost first. */
    public Items error(Throwable failure, int family) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++, cause = cause.getCause()) {
            error(family, 0).add(NAME, cause.getClass().getName());
            if (cause.getMessage() != null) {
                add(MESSAGE, cause.getMessage());
            }
        }
        return this;
    }

    /** Appends the caller's own idempotency key. */
    public Items key(String key) {
        return add(KEY, key);
    }

    /** Appends 16 random bytes to make a key from. */
    public Items entropy(byte[] random) {
        return add(ENTROPY, random);
    }

    Items token(String method) {
        return add(TOKEN, method);
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }
}
