/**
 * The lab page: static files in `dist`, to be served from any folder of any host.
 */

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
	base: './',
	build: {
		target: 'es2022',
		// What is inlined would need a wider Content-Security-Policy.
		assetsInlineLimit: 0,
		modulePreload: false,
		reportCompressedSize: false,
		license: { fileName: 'licenses.md' },
		rolldownOptions: { checks: { pluginTimings: false } },
	},
	worker: { format: 'es' },
	resolve: {
		// The scripts of the faulty server are read by its own parser, which checks header names.
		alias: { 'node:http': fileURLToPath(new URL('src/node-http.ts', import.meta.url)) },
	},
});
