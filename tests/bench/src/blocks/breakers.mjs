/**
 * A breaker: admit a call, record how it ended.
 *
 * @module
 */

import * as cockatiel from 'cockatiel';
import Opossum from 'opossum';
import { clock, createUpstream } from './ours.mjs';

async function breaker(open) {
	const upstream = createUpstream(
		{ breaker: { kind: 'consecutive', failures: 3, openMs: 3_600_000 }, budget: null, maxRetries: 0 },
		{ clock, seed: 7 },
	);
	const theirs = cockatiel.circuitBreaker(cockatiel.handleAll, {
		halfOpenAfter: 3_600_000,
		breaker: new cockatiel.ConsecutiveBreaker(3),
	});
	let fails = open;
	const work = async () => {
		if (fails) {
			throw new Error('down');
		}
		return 1;
	};
	const opossum = new Opossum(work, { timeout: false, resetTimeout: 3_600_000, volumeThreshold: 0 });
	if (open) {
		for (let i = 0; i < 5; i += 1) {
			const { admitted, call } = upstream.begin();
			if (admitted) {
				call.settle({ status: 503 });
			}
			await theirs.execute(work).catch(() => 0);
			await opossum.fire().catch(() => 0);
		}
	}
	fails = false;
	const none = () => 0;
	const ok = { status: 200 };
	// As its users write it: the work is asynchronous, whatever the breaker is.
	const guarded = async () => {
		const { admitted, call } = upstream.begin();
		if (!admitted) {
			throw new Error('open');
		}
		const value = await work();
		call.settle(ok);
		return value;
	};
	const unguarded = async () => {
		if (open) {
			throw new Error('open');
		}
		return await work();
	};
	const each = (one) => async (count) => {
		for (let i = 0; i < count; i += 1) {
			await one().catch(none);
		}
	};
	return {
		name: `breaker: admit + record, ${open ? 'open' : 'closed'}`,
		ours: 'retrywise',
		targets: { cockatiel: 0.3, opossum: 0.3 },
		asynchronous: true,
		contestants: {
			retrywise: each(guarded),
			cockatiel: each(() => theirs.execute(work)),
			opossum: each(() => opossum.fire()),
			'floor: the promises by themselves': each(unguarded),
		},
	};
}

export const blocks = [() => breaker(false), () => breaker(true)];
