/** Durable Objects in workerd, and what reaches the store in one of them from another process. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import { Miniflare } from 'miniflare';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The Worker as one module, beside the compiled ones of the package. */
async function modules() {
	const { rolldown } = createRequire(here('../../../js/package.json'))('rolldown');
	const bundle = await rolldown({
		input: here('object-worker.mjs'),
		external: [/\.wasm$/, 'cloudflare:workers'],
		platform: 'browser',
	});
	const { output } = await bundle.generate({ codeSplitting: false });
	await bundle.close();
	// Wherever they lie: to workerd they are modules of these names.
	const names = new Set();
	const code = output[0].code.replace(/(['"])[^'"]*?(\w+\.wasm)\1/g, (_, quote, name) => {
		names.add(name);
		return `${quote}./${name}${quote}`;
	});
	const compiled = [...names].map((path) => ({
		type: 'CompiledWasm',
		path,
		contents: readFileSync(here(`../../../js/wasm/${path}`)),
	}));
	return [{ type: 'ESModule', path: 'worker.mjs', contents: code }, ...compiled];
}

/** Starts workerd; what its objects write is kept in `folder`. */
export async function startObjects(folder) {
	const miniflare = new Miniflare({
		modules: await modules(),
		compatibilityDate: '2026-04-01',
		cf: false,
		host: '127.0.0.1',
		port: 0,
		durableObjects: { LEDGER: { className: 'KeepsLedger', useSQLite: true } },
		durableObjectsPersist: folder,
	});
	const url = String(await miniflare.ready);
	return { url, stop: () => miniflare.dispose() };
}

/** Asks the object of this name. */
export async function ask({ url, name }, method, ...args) {
	const response = await fetch(`${url}${encodeURIComponent(name)}/${method}`, {
		method: 'POST',
		body: JSON.stringify(args),
	});
	const answer = await response.json();
	if (!response.ok) {
		throw new Error(answer.message);
	}
	return answer;
}

/** For a worker's process as well: the store in the object of this name. */
export function open(address) {
	const methods = ['get', 'write', 'trail', 'list', 'due', 'purge'];
	return Object.fromEntries(
		methods.map((method) => [method, (...args) => ask(address, method, ...args)]),
	);
}
