/**
 * The same in workerd, where a module comes compiled and compiling bytes is forbidden: how long an
 * instance takes, of a hundred in a row since the clock there is coarse, and the first one by itself.
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
const milliseconds = (count) => {
	const start = performance.now();
	for (let i = 0; i < count; i += 1) {
		new WebAssembly.Instance(module, imports);
	}
	return (performance.now() - start) / count;
};

export default {
	fetch() {
		const first = milliseconds(1);
		return Response.json({ 'instantiate a compiled module': first, 'instantiate, mean of 100': milliseconds(100) });
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
