/**
 * Verdicts and refusals, as the module's words and slots tell them.
 *
 * @module
 */

import { type Engine, engine } from './engine.ts';
import { slot } from './exports.ts';
import type {
	Basis,
	BreakerState,
	BreakerTransition,
	Class,
	Delivery,
	Language,
	Reason,
	Verdict,
	VerdictKind,
} from './types.ts';

const STALE = 2 ** 28;

export class GivenVerdict implements Verdict {
	readonly kind: VerdictKind;
	readonly attempt: number;
	readonly delayMs: number;
	readonly reason: Reason;
	readonly hintMs: number | null;
	readonly hintSource: string | null;
	readonly class: Class;
	readonly delivery: Delivery;
	readonly basis: Basis;
	readonly transition: BreakerTransition | null;
	readonly sustainedThrottling: boolean;
	readonly stale: boolean;

	constructor(
		engine: Engine,
		word: number,
		attempt: number,
		delayMs: number,
		hintMs: number | null,
		transition: BreakerTransition | null = null,
		sustainedThrottling = false,
	) {
		this.transition = transition;
		this.sustainedThrottling = sustainedThrottling;
		const source = (word >>> 10) & 31;
		this.kind = engine.kinds.name(word & 3) as VerdictKind;
		this.attempt = attempt;
		this.delayMs = delayMs;
		this.reason = engine.reasons.name((word >>> 2) & 255);
		this.hintMs = hintMs;
		this.hintSource = source === 0 ? null : engine.sources.name(source);
		this.class = engine.classes.name((word >>> 15) & 7) as Class;
		this.delivery = engine.deliveries.name((word >>> 18) & 3) as Delivery;
		this.basis = engine.bases.name((word >>> 20) & 7) as Basis;
		this.stale = (word & STALE) !== 0;
	}

	explain(language: Language = 'en'): string {
		const module = engine();
		const length = module.wasm.explain(
			module.reasons.code(this.reason) ?? 0,
			0,
			this.attempt,
			this.delayMs,
			this.hintMs ?? -1,
			-1,
			module.languages.code(language) ?? 0,
		);
		return module.text(length >>> 0);
	}

	/** The same, given again: what was told once is not told again. */
	again(): Verdict {
		const told = { transition: null, sustainedThrottling: false, stale: true };
		return Object.assign(Object.create(GivenVerdict.prototype), this, told);
	}
}

export function refusal(engine: Engine): {
	readonly reason: Reason;
	readonly retryInMs: number | null;
} {
	return {
		reason: engine.reasons.name(engine.output(slot.reason)),
		retryInMs: orNull(engine.output(slot.retryIn)),
	};
}

/** A refusal in the form of a verdict, for who is told of both: a stop before the first attempt. */
export function refusalVerdict(
	{ engine }: { readonly engine: Engine },
	reason: Reason,
	retryInMs: number | null,
): Verdict {
	return {
		kind: 'stop',
		attempt: 0,
		delayMs: 0,
		reason,
		hintMs: null,
		hintSource: null,
		class: 'transient',
		delivery: 'not_processed',
		basis: 'none',
		transition: null,
		sustainedThrottling: false,
		stale: false,
		explain(language: Language = 'en'): string {
			const { wasm, reasons, languages } = engine;
			const [code, said] = [reasons.code(reason) ?? 0, languages.code(language) ?? 0];
			return engine.text(wasm.explain(code, 1, 0, 0, -1, retryInMs ?? -1, said) >>> 0);
		},
	};
}

/** The change of the breaker in a slot. */
export function transitionOf({ breakerStates }: Engine, change: number): BreakerTransition | null {
	const name = (code: number): BreakerState => breakerStates.name(code) as BreakerState;
	return change < 0 ? null : { from: name(change >>> 8), to: name(change & 255) };
}

/** The module's −1 stands for "none". */
export function orNull(ms: number): number | null {
	return ms < 0 ? null : ms;
}
