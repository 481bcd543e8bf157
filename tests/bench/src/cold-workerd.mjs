/**
 * The same in workerd, where a module comes compiled and compiling bytes is forbidden: how long an
 * instance takes, the mean of a hundred, since the clock there does not show a single one.
 *
 * @module
 */

import { readFileSync } from 'node:fs';
import { Miniflare } from 'miniflare';

const WORKER = `
import module from './retrywise_bg.wasm';

const imports = {};
for (const { module: from, name } of WebAssembly.Module.imports(module)) {
	(imports[from] ??= {})[name] = () => {};
}
const COUNT = 100;

export default {
	fetch() {
		const start = performance.now();
		for (let i = 0; i < COUNT; i += 1) {
			new WebAssembly.Instance(module, imports);
		}
		return Response.json({ 'instantiate a compiled module': (performance.now() - start) / COUNT });
	},
};`;

/** The parts, in milliseconds. */
export async function coldWorkerd() {
	const bytes = readFileSync(new URL('../../../js/wasm/retrywise_bg.wasm', import.meta.url));
	const miniflare = new Miniflare({
		modules: [
			{ type: 'ESModule', path: 'worker.mjs', contents: WORKER },
			{ type: 'CompiledWasm', path: 'retrywise_bg.wasm', contents: bytes },
		],
		compatibilityDate: '2026-04-01',
		cf: false,
	});
	try {
		const response = await miniflare.dispatchFetch('http://worker/');
		return await response.json();
	} finally {
		await miniflare.dispose().catch(() => {});
	}
}
