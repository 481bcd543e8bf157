/**
 * One build for each way to get at the modules. They differ in what the `#` names stand for: `#wasm`
 * and `#instance` for the module that decides, `#wasm-ledger` and `#instance-ledger` for the one that
 * keeps a ledger.
 *
 * | folder | the module comes from | for |
 * |---|---|---|
 * | `dist/node` | a file beside the code | Node, Bun |
 * | `dist/cli` | a file beside the code | the command `retrywise` |
 * | `dist/workerd` | the bundler, compiled | Cloudflare Workers |
 * | `dist/edge` | the same, asked for as `.wasm?module` | edge runtimes as Vercel's and Next's |
 * | `dist/base64` | the code itself | everything else |
 * | `dist/slim` | the caller | who brings one |
 * | `dist/nowasm` | there is none: the same in plain JavaScript | hosts without WebAssembly, or that forbid it |
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { minifySync } from 'rolldown/utils';
import { defineConfig } from 'tsdown';

const BASE64 = 'virtual:retrywise-wasm-base64';
const NOWASM = 'virtual:retrywise-nowasm';

/** Hosts that fetch what lies inside the code only when it is asked for. */
const LATER = new Set(['base64', 'edge', 'nowasm', 'workerd']);

/** Modules as text, by the name that the code asks for. */
const TEXTS = {
	[BASE64]: 'wasm/retrywise_bg.wasm',
	[`${BASE64}/ledger`]: 'wasm/retrywise_ledger.wasm',
};

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Says what the `#` names stand for, and puts the module in as text where the code asks for it. */
const module = (host) => ({
	name: 'retrywise-wasm',
	resolveId(id) {
		const loader = host === 'edge' ? 'workerd' : host;
		const way = host === 'nowasm' ? 'nowasm' : 'wasm';
		switch (id) {
			case '#instance':
				return here(`src/entrypoints/instance-${way}.ts`);
			case '#instance-ledger':
				return here(`src/entrypoints/instance-ledger-${way}.ts`);
			case '#wasm':
				return here(`src/entrypoints/${loader}.ts`);
			case '#wasm-ledger':
				return here(`src/entrypoints/ledger-${loader}.ts`);
			case '#strict':
				return here(`src/entrypoints/strict-${LATER.has(host) ? 'later' : 'now'}.ts`);
			case NOWASM:
				return `\0${id}`;
		}
		if (id.endsWith('.wasm')) {
			// As seen from `dist/workerd`, which lies as deep as `src/entrypoints`.
			const query = host === 'edge' ? '?module' : '';
			return { id: `${id}${query}`, external: true };
		}
		return id in TEXTS ? `\0${id}` : null;
	},
	load(id) {
		if (id === `\0${NOWASM}`) {
			// Nobody reads it: short names, and what the translator left over goes.
			const code = readFileSync(here('wasm/retrywise_nowasm.js'), 'utf8');
			return minifySync('nowasm.js', code).code;
		}
		const file = TEXTS[id.replace('\0', '')];
		if (file === undefined) {
			return null;
		}
		const bytes = readFileSync(here(file));
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
		...(LATER.has(host) && {
			attach: 'src/axios/attach.ts',
			dropin: 'src/axios/dropin.ts',
			hooks: 'src/axios/hooks.ts',
			verdicts: 'src/axios/verdicts.ts',
		}),
		...(host === 'node' && { testing: 'src/testing/index.ts' }),
		...((host === 'node' || host === 'nowasm') && { internal: 'src/internal.ts' }),
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
	// CommonJS, which no page loads by itself; inside it comes in either format. Found by its `main`,
	// which a neutral platform does not ask for.
	deps: { alwaysBundle: ['canonicalize'] },
	inputOptions: { resolve: { mainFields: ['module', 'main'] } },
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
	build('edge', { format: ['esm'] }),
	build('base64'),
	build('nowasm'),
	build('slim', { dts: true }),
]);
