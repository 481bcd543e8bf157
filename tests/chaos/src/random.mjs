/**
 * Chance that can be repeated: a generator for each purpose, made from words and numbers.
 *
 * @module
 */

/** A generator of numbers from 0 to 1, the same for the same parts. */
export function random(...parts) {
	let state = hash(parts.join('\n'));
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** A whole number from `low` to `high`. */
export function between(draw, low, high) {
	return low + Math.floor(draw() * (high - low + 1));
}

/** FNV-1a, 32 bits. */
function hash(text) {
	let value = 0x811c9dc5;
	for (let at = 0; at < text.length; at += 1) {
		value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
	}
	return value;
}
