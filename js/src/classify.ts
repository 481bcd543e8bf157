/**
 * What can be asked without a call: the meaning of an outcome, the wait that an answer asks for.
 *
 * @module
 */

import { type Engine, engine } from './engine.ts';
import { slot } from './exports.ts';
import { encodeAnswer, encodeOutcome } from './outcome.ts';
import { keepPolicy, looksFor } from './policy.ts';
import type {
	AnswerFacts,
	Basis,
	Class,
	Classification,
	ClassifyOptions,
	Delivery,
	HintOptions,
	Outcome,
	RetryHint,
} from './types.ts';
import { orNull } from './upstream.ts';

const KEY_SENT = 4;
const VETO = 2 ** 29;

/**
 * What an outcome means. With neither status nor error nothing is known: transient, perhaps
 * processed.
 *
 * @throws {PolicyError} when a policy is given that is none
 */
export function classify(outcome: Outcome, options: ClassifyOptions = {}): Classification {
	const module = engine();
	const profile = profileOf(module, options.profile);
	const kept = options.policy === undefined ? undefined : keepPolicy(module, options.policy);
	const policy = kept?.handle ?? 0;
	try {
		const { places } = looksFor(module, policy, profile);
		const { flags, status, error } = encodeOutcome(module, outcome ?? {}, places);
		const word = module.wasm.classify(
			options.keySent === true ? flags | KEY_SENT : flags,
			status,
			error,
			wallOf(options.wall),
			policy,
			profile,
			module.input.length,
		);
		const source = (word >>> 10) & 31;
		return {
			class: module.classes.name((word >>> 15) & 7) as Class,
			delivery: module.deliveries.name((word >>> 18) & 3) as Delivery,
			basis: module.bases.name((word >>> 20) & 7) as Basis,
			reason: module.signals.name((word >>> 23) & 31),
			hintMs: orNull(module.output(slot.hint)),
			hintSource: source === 0 ? null : module.sources.name(source),
			veto: (word & VETO) !== 0,
		};
	} finally {
		kept?.release();
	}
}

/** The wait that an answer asks for, unbounded by any policy; null if it asks for none. */
export function retryHint(answer: AnswerFacts, options: HintOptions = {}): RetryHint | null {
	const module = engine();
	const profile = profileOf(module, options.profile);
	const { places } = looksFor(module, 0, profile);
	const status = encodeAnswer(module, answer ?? {}, places);
	const { wasm, input } = module;
	const source = wasm.hint(status, wallOf(options.wall), profile, input.length);
	return source === 0
		? null
		: { hintMs: module.output(slot.hint), source: module.sources.name(source) };
}

/** The number of a vendor profile; 0 for none and for one that is unknown. */
function profileOf(module: Engine, id: string | undefined): number {
	if (id === undefined || !module.input.document(id)) {
		return 0;
	}
	return module.wasm.profile_find(module.input.length) >>> 0;
}

/** The wall clock; NaN stands for none. */
function wallOf(wall: number | null | undefined): number {
	return wall === undefined ? Date.now() : (wall ?? Number.NaN);
}
