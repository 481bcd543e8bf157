/**
 * Policies: a JSON document, checked and kept by the module.
 *
 * @module
 */

import type { Places } from './body-codes.ts';
import { type Engine, engine } from './engine.ts';
import { PolicyError } from './errors.ts';
import type { Issue } from './types.ts';

/** What is wrong with a policy; nothing, if it can be used. Takes the document or its JSON text. */
export function validatePolicy(policy: unknown): Issue[] {
	const text = textOf(policy);
	if (typeof text !== 'string') {
		return [text];
	}
	const module = engine();
	return module.input.document(text) ? issues(module) : [TOO_LONG];
}

/** A policy that the module keeps, until it is freed. */
export interface KeptPolicy {
	readonly handle: number;
	/** Attempts after the first. */
	readonly maxRetries: number;
	/** Whether a call may need random bits for its key. */
	readonly generatesKeys: boolean;
	/** The header that carries the key, as the policy writes it. */
	readonly keyHeader: string;
	/** Where to look in an error body. */
	readonly places: Places;
	/** Whether the body of an answer with this status is to be looked into. */
	looksInto(status: number): boolean;
	/** Lets it go; once for each time that it was given. */
	release(): void;
}

/**
 * Has the module keep a policy, until {@link KeptPolicy.release} was called as often as this gave it.
 *
 * The one that came last is kept on: who hands a policy over with each call hands over the same.
 *
 * @throws {PolicyError} with everything that is wrong with it
 */
export function keepPolicy(module: Engine, policy: unknown): KeptPolicy {
	const text = textOf(policy);
	if (last === undefined || last.module !== module || last.text !== text) {
		const next = new Kept(module, policy, text);
		last?.release();
		last = next;
	}
	return last.taken();
}

let last: Kept | undefined;

class Kept implements KeptPolicy {
	readonly module: Engine;
	readonly text: unknown;
	readonly handle: number;
	readonly maxRetries: number;
	readonly generatesKeys: boolean;
	readonly keyHeader: string;
	readonly places: Places;
	/** The lowest status of an answer whose body says anything. */
	readonly #looksFrom: number;
	/** Who holds it: whoever made it does. */
	#holders = 1;

	constructor(module: Engine, policy: unknown, text: unknown) {
		const handle = newPolicy(module, policy);
		const { wasm } = module;
		const { keyHeader, places } = looksFor(module, handle, 0);
		this.module = module;
		this.text = text;
		this.handle = handle;
		this.maxRetries = wasm.policy_max_retries(handle) >>> 0;
		this.generatesKeys = wasm.policy_generates_keys(handle) !== 0;
		this.keyHeader = keyHeader;
		this.places = places;
		this.#looksFrom = places.length > 0 ? wasm.looks_from(handle, 0) : Number.POSITIVE_INFINITY;
	}

	looksInto(status: number): boolean {
		return status >= this.#looksFrom;
	}

	taken(): this {
		this.#holders += 1;
		return this;
	}

	release(): void {
		this.#holders -= 1;
		if (this.#holders === 0) {
			this.module.wasm.policy_free(this.handle);
		}
	}
}

/**
 * The handle of a policy that the module keeps; `wasm.policy_free` lets it go.
 *
 * @throws {PolicyError} with everything that is wrong with it
 */
export function newPolicy(module: Engine, policy: unknown): number {
	const text = textOf(policy);
	if (typeof text !== 'string') {
		throw new PolicyError([text]);
	}
	const { input, wasm } = module;
	if (!input.document(text)) {
		throw new PolicyError([TOO_LONG]);
	}
	const handle = wasm.policy_new(input.length) >>> 0;
	if (handle === 0) {
		throw new PolicyError(issues(module));
	}
	return handle;
}

/** What to look for in requests and bodies under a policy, a profile, or neither (0). */
export function looksFor(
	module: Engine,
	policy: number,
	profile: number,
): { readonly keyHeader: string; readonly places: Places } {
	const [keyHeader = '', ...rest] = module.strings(module.wasm.looks_for(policy, profile) >>> 0);
	const places: [number, string][] = [];
	for (let i = 0; i + 1 < rest.length; i += 2) {
		places.push([Number(rest[i]), rest[i + 1] ?? '']);
	}
	return { keyHeader, places };
}

const TOO_LONG: Issue = {
	field: '',
	kind: 'syntax',
	message: 'the document is longer than 1 MiB',
};

/** The issues of the document in the input. */
function issues(module: Engine): Issue[] {
	const strings = module.strings(module.wasm.policy_validate(module.input.length) >>> 0);
	const found: Issue[] = [];
	for (let i = 0; i + 2 < strings.length; i += 3) {
		const [field = '', kind = '', message = ''] = strings.slice(i, i + 3);
		found.push({ field, kind, message });
	}
	return found;
}

/** The JSON text of a policy, or why there is none. Nothing at all is the standard policy. */
function textOf(policy: unknown): string | Issue {
	if (typeof policy === 'string') {
		return policy;
	}
	try {
		return JSON.stringify(policy ?? {}) ?? 'null';
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		return { field: '', kind: 'syntax', message: `the document cannot be written as JSON: ${why}` };
	}
}
