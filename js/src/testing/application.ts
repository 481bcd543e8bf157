/**
 * What stands behind the faults: an application that creates one resource a POST and remembers keys.
 *
 * @module
 */

/** Something that a POST created. */
export interface Resource {
	/** Its number, from 1. */
	id: number;
	/** The path it was posted to. */
	path: string;
	/** The key it was posted with. */
	key: string | undefined;
	/** The body it was posted with. */
	body: string;
}

/** What the application is asked. */
export interface Order {
	method: string;
	path: string;
	key: string | undefined;
	body: string;
}

/** What the application answers. */
export interface Answer {
	status: number;
	headers: Readonly<Record<string, string | readonly string[]>>;
	body: string;
	/** The answer of an earlier request with this key. */
	replayed: boolean;
}

interface Memory {
	fingerprint: string;
	answer: Answer;
}

/** The application and its state. */
export class Application {
	readonly #honoursKeys: boolean;
	readonly #memory = new Map<string, Memory>();
	readonly #resources: Resource[] = [];

	constructor(honoursKeys: boolean) {
		this.#honoursKeys = honoursKeys;
	}

	/** What was created so far, oldest first. */
	get resources(): readonly Resource[] {
		return this.#resources;
	}

	/**
	 * Carries out a request: a POST creates a resource, whatever `make` then says of it. A key that
	 * was seen before is answered from memory, and nothing is created
	 * (draft-ietf-httpapi-idempotency-key-header-07: 422 when the payload is another one).
	 */
	process(order: Order, make: (created: Resource | undefined) => Omit<Answer, 'replayed'>): Answer {
		const key = this.#honoursKeys ? order.key : undefined;
		const fingerprint = `${order.method} ${order.path}\n${order.body}`;
		const known = key === undefined ? undefined : this.#memory.get(key);
		if (known !== undefined && known.fingerprint !== fingerprint) {
			return problem(422, 'the key was used with another payload');
		}
		if (known !== undefined) {
			return { ...known.answer, replayed: true };
		}
		const answer: Answer = { ...make(this.#create(order)), replayed: false };
		if (key !== undefined) {
			this.#memory.set(key, { fingerprint, answer });
		}
		return answer;
	}

	/** Forgets everything. */
	reset(): void {
		this.#memory.clear();
		this.#resources.length = 0;
	}

	#create({ method, path, key, body }: Order): Resource | undefined {
		if (method !== 'POST') {
			return undefined;
		}
		const resource: Resource = { id: this.#resources.length + 1, path, key, body };
		this.#resources.push(resource);
		return resource;
	}
}

/** An answer of the application's own making. */
export function problem(status: number, title: string): Answer {
	return {
		status,
		headers: { 'content-type': 'application/problem+json' },
		body: JSON.stringify({ title, status }),
		replayed: false,
	};
}
