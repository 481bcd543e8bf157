/** What a bundler makes of the drop-in: rolldown, which Vite and tsdown are built on. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const here = fileURLToPath(new URL('bundled.js', import.meta.url));

/** The chunks of a script, for a browser. */
async function bundled(code) {
	const bundle = await rolldown({
		input: here,
		platform: 'browser',
		plugins: [
			{
				name: 'script',
				resolveId: (id) => (id === here ? id : null),
				load: (id) => (id === here ? code : null),
			},
		],
	});
	const { output } = await bundle.generate({ format: 'esm', minify: true });
	await bundle.close();
	return output.map(({ code, isEntry }) => ({ code, isEntry }));
}

/** A module inside the code: long base64, which begins as every module does. */
const hasWasm = ({ code }) => code.includes('AGFzbQEAAAA');

test('the drop-in alone brings no WebAssembly; strict mode would be fetched', async () => {
	const chunks = await bundled(
		"import axiosRetry, { isNetworkError } from 'retrywise/axios'; console.log(axiosRetry, isNetworkError);",
	);
	const [entry] = chunks.filter(({ isEntry }) => isEntry);
	assert.equal(hasWasm(entry), false);
	assert.doesNotMatch(entry.code, /WebAssembly/);
	assert.ok(entry.code.length < 6000, String(entry.code.length));
	assert.equal(chunks.filter(hasWasm).length, 1, 'in a chunk of its own');
});

test('the plugin brings it along', async () => {
	const chunks = await bundled("import { attach } from 'retrywise/axios'; console.log(attach);");
	assert.equal(chunks.length, 1);
	assert.ok(hasWasm(chunks[0]));
});
