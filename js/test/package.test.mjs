import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { promisify } from 'node:util';

const require = createRequire(import.meta.url);
const run = promisify(execFile);

const ENTRIES = [
	'retrywise',
	'retrywise/axios',
	'retrywise/fetch',
	'retrywise/undici',
	'retrywise/otel',
	'retrywise/ledger',
	'retrywise/ky',
	'retrywise/got',
	'retrywise/slim',
	'retrywise/slim/axios',
	'retrywise/slim/fetch',
	'retrywise/nowasm',
	'retrywise/nowasm/axios',
	'retrywise/nowasm/dispatch',
	'retrywise/nowasm/fetch',
	'retrywise/nowasm/ky',
	'retrywise/nowasm/ledger',
	'retrywise/nowasm/otel',
	'retrywise/internal',
];

test('every entry loads as ESM and as CommonJS, with the same names', async () => {
	for (const entry of ENTRIES) {
		const esm = await import(entry);
		const cjs = require(entry);
		assert.deepEqual(Object.keys(esm).sort(), Object.keys(cjs).sort(), entry);
		assert.ok(Object.keys(esm).length > 0, entry);
	}
});

test('ESM and CommonJS give the same verdicts for the same seed', async () => {
	const delays = ({ createUpstream }) => {
		const { call } = createUpstream({ maxRetries: 9 }, { seed: 7 }).begin();
		return Array.from({ length: 5 }, () => {
			const { delayMs } = call.settle({ status: 503 });
			call.resume();
			return delayMs;
		});
	};
	const found = delays(await import('retrywise'));
	assert.deepEqual(found, delays(require('retrywise')));
	assert.equal(new Set(found).size > 1, true, 'the delays are jittered');
});

test('importing compiles nothing, and the first use compiles once', async () => {
	const script = (load) => `
		let compiled = 0;
		for (const name of ['Module', 'Instance']) {
			WebAssembly[name] = new Proxy(WebAssembly[name], {
				construct: (target, args) => { compiled += name === 'Module'; return Reflect.construct(target, args); },
			});
		}
		for (const name of ['compile', 'instantiate', 'compileStreaming', 'instantiateStreaming', 'validate']) {
			WebAssembly[name] = () => { compiled += 100; throw new Error(name); };
		}
		(async () => {
			const modules = [${load('retrywise')}, ${load('retrywise/axios')}];
			const loaded = await Promise.all(modules);
			const before = compiled;
			loaded[0].createUpstream().begin();
			loaded[1].hooks();
			console.log(before, compiled);
		})();
	`;
	const cwd = new URL('.', import.meta.url);
	for (const [type, load] of [
		['module', (name) => `import('${name}')`],
		['commonjs', (name) => `require('${name}')`],
	]) {
		const { stdout } = await run(process.execPath, [`--input-type=${type}`, '-e', script(load)], {
			cwd,
		});
		assert.equal(stdout.trim(), '0 1', type);
	}
});

test('importing draws no random numbers and starts no timer', async () => {
	const script = `
		const forbid = (name) => () => { throw new Error(name + ' at import'); };
		Object.defineProperty(globalThis, 'crypto', { get: forbid('crypto') });
		for (const name of ['setTimeout', 'setInterval', 'queueMicrotask']) globalThis[name] = forbid(name);
		Math.random = Date.now = performance.now = forbid('a clock');
		require('retrywise'); require('retrywise/axios');
		console.log('quiet');
	`;
	const { stdout } = await run(process.execPath, ['-e', script], {
		cwd: new URL('.', import.meta.url),
	});
	assert.equal(stdout.trim(), 'quiet');
});

test('the build for hosts without files decides the same', async () => {
	const inline = await import('../dist/base64/index.js');
	const { createUpstream } = await import('retrywise');
	const settle = (create) => {
		const { kind, delayMs, reason } = create({}, { seed: 3 }).begin().call.settle({ status: 503 });
		return { kind, delayMs, reason };
	};
	assert.deepEqual(settle(inline.createUpstream), settle(createUpstream));
});

