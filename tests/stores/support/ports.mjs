/** A port of the loopback interface that was free just now. */

import { once } from 'node:events';
import { createServer } from 'node:net';

export async function freePort() {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address();
	server.close();
	await once(server, 'close');
	return port;
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
