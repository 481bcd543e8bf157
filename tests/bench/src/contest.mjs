/**
 * The contests of one runtime: `node --expose-gc src/contest.mjs [--quick] [--some]`. Its last line
 * is what was found, as JSON. `--some` leaves all but the decisions and the delay out.
 *
 * @module
 */

import { race, raceAsync } from './measure.mjs';

const has = (flag) => process.argv.includes(flag);
const quick = has('--quick');
const sync = quick ? { rounds: 3, ms: 2 } : { rounds: 15, ms: 30 };
const waiting = quick ? { rounds: 3, ms: 4 } : { rounds: 15, ms: 60 };

const groups = has('--some')
	? ['decisions']
	: ['decisions', 'breakers', 'clients', 'crowd'];
const found = [];
for (const group of groups) {
	const { blocks } = await import(`./blocks/${group}.mjs`);
	for (const make of blocks) {
		for (const block of [await make(quick)].flat()) {
			const { name, ours, floor, targets, contestants, batch, unit = 'ns' } = block;
			const times =
				block.times ??
				(block.asynchronous
					? await raceAsync(contestants, waiting)
					: race(contestants, { ...sync, batch }));
			found.push({ name, ours, floor, targets, unit, times });
		}
	}
}
console.log(JSON.stringify(found));
