/**
 * One build for each way to get at the module. They differ in one file: what `#wasm` stands for.
 *
 * | folder | the module comes from | for |
 * |---|---|---|
 * | `dist/node` | a file beside the code | Node, Bun |
 * | `dist/cli` | a file beside the code | the command `retrywise` |
 * | `dist/workerd` | the bundler, compiled | Cloudflare Workers |
 * | `dist/base64` | the code itself | everything else |
 * | `dist/slim` | the caller | who brings one |
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'tsdown';

const BASE64 = 'virtual:retrywise-wasm-base64';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Says what `#wasm` and `#strict` stand for, and puts the module in as text where the code asks for it. */
const module = (host) => ({
	name: 'retrywise-wasm',
	resolveId(id) {
		if (id === '#wasm') {
			return here(`src/entrypoints/${host}.ts`);
		}
		if (id === '#strict') {
			const when = host === 'base64' || host === 'workerd' ? 'later' : 'now';
			return here(`src/entrypoints/strict-${when}.ts`);
		}
		if (id.endsWith('retrywise_bg.wasm')) {
			// As seen from `dist/workerd`, which lies as deep as `src/entrypoints`.
			return { id: '../../wasm/retrywise_bg.wasm', external: true };
		}
		return id === BASE64 ? `\0${BASE64}` : null;
	},
	load(id) {
		if (id !== `\0${BASE64}`) {
			return null;
		}
		const bytes = readFileSync(here('wasm/retrywise_bg.wasm'));
		return `export default ${JSON.stringify(bytes.toString('base64'))};`;
	},
});

const build = (host, options = {}) => ({
	entry: {
		index: host === 'slim' ? 'src/slim.ts' : 'src/index.ts',
		axios: 'src/axios/index.ts',
		fetch: 'src/fetch/index.ts',
		got: 'src/got/index.ts',
		ky: 'src/ky/index.ts',
		otel: 'src/otel/index.ts',
		undici: 'src/undici/index.ts',
		...(host !== 'slim' && { dispatch: 'src/dispatch/index.ts', ledger: 'src/ledger/index.ts' }),
		// Files of their own, which a bundler leaves out where only the drop-in is used.
		...((host === 'base64' || host === 'workerd') && {
			attach: 'src/axios/attach.ts',
			dropin: 'src/axios/dropin.ts',
			hooks: 'src/axios/hooks.ts',
			verdicts: 'src/axios/verdicts.ts',
		}),
		...(host === 'node' && { internal: 'src/internal.ts', testing: 'src/testing/index.ts' }),
	},
	outDir: `dist/${host}`,
	format: ['esm', 'cjs'],
	target: 'es2022',
	platform: 'neutral',
	fixedExtension: false,
	hash: false,
	// `require('retrywise/axios').default`, as with axios-retry.
	outputOptions: {
		exports: 'named',
		// The bundler's own helpers lie in a file of their own: else an entry that needs none of them
		// loads whichever entry they were put into.
		codeSplitting: { groups: [{ name: 'runtime', test: /rolldown.runtime/ }] },
	},
	dts: false,
	plugins: [module(host)],
	logLevel: 'warn',
	...options,
});

export default defineConfig([
	build('node', { platform: 'node', dts: true }),
	build('node', {
		entry: { main: 'src/cli/main.ts' },
		outDir: 'dist/cli',
		format: ['esm'],
		platform: 'node',
	}),
	build('workerd', { format: ['esm'] }),
	build('base64'),
	build('slim', { dts: true }),
]);
