import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { chaos, STORES } from '../src/chaos.mjs';

const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);

/** Runs, prints what the run says, and gives it back with its last line's figures. */
async function run(options) {
	const lines = [];
	const isWell = await chaos({
		calls: 1000,
		seed: SEED,
		workers: 3,
		...options,
		print: (line) => lines.push(line),
	});
	const said = lines.join('\n');
	console.log(said);
	const figure = (name) => Number(new RegExp(`${name} (\\d+)`).exec(lines.at(-1))?.[1]);
	return { isWell, said, figure };
}

// All of them spend most of their time waiting for leases to run out.
describe('workers that are killed while the vendor fails', { concurrency: true }, () => {
	for (const store of STORES) {
		it(`do nothing twice and lose nothing, on ${store}`, async () => {
			const { isWell, said, figure } = await run({ stores: [store], calls: 2000 });
			assert.ok(isWell, said);
			assert.equal(figure('duplicates'), 0);
			assert.equal(figure('lost'), 0);
			assert.ok(figure('effects') > 1000, said);
			assert.ok(figure('attempts') > figure('effects'), 'some were repeated');
			assert.ok(figure('killed workers') >= 4, said);
		});
	}
});

describe('the same with something broken on purpose', { concurrency: true }, () => {
	for (const [sabotage, what] of [
		['skip-claim', 'duplicates'],
		['repeat-ambiguous', 'repeated'],
		['forget', 'lost'],
	]) {
		it(`is found out: ${sabotage}`, async () => {
			const { isWell, said, figure } = await run({
				stores: ['sqlite'],
				vendors: [false],
				calls: 400,
				workers: 2,
				sabotage,
				// Both workers get everything: without a claim that counts, both send it.
				toldTwice: 1000,
			});
			assert.equal(isWell, false, said);
			assert.ok(figure(what) > 0, said);
			if (sabotage !== 'forget') {
				assert.ok(figure('duplicates') > 0, said);
			}
		});
	}
});
