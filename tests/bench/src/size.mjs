/**
 * How large what ships is, against its budget.
 *
 * `node src/size.mjs` prints the table; exit code 1 when something outgrew `size.json`.
 * `node src/size.mjs --write` makes today's sizes the budget: a growth is then a line in a diff.
 *
 * @module
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Compilers of two machines differ by that much; more is a change. */
const TOLERANCE = 1.02;

/** What the project aims for, in bytes. */
const TARGETS = {
	'full: glue + wasm': { brotli: 30_720 },
	'component.wasm': { raw: 81_920 },
	'raw.wasm': { raw: 24_576 },
	'slim.wasm': { brotli: 12_288 },
};

const BUDGET = fileURLToPath(new URL('../size.json', import.meta.url));
const top = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

function measure(...parts) {
	const sum = { raw: 0, gzip: 0, brotli: 0 };
	for (const part of parts) {
		sum.raw += part.length;
		sum.gzip += gzipSync(part, { level: 9 }).length;
		sum.brotli += brotliCompressSync(part, {
			params: {
				[constants.BROTLI_PARAM_QUALITY]: 11,
				[constants.BROTLI_PARAM_SIZE_HINT]: part.length,
			},
		}).length;
	}
	return sum;
}

/** A bundle as an application ships it. */
async function bundle(code, options = {}) {
	const { outputFiles } = await build({
		stdin: { contents: code, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
		bundle: true,
		minify: true,
		write: false,
		format: 'esm',
		platform: 'browser',
		target: 'es2022',
		logLevel: 'error',
		...options,
	});
	return Buffer.from(outputFiles[0].contents);
}

const minus = (a, b) => ({ raw: a.raw - b.raw, gzip: a.gzip - b.gzip, brotli: a.brotli - b.brotli });

async function sizes() {
	const rows = {};
	const wasm = (name) => readFileSync(top(`js/wasm/${name}`));
	for (const [name, file] of [
		['retrywise.wasm', 'retrywise_bg.wasm'],
		['slim.wasm', 'retrywise_slim.wasm'],
		['raw.wasm', 'retrywise_raw.wasm'],
		['ledger.wasm', 'retrywise_ledger.wasm'],
		['component.wasm', 'retrywise.component.wasm'],
	]) {
		if (existsSync(top(`js/wasm/${file}`))) {
			rows[name] = measure(wasm(file));
		}
	}
	// The caller's module: bundles of `slim` hold the code alone.
	const code = await bundle(`export * from 'retrywise/slim';`);
	const full = wasm('retrywise_bg.wasm');
	rows['full: glue'] = measure(code);
	rows['full: glue + wasm'] = measure(code, full);
	rows['full: one file, wasm as base64'] = measure(await bundle(`export * from 'retrywise';`));
	rows['nowasm: one file, plain JavaScript'] = measure(
		await bundle(`export * from 'retrywise/nowasm';`),
	);
	const axios = `import axios from 'axios'; export const client = axios.create();`;
	const alone = measure(await bundle(axios));
	const grown = async (more) => minus(measure(await bundle(axios + more)), alone);
	rows['axios grows by axios-retry'] = await grown(
		`import retry from 'axios-retry'; retry(client);`,
	);
	const attach = (path) =>
		`import { attach } from '${path}'; attach(client, {});`;
	rows['axios grows by attach(), module apart'] = await grown(attach('retrywise/slim/axios'));
	rows['axios grows by attach(), module inside'] = await grown(attach('retrywise/axios'));
	return rows;
}

const rows = await sizes();
if (process.argv.includes('--write')) {
	writeFileSync(BUDGET, `${JSON.stringify(rows, null, '\t')}\n`);
}
const budget = existsSync(BUDGET) ? JSON.parse(readFileSync(BUDGET, 'utf8')) : {};
let outgrown = 0;
console.log(`${'bytes'.padEnd(40)}${'raw'.padStart(9)}${'gzip'.padStart(9)}${'brotli'.padStart(9)}   budget, target`);
for (const [name, size] of Object.entries(rows)) {
	const notes = [];
	const allowed = budget[name];
	if (allowed === undefined) {
		notes.push('no budget yet: --write makes it one');
	} else {
		for (const unit of ['raw', 'gzip', 'brotli']) {
			if (size[unit] > allowed[unit] * TOLERANCE) {
				notes.push(`${unit} was ${allowed[unit]}: OUTGROWN`);
				outgrown += 1;
			}
		}
	}
	for (const [unit, target] of Object.entries(TARGETS[name] ?? {})) {
		const met = size[unit] <= target;
		notes.push(`${met ? '✓' : '✗'} ${unit} target ${target}${met ? '' : `, ${(size[unit] / target).toFixed(2)} ×`}`);
	}
	const cells = ['raw', 'gzip', 'brotli'].map((unit) => String(size[unit]).padStart(9)).join('');
	console.log(`${name.padEnd(40)}${cells}   ${notes.join('; ') || '✓'}`);
}
if (outgrown > 0) {
	console.log(`${outgrown} above the budget: shrink it, or run \`cargo xtask size --write\` and say why in the commit`);
}
process.exitCode = outgrown > 0 ? 1 : 0;
