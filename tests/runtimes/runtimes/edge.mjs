// An edge runtime as Next and Vercel have it: a script without modules, no compiling of text or of
// WebAssembly; what is imported as `.wasm?module` is compiled beforehand and handed over.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { EdgeRuntime } from 'edge-runtime';
import { withEsbuild } from '../harness/bundle.mjs';

const require = createRequire(import.meta.url);

/** Runs the suite as an edge function. */
export async function edge({ project, lab, report, isWanted }) {
	const name = `edge-runtime ${require('edge-runtime/package.json').version}, WebAssembly as a module`;
	if (!isWanted(name)) {
		return;
	}
	try {
		const compiled = {};
		await withEsbuild(project, 'edge', 'edge', {
			format: 'iife',
			conditions: ['edge-light', 'worker', 'browser'],
			plugins: [handsOver(compiled)],
		});
		const runtime = new EdgeRuntime({
			codeGeneration: { strings: false, wasm: false },
			extend: (context) => Object.assign(context, compiled),
			initialCode: readFileSync(project.at('edge/edge.js'), 'utf8'),
		});
		const response = await runtime.dispatchFetch(
			`http://edge/?url=${encodeURIComponent(lab.door)}`,
		);
		report.add(name, await response.json());
	} catch (error) {
		report.broke(name, error);
	}
}

/** What Next's loader does with `import module from 'x.wasm?module'`: a global for each. */
function handsOver(compiled) {
	return {
		name: 'wasm-module',
		setup(build) {
			build.onResolve({ filter: /\.wasm\?module$/ }, ({ path, resolveDir }) => ({
				path: join(resolveDir, path.replace(/\?module$/, '')),
				namespace: 'wasm-module',
			}));
			build.onLoad({ filter: /./, namespace: 'wasm-module' }, ({ path }) => {
				const name = `wasm_${basename(path, '.wasm')}`;
				compiled[name] = new WebAssembly.Module(readFileSync(path));
				return { contents: `export default globalThis.${name};` };
			});
		},
	};
}
