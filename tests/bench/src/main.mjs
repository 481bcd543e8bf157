/**
 * The JavaScript side against its peers, in one run: `node --expose-gc src/main.mjs [--quick]`.
 * Prints each figure with its ratio, target and mark; writes `results.json`.
 *
 * @module
 */

import { writeFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { blocks } from './blocks.mjs';
import { median, race, raceAsync, ratio } from './measure.mjs';

const quick = process.argv.includes('--quick');
const sync = quick ? { rounds: 3, ms: 4 } : { rounds: 15, ms: 40 };
const waiting = quick ? { rounds: 3, count: 200 } : { rounds: 9, count: 1_500 };

const results = [];
for await (const block of blocks(quick)) {
	const { name, ours, target, contestants, asynchronous, unit = 'ns' } = block;
	const times =
		block.times ??
		(asynchronous ? await raceAsync(contestants, waiting) : race(contestants, sync));
	console.log(`\n${name}`);
	const absolute = Object.fromEntries(
		Object.entries(times).map(([who, values]) => [who, median(values)]),
	);
	for (const [who, value] of Object.entries(absolute)) {
		console.log(`  ${who.padEnd(34)}${value.toFixed(1).padStart(12)} ${unit}`);
	}
	for (const peer of Object.keys(times).filter((who) => who !== ours)) {
		const against = ratio(times, ours, peer);
		const wanted = typeof target === 'object' ? target[peer] : target;
		const met = wanted === undefined ? undefined : against.ratio <= wanted;
		const mark = met === undefined ? '' : met ? `  ✓ ≤ ${wanted}` : `  ✗ > ${wanted}`;
		const [low, high] = against.spread.map((value) => value.toFixed(3));
		console.log(`  ratio to ${peer.padEnd(25)}${against.ratio.toFixed(3).padStart(12)} (${low} to ${high})${mark}`);
		results.push({ name, ours, peer, unit, absolute, ...against, target: wanted, met });
	}
}

const missed = results.filter(({ met }) => met === false).length;
console.log(`\n${results.length} ratios, ${missed} above their target`);
if (!quick) {
	writeFileSync(
		fileURLToPath(new URL('../results.json', import.meta.url)),
		`${JSON.stringify({ node: process.version, cpu: os.cpus()[0]?.model, results }, null, '\t')}\n`,
	);
}
