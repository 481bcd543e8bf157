/**
 * The JavaScript side against its peers: `node src/main.mjs [--quick] [--with FILE]…`.
 *
 * Every contest runs in a process of its runtime; so does every cold start. Prints each figure with
 * its ratio, target and mark, and writes `results.json`, with what other parts left in each FILE.
 * Nothing here fails because of a figure.
 *
 * @module
 */

import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { coldWorkerd } from './cold-workerd.mjs';
import { median, ratio } from './measure.mjs';
import { ask, runtimes } from './runtimes.mjs';

const quick = process.argv.includes('--quick');
const PROCESSES = quick ? 2 : 9;
/** How long an instance of a compiled module may take, in milliseconds. */
const INSTANCE_MS = 1;

const results = { cpu: os.cpus()[0]?.model, ratios: [], coldStarts: [], ...otherParts() };

for (const runtime of runtimes()) {
	console.log(`\n══ ${runtime.shown}`);
	const words = [...(quick ? ['--quick'] : []), ...(runtime.some ? ['--some'] : [])];
	for (const contest of ask(runtime, './contest.mjs', ...words)) {
		show(runtime.shown, contest);
	}
	const starts = Array.from({ length: PROCESSES }, () => ask(runtime, './cold.mjs'));
	showStarts(runtime.shown, starts);
}
try {
	const start = await coldWorkerd();
	console.log('\n══ workerd');
	showStarts('workerd', [start]);
} catch (error) {
	console.log(`\nworkerd: passed over, ${error.message}`);
}

const judged = [...results.ratios, ...results.coldStarts].filter(({ met }) => met !== undefined);
const missed = judged.filter(({ met }) => !met).length;
console.log(`\n${judged.length} figures with a target, ${missed} above it`);
if (!quick) {
	writeFileSync(
		fileURLToPath(new URL('../results.json', import.meta.url)),
		`${JSON.stringify(results, null, '\t')}\n`,
	);
}

/** What the parts before this one have left, by name: `--with FILE` each. */
function otherParts() {
	const files = process.argv.filter((_, at) => process.argv[at - 1] === '--with');
	return Object.fromEntries(
		files.map((file) => [basename(file, '.json'), JSON.parse(readFileSync(file, 'utf8'))]),
	);
}

/** One contest: absolute figures, then the ratio to each peer. */
function show(runtime, { name, ours, floor, targets, unit, times }) {
	console.log(`\n${name}`);
	for (const [who, by] of Object.entries(times)) {
		const figures = Object.entries(by).map(
			([what, values]) => `${median(values).toFixed(1).padStart(10)} ${unit} ${what}`,
		);
		console.log(`  ${who.padEnd(38)}${figures.join('  ')}`);
	}
	for (const peer of Object.keys(times).filter((who) => who !== ours)) {
		const target = targets[peer];
		for (const by of Object.keys(times[ours])) {
			const against = ratio(times, ours, peer, by);
			// The wall clock of a busy machine is told, not judged.
			const met = target === undefined || by === 'wall' ? undefined : against.ratio <= target;
			const mark = met === undefined ? '' : met ? `  ✓ ≤ ${target}` : `  ✗ > ${target}`;
			const [low, high] = against.spread.map((value) => value.toFixed(3));
			const figure = `${against.ratio.toFixed(3).padStart(10)} (${low} to ${high})`;
			console.log(`  ratio to ${peer.padEnd(38)}${figure} ${by}${mark}`);
			const mine = median(times[ours][by]);
			// What nothing in our place could be cheaper than, beside the same peer.
			const least =
				target === undefined || floor === undefined
					? undefined
					: ratio(times, floor, peer, by).ratio;
			if (least !== undefined) {
				console.log(`    the floor by itself${least.toFixed(3).padStart(37)} ${by}`);
			}
			results.ratios.push({
				runtime,
				name,
				ours,
				peer,
				by,
				unit,
				mine,
				...against,
				target,
				met,
				floor: least,
			});
		}
	}
}

/** The parts of cold starts, the median of several processes. */
function showStarts(runtime, starts) {
	console.log(`\ncold start, median of ${starts.length}`);
	for (const part of Object.keys(starts[0])) {
		const ms = median(starts.map((start) => start[part]));
		const target = part === 'instantiate a compiled module' ? INSTANCE_MS : undefined;
		const met = target === undefined ? undefined : ms <= target;
		const mark = met === undefined ? '' : met ? `  ✓ ≤ ${target}` : `  ✗ > ${target}`;
		console.log(`  ${part.padEnd(52)}${ms.toFixed(3).padStart(10)} ms${mark}`);
		results.coldStarts.push({ runtime, part, ms, target, met });
	}
}
