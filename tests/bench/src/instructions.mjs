/**
 * Instructions of the native hot paths, counted by callgrind: the same on a busy machine.
 *
 * `node src/instructions.mjs BINARY [--write]` compares with `instructions.json`; a change of more
 * than 5 % either way is an exit code of 1, so that it is noticed and written down.
 *
 * @module
 */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const NOTICED = 0.05;
const TIMES = 1_000;
const FIGURES = ['decide', 'http-date', 'breaker'];
const KEPT = fileURLToPath(new URL('../instructions.json', import.meta.url));

const [binary] = process.argv.slice(2);

function count(figure) {
	const { stderr, error } = spawnSync(
		'valgrind',
		['--tool=callgrind', '--callgrind-out-file=/dev/null', binary, '--callgrind', figure],
		{ encoding: 'utf8' },
	);
	const found = /Collected : (\d+)/.exec(stderr ?? '');
	if (error || found === null) {
		console.log(`instructions: passed over, valgrind did not count: ${error?.message ?? stderr}`);
		process.exit(0);
	}
	return Number(found[1]);
}

const start = count('nothing');
const counts = Object.fromEntries(
	FIGURES.map((figure) => [figure, Math.round((count(figure) - start) / TIMES)]),
);
if (process.argv.includes('--write')) {
	writeFileSync(KEPT, `${JSON.stringify(counts, null, '\t')}\n`);
}
const kept = existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, 'utf8')) : {};
let changed = 0;
console.log('instructions, native');
for (const [figure, now] of Object.entries(counts)) {
	const change = now / (kept[figure] ?? Number.NaN) - 1;
	const quiet = Math.abs(change) <= NOTICED;
	changed += quiet ? 0 : 1;
	console.log(
		`  ${figure.padEnd(24)}${String(now).padStart(10)}  ${quiet ? '✓' : '✗'} ${(change * 100).toFixed(1)} % since it was kept`,
	);
}
process.exitCode = changed > 0 ? 1 : 0;
