/**
 * The programs that contests are run with: this machine's Node, the newest one, Deno, Bun. All but
 * the first come as packages, where npm has a build for this machine.
 *
 * @module
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** No child may take longer than this. */
const LIMIT_MS = 600_000;

const installed = (path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));

const DENO = ['run', '--quiet', '--no-prompt', '--no-lock', '--node-modules-dir=manual', '--allow-all'];

const PROGRAMS = [
	{ name: 'Node', program: process.execPath, before: ['--expose-gc'] },
	{ name: 'Node', program: installed('node26/bin/node'), before: ['--expose-gc'] },
	{ name: 'Deno', program: installed('@deno/linux-x64-glibc/deno'), before: DENO, some: true },
	{ name: 'Bun', program: installed('@oven/bun-linux-x64/bin/bun'), before: [], some: true },
];

/** The runtimes that are there, with a line for each that is not. */
export function runtimes() {
	return PROGRAMS.filter(({ name, program }) => {
		const there = existsSync(program);
		if (!there) {
			console.log(`${name}: passed over, npm has no build of it for this machine (${program})`);
		}
		return there;
	}).map((runtime) => ({ ...runtime, shown: `${runtime.name} ${versionOf(runtime.program)}` }));
}

/** What a script prints as its last line, read as JSON. */
export function ask({ program, before }, script, ...words) {
	const file = fileURLToPath(new URL(script, import.meta.url));
	const { stdout, stderr, status, error } = spawnSync(program, [...before, file, ...words], {
		encoding: 'utf8',
		timeout: LIMIT_MS,
		maxBuffer: 1 << 26,
		env: { ...process.env, NO_COLOR: '1' },
	});
	if (error || status !== 0) {
		throw new Error(`${program} ${script}: ${error?.message ?? stderr}`);
	}
	return JSON.parse(stdout.trim().split('\n').at(-1));
}

function versionOf(program) {
	const said = execFileSync(program, ['--version'], { encoding: 'utf8' });
	return /\d+\.\d+\.\d+/.exec(said)?.[0] ?? said.trim();
}
