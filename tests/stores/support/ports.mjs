/** A port of the loopback interface for a server that cannot choose one itself. */

import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that systems give away by themselves, to other tests for instance, in the meantime. */
const FIRST = 15_000;
const PAST = 32_000;

export async function freePort() {
	for (let turn = 0; turn < 100; turn += 1) {
		const port = FIRST + Math.floor(Math.random() * (PAST - FIRST));
		const server = createServer().listen(port, '127.0.0.1');
		const isFree = await Promise.race([
			once(server, 'listening').then(() => true),
			once(server, 'error').then(() => false),
		]).catch(() => false);
		if (isFree) {
			server.close();
			await once(server, 'close');
			return port;
		}
	}
	throw new Error(`a hundred ports from ${FIRST} to ${PAST} are taken`);
}

/** Asks until it answers; a server that never does is an error with the reason. */
export async function answered(ask, what) {
	for (let turn = 0; ; turn += 1) {
		try {
			return await ask();
		} catch (error) {
			if (turn >= 1000) {
				throw new Error(`${what} does not answer`, { cause: error });
			}
		}
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}
