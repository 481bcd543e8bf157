/**
 * One call: its handle in the module, and what is kept of it when that is gone.
 *
 * @module
 */

import type { RetrywiseEvent } from './events.ts';
import { slot } from './exports.ts';
import { type Encoded, encodeOutcome } from './outcome.ts';
import type { Call, Outcome, Resumption, Verdict } from './types.ts';
import type { KeptUpstream } from './upstream.ts';
import { GivenVerdict, orNull, refusal, transitionOf } from './verdict.ts';
/** What an event says besides its type and its upstream. */
export type Said<Type> = Omit<
	Extract<RetrywiseEvent, { readonly type: Type }>,
	'type' | 'upstream'
>;

/** Calls begun by this copy of the package. */
let begun = 0;

export class KeptCall implements Call {
	readonly #upstream: KeptUpstream;
	readonly #id: number;
	readonly #method: string;
	#sentAt = 0;
	/** 0 once the call is over. */
	#handle: number;
	#attempt = 1;
	#headers: Readonly<Record<string, string>> | undefined;
	/** The bare key and the body's field for it. */
	#key: readonly string[] | undefined;
	#last: Verdict | undefined;

	constructor(
		upstream: KeptUpstream,
		handle: number,
		method: string,
		/** Whether strings crossed with it: without any there is nothing that a key could be made of. */
		mayHaveKey: boolean,
	) {
		begun += 1;
		this.#upstream = upstream;
		this.#handle = handle;
		this.#id = begun;
		this.#method = method;
		if (!mayHaveKey) {
			this.#headers = {};
			this.#key = NO_KEY;
		}
	}

	/** An attempt is let go. */
	begun(now: number): void {
		this.#sentAt = now;
		// Asked first: where nobody hears, no function is made either.
		if (this.#upstream.hears('attempt')) {
			this.#upstream.tell('attempt', () => this.#about());
		}
	}

	get attempt(): number {
		return this.#attempt;
	}

	get headers(): Readonly<Record<string, string>> {
		this.#headers ??= this.#readHeaders();
		return this.#headers;
	}

	get key(): string | null {
		return this.#readKey()[0] ?? null;
	}

	get keyField(): string | null {
		return this.#readKey()[1] || null;
	}

	get timeoutMs(): number | null {
		const { engine, clock } = this.#upstream;
		return orNull(engine.wasm.call_timeout(this.#handle, clock.now()));
	}

	settle(outcome: Outcome): Verdict {
		if (this.#handle === 0) {
			return this.#stale();
		}
		const { engine, clock, policy } = this.#upstream;
		const { flags, status, error }: Encoded = encodeOutcome(engine, outcome ?? {}, policy.places);
		const word = engine.wasm.call_settle(
			this.#handle,
			flags,
			status,
			error,
			clock.now(),
			clock.wall(),
			outcome?.durationMs ?? Number.NaN,
			engine.input.length,
		);
		return this.#take(word >>> 0, outcome);
	}

	resume(): Resumption {
		const { engine, clock } = this.#upstream;
		if (this.#handle === 0) {
			const reason = this.#last?.reason ?? 'cancelled';
			return { admitted: false, reason, retryInMs: null, over: true };
		}
		const now = clock.now();
		const answer = engine.wasm.call_resume(this.#handle, now) >>> 0;
		if (answer === ADMITTED) {
			this.begun(now);
			return { admitted: true };
		}
		const refused = refusal(engine);
		const over = answer !== LATER;
		this.#upstream.tell('refusal', () => ({ ...this.#about(), ...refused, over }));
		if (over) {
			this.#keep(answer);
			return { admitted: false, ...refused, over: true };
		}
		return { admitted: false, ...refused, over: false };
	}

	cancel(): Verdict {
		if (this.#handle === 0) {
			return this.#stale();
		}
		const { engine, clock } = this.#upstream;
		return this.#take(engine.wasm.call_cancel(this.#handle, clock.now()) >>> 0);
	}

	end(): void {
		if (this.#handle !== 0 && this.#upstream.hears('verdict')) {
			this.cancel();
		} else if (this.#handle !== 0) {
			const { engine, clock } = this.#upstream;
			engine.wasm.call_end(this.#handle, clock.now());
			this.#handle = 0;
		}
	}

	[Symbol.dispose](): void {
		this.end();
	}

	/** The verdict of the word and the output slots, told of. */
	#take(word: number, outcome?: Outcome): Verdict {
		const ended = this.#attempt;
		const verdict = this.#keep(word);
		if (verdict.transition !== null || this.#upstream.hears('verdict')) {
			this.#tell(verdict, ended, outcome);
		}
		return verdict;
	}

	/** Apart from where it is decided: what an event is made of would be kept for it at each settle. */
	#tell(verdict: Verdict, ended: number, outcome: Outcome | undefined): void {
		const upstream = this.#upstream;
		upstream.tell('verdict', () => ({
			...this.#about(),
			attempt: ended,
			verdict,
			status: outcome?.status,
			error: outcome?.error,
			durationMs: outcome?.durationMs ?? Math.max(0, upstream.clock.now() - this.#sentAt),
		}));
		const { transition } = verdict;
		if (transition !== null) {
			upstream.tell('breaker', () => ({ ...this.#about(), attempt: ended, ...transition }));
		}
	}

	#about(): { readonly call: number; readonly method: string; readonly attempt: number } {
		return { call: this.#id, method: this.#method, attempt: this.#attempt };
	}

	#keep(word: number): Verdict {
		const { engine } = this.#upstream;
		const outputs = engine.outputs();
		const verdict = new GivenVerdict(
			engine,
			word,
			outputs[slot.attempt] as number,
			outputs[slot.delay] as number,
			orNull(outputs[slot.hint] as number),
			transitionOf(engine, outputs[slot.transition] as number),
			outputs[slot.sustained] === 1,
		);
		this.#attempt = verdict.attempt;
		if (verdict.kind !== 'retry') {
			// Before that the module gives it again, and a call that lives long holds no verdict.
			this.#last = verdict;
			this.#headers ??= {};
			this.#key ??= NO_KEY;
			this.#handle = 0;
		}
		return verdict;
	}

	/** The last verdict again, for an event after the end. */
	#stale(): Verdict {
		const { engine } = this.#upstream;
		const last = this.#last;
		if (last instanceof GivenVerdict) {
			return last.again();
		}
		// Ended without any settle: nothing was decided, so nothing may follow.
		return new GivenVerdict(engine, engine.wasm.call_cancel(0, 0) >>> 0, this.#attempt, 0, null);
	}

	#readKey(): readonly string[] {
		const { engine } = this.#upstream;
		this.#key ??= engine.strings(engine.wasm.call_key(this.#handle) >>> 0);
		return this.#key;
	}

	#readHeaders(): Readonly<Record<string, string>> {
		const { engine } = this.#upstream;
		const strings = engine.strings(engine.wasm.call_headers(this.#handle) >>> 0);
		const headers: Record<string, string> = {};
		for (let i = 0; i + 1 < strings.length; i += 2) {
			headers[strings[i] ?? ''] = strings[i + 1] ?? '';
		}
		return headers;
	}
}

const NO_KEY: readonly string[] = [];

/** What `call_resume` answers besides the verdict of a call that is over. */
const LATER = 0;
const ADMITTED = 1;
