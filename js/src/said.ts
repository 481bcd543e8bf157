/**
 * What a caller says about a call beside its request.
 *
 * @module
 */

import type { RequestFacts } from './types.ts';

/** The facts that no request shows. */
export type Said = Pick<
	RequestFacts,
	'key' | 'event' | 'priority' | 'idempotent' | 'replayableBody' | 'parent'
>;

/** These facts and no others; what was left out, or is undefined, stays out. */
export function said({ key, event, priority, idempotent, replayableBody, parent }: Said): Said {
	return {
		...(key !== undefined && { key }),
		...(event !== undefined && { event }),
		...(priority !== undefined && { priority }),
		...(idempotent !== undefined && { idempotent }),
		...(replayableBody !== undefined && { replayableBody }),
		...(parent !== undefined && { parent }),
	};
}
