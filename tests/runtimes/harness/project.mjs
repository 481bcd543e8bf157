// An empty project with the packed package in it, as a user's: outside this tree, so that nothing is
// found by accident.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Packs the package, installs it with axios into a new project, and adds the suite. */
export async function makeProject() {
	const folder = mkdtempSync(join(tmpdir(), 'retrywise-runtimes-'));
	const at = (path) => join(folder, path);
	const npm = (args, cwd) => run('npm', args, { cwd, maxBuffer: 1 << 26 });
	const packed = await npm(
		['pack', '--ignore-scripts', '--json', '--pack-destination', folder],
		here('../../../js'),
	);
	const [{ filename, size, unpackedSize, files }] = JSON.parse(packed.stdout);
	const { devDependencies } = JSON.parse(readFileSync(here('../package.json'), 'utf8'));
	writeFileSync(
		at('package.json'),
		JSON.stringify({ name: 'a-users-project', private: true, type: 'module' }),
	);
	await npm(
		[
			'install',
			'--ignore-scripts',
			'--no-audit',
			'--no-fund',
			'--prefer-offline',
			`./${filename}`,
			`axios@${devDependencies.axios}`,
		],
		folder,
	);
	mkdirSync(at('suite'));
	for (const part of ['../suite', '../entries']) {
		cpSync(here(part), at('suite'), { recursive: true });
	}
	cpSync(here('../../vectors/js/signals.mjs'), at('suite/signals.mjs'));
	return {
		folder,
		at,
		tarball: { size, unpackedSize, files: files.map(({ path }) => path) },
		remove: () => rmSync(folder, { recursive: true, force: true }),
	};
}
