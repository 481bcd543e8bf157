/**
 * Bodies: kept so that they can be sent again, read for machine codes, or let go of.
 *
 * @module
 */

/** Bytes of an error body that are parsed for its codes; such bodies are small. */
const MAX_CODES = 65_536;

/** An answer of at most this many bytes is read to its end, so that its connection lives on. */
const MAX_DRAIN = 16_384;

/** What an attempt sends, and whether another attempt could send it too. */
export interface Source {
	/** The body of the next attempt; undefined: as the request has it. */
	next(): BodyInit | undefined;
	/** False once more came than is kept, or from the start where nothing is. */
	readonly isReplayable: boolean;
	/** Waits until what was kept is whole; false when it is not to be had. */
	whole(): Promise<boolean>;
}

/** A body that can be sent any number of times, or none at all. */
export const REUSABLE: Source = {
	next: () => undefined,
	isReplayable: true,
	whole: () => Promise.resolve(true),
};

/** Whether a body is used up by sending it. */
export function isOneShot(body: unknown): boolean {
	if (typeof body !== 'object' || body === null) {
		return false;
	}
	const has = (name: PropertyKey): boolean =>
		typeof (body as Record<PropertyKey, unknown>)[name] === 'function';
	// A Blob has a `stream`, but gives a new one each time.
	return has('getReader') || has('pipe') || has(Symbol.asyncIterator);
}

/** A stream that is sent as it comes, and kept up to `limit` bytes on the way. */
export function recorded(stream: ReadableStream<Uint8Array>, limit: number): Source {
	if (limit <= 0) {
		return { next: () => stream, isReplayable: false, whole: () => Promise.resolve(false) };
	}
	const [sent, kept] = stream.tee();
	const recording = new Recording(kept, limit);
	let first = true;
	return {
		next() {
			if (first) {
				first = false;
				return sent;
			}
			return recording.bytes();
		},
		get isReplayable() {
			return !recording.overflowed;
		},
		whole: () => recording.done,
	};
}

class Recording {
	overflowed = false;
	readonly done: Promise<boolean>;
	readonly #chunks: Uint8Array[] = [];

	constructor(stream: ReadableStream<Uint8Array>, limit: number) {
		this.done = this.#read(stream.getReader(), limit);
	}

	bytes(): Uint8Array<ArrayBuffer> {
		const length = this.#chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
		const all = new Uint8Array(length);
		let at = 0;
		for (const chunk of this.#chunks) {
			all.set(chunk, at);
			at += chunk.byteLength;
		}
		return all;
	}

	async #read(reader: ReadableStreamDefaultReader<Uint8Array>, limit: number): Promise<boolean> {
		let left = limit;
		try {
			for (;;) {
				const { done, value } = await reader.read();
				if (done) {
					return true;
				}
				left -= value.byteLength;
				if (left < 0) {
					this.overflowed = true;
					this.#chunks.length = 0;
					await reader.cancel();
					return false;
				}
				this.#chunks.push(value);
			}
		} catch {
			// The caller's own stream failed: the attempt fails by it, and cannot be repeated.
			this.overflowed = true;
			return false;
		}
	}
}

/**
 * The parsed body of an answer, where it is JSON: so much of a copy is read, and the answer stays
 * whole. Asked of failures, and of successes only under a vendor whose failures look like them.
 */
export async function codesOf(response: Response): Promise<unknown> {
	const { headers } = response;
	if (response.body === null || response.bodyUsed) {
		return undefined;
	}
	if (!/\bjson\b/i.test(headers.get('content-type') ?? '')) {
		return undefined;
	}
	try {
		const text = await textUpTo(response.clone(), MAX_CODES);
		return text === undefined ? undefined : JSON.parse(text);
	} catch {
		return undefined;
	}
}

async function textUpTo(response: Response, limit: number): Promise<string | undefined> {
	const reader = (response.body as ReadableStream<Uint8Array>).getReader();
	const decoder = new TextDecoder();
	let text = '';
	let left = limit;
	for (;;) {
		const { done, value } = await reader.read();
		if (done) {
			return text + decoder.decode();
		}
		left -= value.byteLength;
		if (left < 0) {
			// The copy is let go of; the answer itself flows on.
			reader.cancel().catch(() => {});
			return undefined;
		}
		text += decoder.decode(value, { stream: true });
	}
}

/** Lets go of an answer that nobody will read: drained where it is short, else cancelled. */
export async function discard(response: Response): Promise<void> {
	if (response.body === null || response.bodyUsed) {
		return;
	}
	const length = Number(response.headers.get('content-length') ?? Number.NaN);
	try {
		if (length <= MAX_DRAIN) {
			await response.arrayBuffer();
		} else {
			await response.body.cancel();
		}
	} catch {
		// A body that breaks off has let go of its connection by itself.
	}
}
