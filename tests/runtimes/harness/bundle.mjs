// Bundles of the project's entries, as applications ship them.

import { mkdirSync, writeFileSync } from 'node:fs';
import { build as esbuild } from 'esbuild';
import { build as vite } from 'vite';

/** Bundles `suite/NAME.mjs` with esbuild into the folder `out`. */
export function withEsbuild(project, name, out, options = {}) {
	return esbuild({
		absWorkingDir: project.folder,
		entryPoints: [`suite/${name}.mjs`],
		outdir: out,
		bundle: true,
		minify: true,
		format: 'esm',
		target: 'es2022',
		platform: 'browser',
		logLevel: 'error',
		...options,
	});
}

/** Builds a page around `suite/NAME.mjs` with Vite into the folder `out`, as `NAME.html`. */
export function withVite(project, name, out) {
	writePage(project, '.', name, { src: `./suite/${name}.mjs` });
	return vite({
		root: project.folder,
		configFile: false,
		logLevel: 'error',
		base: './',
		build: { outDir: out, emptyOutDir: true, rollupOptions: { input: project.at(`${name}.html`) } },
	});
}

/** Writes the page `FOLDER/NAME.html`, which loads one script. */
export function writePage(project, folder, name, { src, imports }) {
	mkdirSync(project.at(folder), { recursive: true });
	const map =
		imports === undefined ? '' : `<script type="importmap">${JSON.stringify({ imports })}</script>`;
	const head = `<meta charset="utf-8"><title>suite</title>${map}`;
	writeFileSync(
		project.at(`${folder}/${name}.html`),
		`<!doctype html>${head}<script type="module" src="${src}"></script>`,
	);
}
