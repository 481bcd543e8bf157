// Runs one host against the faulty server: `node tests/hosts/run.mjs HOST`, last line `N passed, N
// failed`. The expectation is what the npm package does itself with the same script, policy and
// seed, so a host that passes shows the same trail, wait for wait. A host that answers the vectors
// replays them, too.

import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const require = createRequire(here('../../js/package.json'));
const { createUpstream } = require('retrywise');
const { startFaultyServer } = require('retrywise/testing');

const target = process.env.CARGO_TARGET_DIR ?? here('../../target');
const python = `${target}/hosts/python/bin/python`;
const component = here('../../js/wasm/retrywise.component.wasm');
const env = {
	...process.env,
	RETRYWISE_JCO: `${target}/hosts/js-jco`,
	RETRYWISE_RAW: here('../../js/wasm/retrywise_raw.wasm'),
	CARGO_TARGET_DIR: target,
};

/**
 * What makes a host ready, and the command that takes URL METHOD POLICY SEED [KEY]. A package that
 * brings the component itself is lent none.
 */
const HOSTS = {
	'rust-native': { prepare: [cargo('retrywise-host-native')], run: [`${target}/debug/retrywise-host-native`] },
	'rust-wasmtime': {
		prepare: [cargo('retrywise-host-wasmtime', 'retrywise-host-middleware')],
		run: [`${target}/debug/retrywise-host-wasmtime`],
		type: [`${target}/debug/retrywise-host-wasmtime`, '--type'],
		lent: { RETRYWISE_COMPONENT: component },
		checks: {
			'what no vector asks of the contract': [
				'cargo', 'test', '--quiet', '--locked', '--manifest-path', here('Cargo.toml'),
				'--package', 'retrywise-host-wasmtime', '--package', 'retrywise-host-middleware', '--test', 'contract',
			],
		},
	},
	'python-httpx': {
		prepare: pip(),
		run: [python, here('python/tests/host.py'), 'httpx'],
		checks: {
			'the package brings all that it needs into an empty environment': [python, here('python/tests/test_package.py')],
			'its types are complete': [...mypy(), '--package', 'retrywise'],
			'its users see them': [...mypy(), here('python/tests')],
		},
	},
	'python-requests': {
		prepare: pip(),
		run: [python, here('python/tests/host.py'), 'requests'],
	},
	'js-jco': {
		prepare: jco(),
		run: ['node', here('js-jco/main.mjs')],
		vectors: ['node', here('js-jco/vectors/main.mjs')],
		checks: {
			'what jco makes needs no API of Node': ['node', '--experimental-vm-modules', '--no-warnings', here('js-jco/browser.mjs')],
			'the lab gives the figures of the core': ['env', `RETRYWISE_JCO=${target}/hosts/js-jco-lab`, 'node', here('js-jco/lab.mjs')],
		},
	},
	go: {
		prepare: [
			['go', 'build', '-C', here('go'), '-o', `${target}/hosts/go-host`, '.'],
			['go', 'build', '-C', here('go'), '-o', `${target}/hosts/go-vectors`, './vectors'],
		],
		run: [`${target}/hosts/go-host`],
		vectors: [`${target}/hosts/go-vectors`],
	},
	java: { prepare: [maven()], run: java('dev.retrywise.Host'), vectors: java('dev.retrywise.vectors.Vectors') },
};

const FAST = { backoff: { baseMs: 20, capMs: 60 } };
const CASES = [
	['two failures, then success', 'GET', '503,503,200', FAST],
	['always failing', 'GET', '503', { ...FAST, maxRetries: 2 }],
	['not found', 'GET', '404', FAST],
	['the server asks for a wait', 'GET', [{ status: 429, retryAfterMs: 30 }, 200], FAST],
	['a cut connection, a method that may be repeated', 'GET', 'reset-after,200', FAST],
	['a cut connection, and nothing makes a repetition safe', 'POST', 'reset-after,201', FAST],
	['a cut connection, and a key that the server honours', 'POST', 'reset-after,201',
		{ ...FAST, idempotency: { honoured: true } }, 'order-4711'],
	['no retries at all', 'GET', '503,200', { maxRetries: 0 }],
];

