// Runtimes that are programs: Node, Deno, Bun. Each runs `suite/process.mjs` in the project and prints
// what happened.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const installed = (path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));

/** No runtime may take longer than this. */
const LIMIT_MS = 120_000;

const SUITE = ['suite/process.mjs'];
const NOWASM = [...SUITE, 'nowasm'];

/**
 * Node's oldest supported line is the machine's own; the others come as packages, of which one stands
 * first on the path of npm's scripts.
 */
function nodes() {
	const own = { name: 'Node', program: process.env.npm_node_execpath ?? process.execPath };
	return [
		own,
		...[22, 24, 26].map((line) => ({
			name: 'Node',
			line,
			program: installed(`node${line}/bin/node`),
		})),
	];
}

/** What is run, by program: its name, and the arguments that come before the door. */
const PLANS = {
	Node: [
		['ESM', [], SUITE],
		['CommonJS', [], ['suite/process.cjs']],
		['nowasm, ESM', [], NOWASM],
		['nowasm, CommonJS', [], ['suite/process.cjs', 'nowasm']],
		['condition react-native', ['--conditions=react-native'], SUITE],
		['nowasm, WebAssembly undefined', [], [...NOWASM, 'undefined']],
	],
	Deno: [
		['', [], SUITE],
		['nowasm', [], NOWASM],
	],
	Bun: [
		['', [], SUITE],
		['nowasm', [], NOWASM],
	],
};

const DENO = [
	'run',
	'--quiet',
	'--no-prompt',
	'--no-lock',
	'--node-modules-dir=manual',
	'--allow-net=127.0.0.1',
	'--allow-read',
	'--allow-env',
	'--allow-sys',
];

/** Runs the suite in every program that is there. */
export async function processes({ project, lab, report, isWanted }) {
	const deno = { name: 'Deno', program: installed('@deno/linux-x64-glibc/deno'), before: DENO };
	const bun = { name: 'Bun', program: installed('@oven/bun-linux-x64/bin/bun') };
	const seen = new Set();
	for (const { name, line, program, before = [] } of [...nodes(), deno, bun]) {
		if (!existsSync(program)) {
			report.absent(
				`${name}${line === undefined ? '' : ` ${line}`}`,
				'npm has no build of it for this machine',
			);
			continue;
		}
		const version = await versionOf(program);
		seen.add(Number(version.split('.')[0]));
		for (const [kind, flags, [script, ...words]] of PLANS[name]) {
			const shown = [`${name} ${version}`, kind].filter(Boolean).join(', ');
			if (isWanted(shown)) {
				const args = [...before, ...flags, script, lab.door, ...words];
				try {
					report.add(shown, await foundBy(program, args, project.folder));
				} catch (error) {
					report.broke(shown, error);
				}
			}
		}
	}
	if (!seen.has(20)) {
		report.absent('Node 20', `this machine has Node ${process.versions.node}`);
	}
}

async function versionOf(program) {
	const { stdout } = await run(program, ['--version']);
	return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? stdout.trim();
}

/** What the suite printed as its last line. */
async function foundBy(program, args, cwd) {
	const options = {
		cwd,
		timeout: LIMIT_MS,
		maxBuffer: 1 << 26,
		env: { ...process.env, NO_COLOR: '1' },
	};
	const { stdout } = await run(program, args, options);
	return JSON.parse(stdout.trim().split('\n').at(-1));
}
