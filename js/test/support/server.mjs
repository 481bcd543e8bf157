/** A real server on a real socket, one handler for every request, and a log of what came. */

import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * @param {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse, count: number) => void} handle
 *   is called once the whole body is there, with the number of the request, from 1
 */
export async function startServer(handle) {
	const log = [];
	const server = createServer((request, response) => {
		const chunks = [];
		request.on('data', (chunk) => chunks.push(chunk));
		request.on('error', () => {});
		request.on('end', () => {
			const { method, url, headers } = request;
			log.push({
				method,
				url,
				headers,
				body: Buffer.concat(chunks).toString(),
				at: performance.now(),
			});
			handle(request, response, log.length);
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		log,
		url: `http://127.0.0.1:${server.address().port}`,
		/** The waits between requests, ms. */
		gaps: () => log.slice(1).map(({ at }, i) => at - log[i].at),
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
		close() {
			server.closeAllConnections();
			server.close();
			return once(server, 'close');
		},
	};
}

/** Answers the statuses in order, the last one for ever; each may be [status, headers]. */
export function statuses(...answers) {
	return (_request, response, count) => {
		const answer = answers[Math.min(count, answers.length) - 1];
		const [status, headers = {}] = Array.isArray(answer) ? answer : [answer];
		response.writeHead(status, headers).end(JSON.stringify({ status }));
	};
}

/** Cuts the connection at these requests, answers 200 to the others. */
export const resets =
	(...at) =>
	(request, response, count) => {
		if (at.includes(count)) {
			request.socket.resetAndDestroy();
		} else {
			response.end('ok');
		}
	};
