/**
 * The vendor: an HTTP server that fails in every way, and whose log nobody can talk into anything.
 *
 * @module
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { fateOf } from './faults.mjs';
import { ATTEMPT_MS } from './policies.mjs';

/** Longer than a worker waits for an answer. */
const LATE_MS = ATTEMPT_MS + 500;

export class Vendor {
	/** What was asked: event → its requests, in the order they came. */
	log = new Map();
	requests = 0;
	replayed = 0;
	/** Requests that are not answered yet. */
	open = 0;
	/** Called at each stage of each request: `arrived`, `acted`, `answered`. */
	onStage = () => {};
	#memory = new Map();
	#seed;
	#honoursKeys;
	#server;

	constructor({ seed, honoursKeys }) {
		this.#seed = seed;
		this.#honoursKeys = honoursKeys;
		this.#server = createServer((request, response) => void this.#serve(request, response));
		// A client that was killed leaves halves of requests behind.
		this.#server.on('clientError', (_, socket) => socket.destroy());
	}

	/** Listens on this machine only; gives the address. */
	async listen() {
		this.#server.listen(0, '127.0.0.1');
		await once(this.#server, 'listening');
		return `http://127.0.0.1:${this.#server.address().port}/orders`;
	}

	async close() {
		this.#server.close();
		this.#server.closeAllConnections();
		await once(this.#server, 'close');
	}

	async #serve(request, response) {
		const body = await read(request);
		if (body === null) {
			return;
		}
		this.requests += 1;
		this.open += 1;
		const worker = Number(request.headers['x-worker']);
		const { event } = JSON.parse(body);
		const requests = this.log.get(event) ?? [];
		this.log.set(event, requests);
		const fate = fateOf(this.#seed, event, requests.length);
		const entry = { fate: fate.name, certain: fate.how === 'refuse', effect: false, worker };
		requests.push(entry);
		this.onStage('arrived', worker);
		if (fate.late === 'before') {
			await sleep(LATE_MS);
		}
		const id = fate.acts ? this.#act(event, request.headers['idempotency-key'], entry) : null;
		this.onStage('acted', worker);
		if (fate.late === 'after') {
			await sleep(LATE_MS);
		}
		answer(request.socket, response, fate, id);
		this.open -= 1;
		this.onStage('answered', worker);
	}

	/** Carries the order out: an effect, unless the key says that this was done. */
	#act(event, key, entry) {
		const known = this.#honoursKeys && key !== undefined ? this.#memory.get(key) : undefined;
		if (known !== undefined) {
			this.replayed += 1;
			return known;
		}
		entry.effect = true;
		const id = `${event}/${this.log.get(event).length}`;
		if (key !== undefined) {
			this.#memory.set(key, id);
		}
		return id;
	}
}

function answer(socket, response, { how, status }, id) {
	if (socket.destroyed) {
		return;
	}
	const text = JSON.stringify({ id });
	switch (how) {
		case 'reset':
			socket.resetAndDestroy();
			return;
		case 'garbage':
			socket.end('<<< 200 fine >>>\r\n\r\n');
			return;
		case 'truncate':
			response.writeHead(201, { 'content-length': text.length + 20 });
			response.write(text, () => socket.destroy());
			return;
		case 'page':
			response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Please log in</h1>');
			return;
		case 'refuse':
			response.writeHead(status, { 'retry-after': '0', 'content-length': 0 }).end();
			return;
		default:
			response.writeHead(status, { 'content-length': text.length }).end(text);
	}
}

/** The body; null when the client went away before it was sent whole. */
function read(request) {
	return new Promise((resolve) => {
		const chunks = [];
		request.on('data', (chunk) => chunks.push(chunk));
		request.on('end', () => resolve(Buffer.concat(chunks).toString()));
		request.on('close', () => resolve(null));
		request.on('error', () => resolve(null));
	});
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
