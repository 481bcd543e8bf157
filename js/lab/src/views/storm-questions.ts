/**
 * What the storm asks the core.
 *
 * @module
 */

import type { StormReport } from '../../../src/simulator/simulator.ts';
import { desk } from '../engine.ts';
import type { Page } from '../page.ts';
import { TACTICS, YOURS } from '../state.ts';

/** Open times of the breaker that are compared: the first one, and the longest. */
export const VARIANTS: readonly (readonly [openMs: number, maxOpenMs: number])[] = [
	[5000, 60_000],
	[2000, 10_000],
	[1000, 4000],
	[500, 1000],
];

/** Reports by the name of the policy. */
export type Storms = Map<string, StormReport>;

/** Documents by the name that the core gives them. */
export interface Documents {
	readonly presets: ReadonlyMap<string, string>;
	readonly tactics: ReadonlyMap<string, string>;
}

/** The documents to start from. */
export async function documents(retries: number): Promise<Documents> {
	type Named = readonly { readonly name: string; readonly policy: string }[];
	const found = await desk.ask<{ presets: Named; tactics: Named }>({
		experiment: 'documents',
		retries,
	});
	const map = (list: Named) => new Map(list.map(({ name, policy }) => [name, policy]));
	return { presets: map(found.presets), tactics: map(found.tactics) };
}

/** The name of a variant of the breaker. */
export function variantName([openMs, maxOpenMs]: readonly [number, number]): string {
	return `breaker ${openMs} ${maxOpenMs}`;
}

/** Every question of the storm with the name of its policy, what is looked at first in front. */
export function questions(
	{ state, policy }: Page,
	{ tactics }: Documents,
): (readonly [name: string, question: Readonly<Record<string, unknown>>])[] {
	const { retries, ...terms } = state.storm;
	const storm = { experiment: 'storm', ...terms };
	const all: [string, Readonly<Record<string, unknown>>][] = TACTICS.map((tactic) => [
		tactic,
		{ ...storm, retries, tactic },
	]);
	if (policy !== null) {
		all.push([YOURS, { ...storm, policy }]);
	}
	for (const name of [state.right, state.left]) {
		const at = all.findIndex(([known]) => known === name);
		all.unshift(...all.splice(at, at < 0 ? 0 : 1));
	}
	const breaker = JSON.parse(tactics.get('breaker') ?? '{}');
	for (const variant of VARIANTS) {
		const [openMs, maxOpenMs] = variant;
		const document = { ...breaker, breaker: { ...breaker.breaker, openMs, maxOpenMs } };
		all.push([variantName(variant), { ...storm, policy: JSON.stringify(document) }]);
	}
	return all;
}
