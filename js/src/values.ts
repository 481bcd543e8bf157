/**
 * Looking at values of any kind: hosts hand over whatever was thrown.
 *
 * @module
 */

/** Whether there is a value at all. */
export function isThere<T>(value: T): value is NonNullable<T> {
	return value !== undefined && value !== null;
}

/** A property of anything; a getter that throws has none. */
export function property(value: unknown, name: string): unknown {
	if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
		return undefined;
	}
	try {
		return (value as Record<string, unknown>)[name];
	} catch {
		return undefined;
	}
}
