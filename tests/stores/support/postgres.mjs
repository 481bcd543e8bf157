/** A PostgreSQL server of the tests' own, and what opens a store on it. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';
import { postgresStore } from '../../../js/dist/node/ledger.js';
import { answered, freePort } from './ports.mjs';

/** Where Debian has the programs that are not on the search path. */
const VERSIONS = '/usr/lib/postgresql';

function program(name) {
	const folders = process.env.PATH.split(':');
	if (existsSync(VERSIONS)) {
		folders.push(...readdirSync(VERSIONS).map((version) => join(VERSIONS, version, 'bin')));
	}
	const found = folders.map((folder) => join(folder, name)).find(existsSync);
	if (found === undefined) {
		throw new Error(`there is no ${name}: apt-get install postgresql`);
	}
	return found;
}

/** The server refuses to run as root: then it runs as the user that its package made. */
function account() {
	if (process.getuid() !== 0) {
		return {};
	}
	const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
	return { uid: id('-u'), gid: id('-g') };
}

/** Starts a server on a free port of the loopback interface; `stop` ends it and removes its files. */
export async function startPostgres() {
	const folder = mkdtempSync(join(tmpdir(), 'retrywise-postgres-'));
	const as = account();
	if (as.uid !== undefined) {
		chownSync(folder, as.uid, as.gid);
	}
	const data = join(folder, 'data');
	const options = { ...as, cwd: folder, stdio: 'ignore' };
	const plain = ['--auth=trust', '--no-sync', '--no-instructions'];
	const init = ['-D', data, '-U', 'test', ...plain, '-E', 'UTF8', '--locale=C'];
	execFileSync(program('initdb'), init, options);
	const port = await freePort();
	const url = `postgres://test@127.0.0.1:${port}/postgres`;
	// What a process wrote survives its end without a sync: only a power cut would need one.
	const settings = ['listen_addresses=127.0.0.1', 'shared_buffers=32MB', 'fsync=off'];
	const flags = ['-D', data, '-p', String(port), '-k', folder];
	let server;
	const end = async (signal) => {
		const exit = once(server, 'exit');
		server.kill(signal);
		await exit;
	};
	const start = async () => {
		server = spawn(program('postgres'), [...flags, ...settings.flatMap((s) => ['-c', s])], options);
		await answered(async () => {
			if (server.exitCode !== null) {
				throw new Error(`postgres ended with ${server.exitCode}`);
			}
			const client = new pg.Client(url);
			await client.connect();
			await client.end();
		}, 'PostgreSQL');
	};
	await start();
	return {
		url,
		start,
		/** Without a word to anybody. */
		kill: () => end('SIGKILL'),
		stop: async () => {
			await end('SIGQUIT');
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** For a worker's process. */
export function open({ url, schema }) {
	return postgresStore(new pg.Pool({ connectionString: url, max: 4 }), { schema });
}
