/**
 * A cold start, once: `node src/cold.mjs`. From the module's bytes to the first decision, each part in
 * milliseconds; its last line is JSON.
 *
 * @module
 */

import { readFileSync } from 'node:fs';

const top = (path) => new URL(`../../../js/${path}`, import.meta.url);
const parts = {};

async function part(name, run) {
	const start = performance.now();
	const result = await run();
	parts[name] = performance.now() - start;
	return result;
}

const bytes = readFileSync(top('wasm/retrywise_bg.wasm'));
const module = await part('compile', () => new WebAssembly.Module(bytes));
const imports = {};
for (const { module: from, name } of WebAssembly.Module.imports(module)) {
	imports[from] ??= {};
	imports[from][name] = () => {};
}
await part('instantiate a compiled module', () => new WebAssembly.Instance(module, imports));
await part('compile and instantiate from bytes', () => WebAssembly.instantiate(bytes, imports));
const { createUpstream } = await part('import the package', () => import(top('dist/node/index.js')));
await part('first use: module, tables, policy, call, decision', () => {
	const { call } = createUpstream({}, { seed: 7 }).begin({ method: 'GET' });
	return call.settle({ status: 503 });
});
console.log(JSON.stringify(parts));