test('slim wants a module, says so, and takes bytes or a compiled one', async () => {
	const slim = require('retrywise/slim');
	assert.throws(
		() => slim.createUpstream(),
		(error) => {
			assert.ok(slim.isLoadError(error));
			assert.match(error.message, /initialize/);
			return true;
		},
	);
	const bytes = readFileSync(require.resolve('retrywise/retrywise.wasm'));
	slim.initialize(new WebAssembly.Module(bytes));
	assert.equal(slim.createUpstream().begin().admitted, true);
});

test('a host that forbids WebAssembly gets an error that names the way out', async () => {
	const script = `
		WebAssembly.Module = class { constructor() { throw new WebAssembly.CompileError('blocked'); } };
		const { createUpstream, isLoadError } = require('retrywise');
		try { createUpstream(); } catch (error) {
			console.log(isLoadError(error), error.cause.message, error.message);
		}
	`;
	const { stdout } = await run(process.execPath, ['-e', script], {
		cwd: new URL('.', import.meta.url),
	});
	assert.match(stdout, /^true blocked .*'wasm-unsafe-eval'.*retrywise\/nowasm.*retrywise\/slim/);
});

test('a host without WebAssembly gets an error that names the build without', async () => {
	const script = `
		delete globalThis.WebAssembly;
		const { createUpstream, isLoadError } = require('retrywise');
		try { createUpstream(); } catch (error) { console.log(isLoadError(error), error.message); }
	`;
	const { stdout } = await run(process.execPath, ['-e', script], {
		cwd: new URL('.', import.meta.url),
	});
	assert.match(stdout, /^true .*no WebAssembly.*retrywise\/nowasm/);
});

test('the build in plain JavaScript needs no WebAssembly, and nothing of it is made at import', async () => {
	const script = `
		delete globalThis.WebAssembly;
		let made = 0;
		globalThis.ArrayBuffer = new Proxy(ArrayBuffer, {
			construct: (target, args) => { made += args[0] >= 65536; return Reflect.construct(target, args); },
		});
		const { createUpstream } = require('retrywise/nowasm');
		require('retrywise/nowasm/axios'); require('retrywise/nowasm/fetch'); require('retrywise/nowasm/ledger');
		const before = made;
		const { call } = createUpstream({}, { seed: 3 }).begin();
		console.log(before, made > 0, call.settle({ status: 503 }).delayMs);
	`;
	const { stdout } = await run(process.execPath, ['-e', script], {
		cwd: new URL('.', import.meta.url),
	});
	const { createUpstream } = await import('retrywise');
	const { delayMs } = createUpstream({}, { seed: 3 }).begin().call.settle({ status: 503 });
	assert.equal(stdout.trim(), `0 true ${delayMs}`);
});

test('the build in plain JavaScript needs neither TextEncoder nor TextDecoder, nor new signals', async () => {
	const script = (prefix) => `
		for (const name of ['WebAssembly', 'TextEncoder', 'TextDecoder', 'DOMException']) delete globalThis[name];
		const { createUpstream, validatePolicy, retry } = require('${prefix}');
		const { call } = createUpstream({}, { seed: 3 }).begin({ method: 'POST', key: 'order-1' });
		const { key } = call;
		const { reason } = call.settle({ status: 404 });
		const signal = { aborted: true, addEventListener() {}, removeEventListener() {} };
		retry(() => 1, {}, { signal }).catch((error) => console.log(JSON.stringify([
			key, reason, createUpstream().begin().call.settle({ status: 404 }).explain('ar'),
			validatePolicy({ 'é€𝄞': 1, '\\ud800': 1 }), error.name,
		])));
	`;
	const cwd = new URL('.', import.meta.url);
	const { stdout } = await run(process.execPath, ['-e', script('retrywise/nowasm')], { cwd });
	const [key, reason, arabic, issues, name] = JSON.parse(stdout);
	const { createUpstream, validatePolicy } = await import('retrywise');
	assert.deepEqual([key, reason, name], ['order-1', 'permanent', 'AbortError']);
	assert.equal(arabic, createUpstream().begin().call.settle({ status: 404 }).explain('ar'));
	assert.deepEqual(issues, validatePolicy({ 'é€𝄞': 1, '\ud800': 1 }));
});

