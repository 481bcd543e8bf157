/**
 * UTF-8 for hosts without `TextEncoder` and `TextDecoder`: React Native's engine had neither, then
 * one of them. As the standard's, for whole texts; what is decoded is the module's own, so it is valid.
 *
 * @module
 */

/** Text to bytes, as `TextEncoder`. */
export interface Utf8Encoder {
	encode(text: string): Uint8Array<ArrayBuffer>;
}

/** Bytes to text, as `TextDecoder`. */
export interface Utf8Decoder {
	decode(bytes: Uint8Array): string;
}

/** What stands for half of a pair that has no other half. */
const REPLACEMENT = 0xfffd;

export const plainEncoder: Utf8Encoder = {
	encode(text) {
		const bytes: number[] = [];
		for (const character of text) {
			const point = character.codePointAt(0) ?? 0;
			const code = point >= 0xd800 && point <= 0xdfff ? REPLACEMENT : point;
			if (code < 0x80) {
				bytes.push(code);
			} else if (code < 0x800) {
				bytes.push(0xc0 | (code >> 6), tail(code));
			} else if (code < 0x1_0000) {
				bytes.push(0xe0 | (code >> 12), tail(code >> 6), tail(code));
			} else {
				bytes.push(0xf0 | (code >> 18), tail(code >> 12), tail(code >> 6), tail(code));
			}
		}
		return Uint8Array.from(bytes);
	},
};

export const plainDecoder: Utf8Decoder = {
	decode(bytes) {
		let text = '';
		for (let at = 0; at < bytes.length; ) {
			const first = bytes[at] ?? 0;
			const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
			let code = length === 1 ? first : first & (0xff >> (length + 1));
			for (let next = 1; next < length; next++) {
				code = (code << 6) | ((bytes[at + next] ?? 0) & 0x3f);
			}
			text += String.fromCodePoint(code <= 0x10_ffff ? code : REPLACEMENT);
			at += length;
		}
		return text;
	},
};

function tail(code: number): number {
	return 0x80 | (code & 0x3f);
}
