// Chromium: bundled by Vite and by esbuild, unbundled, and under policies that forbid to compile.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import { withEsbuild, withVite, writePage } from '../harness/bundle.mjs';

const QUIET = [
	'--disable-background-networking',
	'--no-first-run',
	'--disable-component-update',
	'--disable-sync',
	'--disable-quic',
];

/** Only what the page brings; no compiling of text or of WebAssembly. */
const STRICT = {
	'content-security-policy': "default-src 'none'; script-src 'self'; connect-src 'self'",
};
const ALLOWED = {
	'content-security-policy':
		"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
};

/** The specifiers of a page without a bundler, by the conditions that such a map stands for. */
const IMPORTS = {
	axios: '/unbundled/node_modules/axios/dist/esm/axios.js',
	retrywise: '/unbundled/node_modules/retrywise/dist/base64/index.js',
	'retrywise/axios': '/unbundled/node_modules/retrywise/dist/base64/axios.js',
	'retrywise/fetch': '/unbundled/node_modules/retrywise/dist/base64/fetch.js',
	'retrywise/ledger': '/unbundled/node_modules/retrywise/dist/base64/ledger.js',
};

/** Runs the suite in a page of each kind. */
export async function browsers({ project, lab, report, isWanted }) {
	const executablePath = find(['chromium', 'chromium-browser', 'google-chrome']);
	if (executablePath === undefined) {
		report.absent('Chromium', 'it is not installed (Debian and alike: apt-get install chromium)');
		return;
	}
	if (!isWanted('Chromium')) {
		return;
	}
	const browser = await chromium.launch({ executablePath, args: QUIET });
	const name = `Chromium ${browser.version()}`;
	const visit = async (url) => {
		const context = await browser.newContext();
		try {
			const page = await context.newPage();
			const trouble = [];
			page.on('pageerror', (error) => trouble.push(String(error)));
			await page.goto(url);
			const isThere = page.waitForFunction(() => window.found, undefined, { timeout: 60_000 });
			await isThere.catch((error) => {
				throw new Error(`${error.message}; the page said: ${trouble.join('; ') || 'nothing'}`);
			});
			return await page.evaluate(() => window.found);
		} finally {
			await context.close();
		}
	};
	const suite = async (kind, makeUrl) => {
		try {
			report.add(`${name}, ${kind}`, await visit(await makeUrl()));
		} catch (error) {
			report.broke(`${name}, ${kind}`, error);
		}
	};
	try {
		await suite('bundled by Vite', async () => {
			await withVite(project, 'page', 'vite');
			return `${lab.mount('/vite', project.at('vite'))}/page.html`;
		});
		for (const entry of ['page', 'page-nowasm', 'forbidden']) {
			await withEsbuild(project, entry, 'esbuild');
			writePage(project, 'esbuild', entry, { src: `./${entry}.js` });
		}
		const mounted = (path, headers) => lab.mount(path, project.at('esbuild'), headers);
		const [free, strict, allowed] = [
			mounted('/free'),
			mounted('/strict', STRICT),
			mounted('/allowed', ALLOWED),
		];
		await suite('bundled by esbuild', () => `${free}/page.html`);
		await suite('unbundled, by an import map', () => {
			writePage(project, '.', 'unbundled', {
				src: '/unbundled/suite/page.mjs',
				imports: IMPORTS,
			});
			return `${lab.mount('/unbundled', project.folder)}/unbundled.html`;
		});
		await suite("CSP with 'wasm-unsafe-eval'", () => `${allowed}/page.html`);
		await suite('nowasm, CSP that forbids WebAssembly', () => `${strict}/page-nowasm.html`);
		await forbidden(report, `${name}, CSP that forbids WebAssembly`, () =>
			visit(`${strict}/forbidden.html`),
		);
	} finally {
		await browser.close();
	}
}

/** Importing must not mind such a policy, and the first use must say what to do. */
async function forbidden(report, name, visit) {
	try {
		const { thrown, isLoadError, cause } = await visit();
		const says = (text) => thrown?.includes(text) === true;
		const tests = [
			['importing compiles nothing, and the first use throws a LoadError', isLoadError === true],
			[
				"it names 'wasm-unsafe-eval' and 'retrywise/nowasm'",
				says("'wasm-unsafe-eval'") && says("'retrywise/nowasm'"),
			],
			['its cause is what the browser said', cause.startsWith('CompileError')],
		];
		const seen = JSON.stringify({ thrown, isLoadError, cause });
		report.add(name, {
			results: tests.map(([test, holds]) => ({
				area: 'refusal',
				name: test,
				error: holds ? null : seen,
			})),
		});
	} catch (error) {
		report.broke(name, error);
	}
}

/** A program on the search path. */
function find(programs) {
	const folders = (process.env.PATH ?? '').split(delimiter);
	const paths = programs.flatMap((program) => folders.map((folder) => join(folder, program)));
	return paths.find((path) => existsSync(path));
}