test('the memory of the build in plain JavaScript grows, and what was written before stays', () => {
	const { createUpstream, validatePolicy } = require('retrywise/nowasm');
	const first = createUpstream({}, { seed: 1 }).begin({ method: 'POST', key: 'first' }).call;
	const made = Array.from({ length: 300 }, (_, index) =>
		createUpstream({ limiter: {}, breaker: { windowCalls: 1000 } }, { seed: index }),
	);
	assert.deepEqual(validatePolicy(`{"maxRetries":${' '.repeat(900_000)}3}`), []);
	for (const upstream of made) {
		const { call } = upstream.begin({ method: 'POST', key: 'one-of-many' });
		assert.equal(call.settle({ status: 429, headers: { 'retry-after': '2' } }).hintMs, 2000);
		call.end();
	}
	assert.equal(first.key, 'first');
	assert.equal(first.settle({ status: 404 }).reason, 'permanent');
});

for (const [build, file] of [
	['workerd', /from "\.\.\/\.\.\/wasm\/retrywise_bg\.wasm"/],
	['edge', /from "\.\.\/\.\.\/wasm\/retrywise_bg\.wasm\?module"/],
]) {
	test(`the ${build} build takes the compiled module from beside the code and compiles nothing`, () => {
		const folder = new URL(`../dist/${build}/`, import.meta.url);
		const code = readdirSync(folder)
			.filter((name) => name.endsWith('.js'))
			.map((name) => readFileSync(new URL(name, folder), 'utf8'))
			.join('\n');
		assert.match(code, file);
		assert.doesNotMatch(code, /(?:from|import\(|require\() ?["']node:/);
		// As every module begins, in base64.
		assert.ok(!code.includes('AGFzbQEAAAA'), 'a module lies inside the code');
	});
}

test('an entry for every host has the same conditions as the others, in the same order', () => {
	const { exports } = require('retrywise/package.json');
	const { import: esm, require: cjs } = exports['.'];
	for (const [entry, { import: inner, require: outer }] of Object.entries(exports)) {
		if (inner?.workerd !== undefined) {
			const name = entry.slice(2);
			const expected = (wanted) =>
				JSON.parse(JSON.stringify(wanted).replaceAll('/index.', `/${name || 'index'}.`));
			assert.deepEqual(Object.entries(inner), Object.entries(expected(esm)), entry);
			assert.deepEqual(Object.entries(outer), Object.entries(expected(cjs)), entry);
		}
	}
});

test('the licences are the ones of the project', () => {
	for (const name of ['LICENSE-APACHE', 'LICENSE-MIT']) {
		const text = (folder) => readFileSync(new URL(`${folder}${name}`, import.meta.url), 'utf8');
		assert.equal(text('../'), text('../../'), name);
	}
});

test('the module asks its host for nothing but its glue, and the raw one for nothing at all', async () => {
	const imports = (entry) =>
		WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(require.resolve(entry))));
	assert.deepEqual(imports('retrywise/raw.wasm'), []);
	for (const { module } of imports('retrywise/retrywise.wasm')) {
		assert.match(module, /retrywise_bg\.js$/);
	}
});

test('who only retries carries no ledger, and its module asks the host for nothing', () => {
	const bytes = readFileSync(new URL('../wasm/retrywise_ledger.wasm', import.meta.url));
	assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(bytes)), []);
	// From the middle: every module begins alike.
	const part = bytes.toString('base64').slice(20_000, 20_200);
	const folder = new URL('../dist/base64/', import.meta.url);
	const reached = (name, seen = new Set()) => {
		if (!seen.has(name)) {
			seen.add(name);
			const code = readFileSync(new URL(name, folder), 'utf8');
			for (const [, next] of code.matchAll(/(?:from|import) ?"\.\/([\w-]+\.js)"/g)) {
				reached(next, seen);
			}
		}
		return seen;
	};
	const carries = (entry) =>
		[...reached(entry)].some((name) => readFileSync(new URL(name, folder), 'utf8').includes(part));
	assert.equal(carries('ledger.js'), true);
	assert.equal(carries('dispatch.js'), true);
	for (const entry of ['index.js', 'fetch.js', 'axios.js', 'undici.js']) {
		assert.equal(carries(entry), false, entry);
	}
});
