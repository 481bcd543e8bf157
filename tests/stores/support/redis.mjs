/** A Redis server of the tests' own, and what opens a store on it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { redisStore } from '../../../js/dist/node/ledger.js';
import { answered, freePort } from './ports.mjs';

const PROGRAMS = ['redis-server', 'valkey-server'];

/** The servers that are there: Redis, Valkey, or both. */
export function servers() {
	const folders = process.env.PATH.split(':');
	const found = PROGRAMS.filter((name) => folders.some((folder) => existsSync(join(folder, name))));
	if (found.length === 0) {
		throw new Error('there is no redis-server: apt-get install redis-server');
	}
	return found;
}

/** Starts a server on a free port of the loopback interface; `stop` ends it and removes its files. */
export async function startRedis(program) {
	const folder = mkdtempSync(join(tmpdir(), 'retrywise-redis-'));
	const port = await freePort();
	const url = `redis://127.0.0.1:${port}`;
	const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
	// As a ledger wants it, but for the sync: what a process wrote survives its end without one.
	const durable = ['--appendonly', 'yes', '--appendfsync', 'no', '--save', ''];
	let server;
	const end = async (signal) => {
		const exit = once(server, 'exit');
		server.kill(signal);
		await exit;
	};
	const start = async () => {
		server = spawn(program, [...place, ...durable, '--daemonize', 'no'], { stdio: 'ignore' });
		await answered(async () => {
			if (server.exitCode !== null) {
				throw new Error(`${program} ended with ${server.exitCode}`);
			}
			const client = createClient({ url, socket: { reconnectStrategy: false } });
			client.on('error', () => {});
			await client.connect();
			await client.ping();
			await client.close();
		}, program);
	};
	await start();
	return {
		url,
		start,
		/** Without a word to anybody. */
		kill: () => end('SIGKILL'),
		stop: async () => {
			await end('SIGKILL');
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** For a worker's process. */
export function open({ url, prefix }) {
	return redisStore(new Redis(url), { prefix });
}
