/** The command as it is built, and a folder for its files. */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
export const folder = mkdtempSync(join(tmpdir(), 'retrywise-cli-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command to its end. */
export function run(...args) {
	return new Promise((resolve) => {
		execFile(process.execPath, [MAIN, ...args], { timeout: 60_000 }, (error, out, problem) => {
			resolve({ code: error ? error.code : 0, out, problem });
		});
	});
}

export function file(name, text) {
	const path = join(folder, name);
	writeFileSync(path, text);
	return path;
}