const name = process.argv[2];
const host = HOSTS[name];
if (host === undefined) {
	console.error(`no host ${name}; there are ${Object.keys(HOSTS).join(', ')}`);
	process.exit(2);
}
Object.assign(env, host.lent);
for (const [program, ...words] of host.prepare) {
	execFileSync(program, words, { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

let failed = 0;
const server = await startFaultyServer();
for (const [index, [what, method, script, policy, key]] of CASES.entries()) {
	const seed = 7 + index;
	const question = { url: `${server.url}/orders`, method, policy, seed, key };
	const expected = await observed(script, () => reference(question));
	const got = await observed(script, () => run(question));
	const same = JSON.stringify(got) === JSON.stringify(expected);
	failed += same ? 0 : 1;
	console.log(`${same ? 'ok' : 'FAILED'}: ${what}`);
	if (!same) {
		console.log(`  seed ${seed}\n  expected ${JSON.stringify(expected)}\n  got      ${JSON.stringify(got)}`);
	}
}
await server.close();
let passed = CASES.length - failed;
if (host.type !== undefined) {
	const pure = hasPureType(host.type);
	passed += pure ? 1 : 0;
	failed += pure ? 0 : 1;
}
for (const [what, [program, ...words]] of Object.entries(host.checks ?? {})) {
	const { status, stdout, stderr } = spawnSync(program, words, { env, encoding: 'utf8', timeout: 300_000 });
	passed += status === 0 ? 1 : 0;
	failed += status === 0 ? 0 : 1;
	console.log(status === 0 ? `ok: ${what}` : `FAILED: ${what}\n${stdout}${stderr}`);
}
if (host.vectors !== undefined) {
	const replayed = replay(host.vectors);
	passed += replayed.passed;
	failed += replayed.failed;
}
console.log(`${name}: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** What a program says, and what the server saw meanwhile. */
async function observed(script, program) {
	server.use(script);
	const trail = await program();
	const requests = server.requests.map((request) => [request.method, request.status ?? null, request.key ?? null]);
	return { trail, requests, created: server.resources.length };
}

async function run({ url, method, policy, seed, key }) {
	const [program, ...words] = host.run;
	const args = [...words, url, method, JSON.stringify(policy), String(seed), ...(key ? [key] : [])];
	return await new Promise((resolve) => {
		execFile(program, args, { env, timeout: 300_000 }, (error, out, err) => {
			const lines = out.trim().split('\n');
			resolve(error ? [...lines, `${error.message}\n${err}`] : lines);
		});
	});
}

/** The same loop with the npm package. */
async function reference({ url, method, policy, seed, key }) {
	const lines = [];
	const { call } = createUpstream(policy, { seed }).begin({ method, key });
	for (;;) {
		let outcome;
		let end;
		try {
			const response = await fetch(url, { method, headers: call.headers });
			await response.arrayBuffer();
			outcome = { status: response.status, headers: [...response.headers] };
			end = `status ${response.status}`;
		} catch (error) {
			outcome = { error };
			end = 'error';
		}
		const verdict = call.settle(outcome);
		lines.push(`${verdict.kind} ${verdict.reason} ${verdict.attempt} ${verdict.delayMs}`);
		if (verdict.kind !== 'retry') {
			return [...lines, end];
		}
		await sleep(verdict.delayMs);
		call.resume();
	}
}

/** The component's type, as a runtime reads it: nothing is imported, every interface of the world is there. */
function hasPureType([program, ...words]) {
	const lines = execFileSync(program, words, { env, encoding: 'utf8' }).trim().split('\n');
	// The first world of the file; the other is the lab's.
	const [, world] = readFileSync(here('../../wit/world.wit'), 'utf8').split(/^world /m);
	const wanted = [...world.matchAll(/^ *export ([a-z-]+);/gm)].map(([, name]) => `export retrywise:policy/${name}@0.1.0`);
	const pure = wanted.length > 0 && lines.toSorted().join() === wanted.toSorted().join();
	console.log(`${pure ? 'ok' : 'FAILED'}: the component imports nothing and exports what its world says`);
	if (!pure) {
		console.log(`  expected ${wanted.join(', ')}\n  got      ${lines.join(', ')}`);
	}
	return pure;
}

/** All vectors through a program that answers them. */
function replay(command) {
	// The runner starts a program without arguments.
	const program = `${target}/hosts/${name}-answers`;
	writeFileSync(program, `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(' ')}\n`, { mode: 0o755 });
	const folder = here('../vectors');
	const files = readdirSync(folder).filter((file) => file.endsWith('.jsonl')).map((file) => `${folder}/${file}`);
	const runner = ['run', '--quiet', '--manifest-path', here('../../Cargo.toml'), '--package', 'retrywise-vectors', '--'];
	const words = [...runner, '--binding', `command:${program}`, ...files];
	const { stdout, stderr } = spawnSync('cargo', words, { env, encoding: 'utf8', timeout: 600_000, maxBuffer: 1 << 26 });
	console.log(stdout.trim());
	const counted = /(\d+) passed, (\d+) failed\s*$/.exec(stdout);
	if (counted === null) {
		throw new Error(`the vector runner broke: ${stderr}`);
	}
	return { passed: Number(counted[1]), failed: Number(counted[2]) };
}

/** Those with wasmtime are built together: one alone would have it compiled once more, for itself. */
function cargo(...packages) {
	const named = packages.flatMap((name) => ['--package', name]);
	return ['cargo', 'build', '--quiet', '--locked', '--manifest-path', here('Cargo.toml'), ...named];
}

/** jco with its packages, where they are not installed yet, and what it makes of the component. */
function jco() {
	const folder = here('js-jco');
	const install = ['npm', 'ci', '--prefix', folder, '--silent', '--ignore-scripts'];
	const tool = `${folder}/node_modules/@bytecodealliance/jco/dist/jco.js`;
	const words = ['--name', 'retrywise', '--instantiation', 'async', '--quiet', '--out-dir'];
	const transpile = (file, to) => ['node', tool, 'transpile', file, ...words, to];
	const lab = component.replace('retrywise.', 'retrywise-lab.');
	const made = [transpile(component, env.RETRYWISE_JCO), transpile(lab, `${env.RETRYWISE_JCO}-lab`)];
	return [...(existsSync(tool) ? [] : [install]), ...made];
}

function maven() {
	mkdirSync(`${target}/hosts/java`, { recursive: true });
	const goals = ['compiler:compile', 'dependency:copy-dependencies'];
	const folders = [`-Dbuild.folder=${target}/hosts/java`, `-DoutputDirectory=${target}/hosts/java/lib`];
	return ['mvn', '--quiet', '--batch-mode', '--file', here('java/pom.xml'), ...folders, ...goals];
}

/** One processor and a small heap start faster than the many a server would want. */
function java(main) {
	const path = `${target}/hosts/java/classes:${target}/hosts/java/lib/*`;
	return ['java', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', path, main];
}

/** Reads the types of what is installed there. */
function mypy() {
	const cache = ['--cache-dir', `${target}/hosts/python-types`];
	return [`${target}/hosts/python-tools/bin/mypy`, '--strict', '--python-executable', python, ...cache];
}

/** The package is built as it is published, and installed into an environment that has nothing else. */
function pip() {
	const [clean, tools, dist] = ['python', 'python-tools', 'python-dist'].map((name) => `${target}/hosts/${name}`);
	const pinned = (name) => here(`python/requirements${name}.txt`);
	const quiet = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
	return [
		['python3', '-m', 'venv', tools],
		[`${tools}/bin/python`, ...quiet, '--requirement', pinned('-tools')],
		[`${tools}/bin/python`, '-m', 'build', '--outdir', dist, here('python')],
		['python3', '-m', 'venv', '--clear', clean],
		[python, ...quiet, '--constraint', pinned(''), `retrywise[httpx,requests] @ file://${dist}/retrywise-0.1.0-py3-none-any.whl`],
	];
}
