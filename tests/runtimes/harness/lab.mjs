// The lab: one door on loopback through which tests, in whatever runtime, get faulty servers of their
// own, and through which pages get themselves. Pages reach their servers through it as well, since
// another origin would ask for leave first (CORS) and the servers would count those questions.

import { createReadStream } from 'node:fs';
import { createServer, request } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES = {
	'.html': 'text/html',
	'.js': 'text/javascript',
	'.mjs': 'text/javascript',
	'.wasm': 'application/wasm',
};

/** Starts the lab. `startFaultyServer` is the packed package's own. */
export async function startLab({ startFaultyServer, signals }) {
	const lab = new Lab(startFaultyServer, signals);
	await lab.listen();
	return lab;
}

class Lab {
	#start;
	#signals;
	#server = createServer((incoming, outgoing) => this.#serve(incoming, outgoing));
	#faulty = [];
	#mounts = [];

	constructor(start, signals) {
		this.#start = start;
		this.#signals = signals;
	}

	listen() {
		return new Promise((resolve, reject) => {
			this.#server.once('error', reject);
			this.#server.listen(0, '127.0.0.1', resolve);
		});
	}

	get door() {
		return `http://127.0.0.1:${this.#server.address().port}`;
	}

	/** A faulty server for the runner itself. */
	async faulty(script, options = {}) {
		const server = await this.#start({ script, ...options });
		this.#faulty.push(server);
		return server;
	}

	/** Serves a folder below a path, with these headers. */
	mount(path, folder, headers = {}) {
		this.#mounts.push({ path, folder, headers });
		return `${this.door}${path}`;
	}

	async close() {
		this.#server.closeAllConnections();
		await new Promise((resolve) => this.#server.close(resolve));
		await Promise.all(this.#faulty.map((server) => server.close()));
	}

	async #serve(incoming, outgoing) {
		// A client that reuses a connection may repeat by itself what was cut off: here none can.
		outgoing.setHeader('connection', 'close');
		try {
			const [, kind, id, ...rest] = new URL(incoming.url, this.door).pathname.split('/');
			if (kind === 'faulty') {
				this.#pass(incoming, outgoing, this.#faulty[Number(id)], `/${rest.join('/')}`);
			} else if (kind === 'servers' && incoming.method === 'POST') {
				this.#json(outgoing, await this.#add(await textOf(incoming), incoming.headers));
			} else if (kind === 'servers') {
				const { requests, resources } = this.#faulty[Number(id)];
				this.#json(outgoing, { requests, resources });
			} else if (kind === 'signals') {
				this.#json(outgoing, this.#signals);
			} else {
				this.#file(outgoing, new URL(incoming.url, this.door).pathname);
			}
		} catch (error) {
			outgoing.statusCode = 500;
			this.#json(outgoing, { error: String(error?.stack ?? error) });
		}
	}

	async #add(text, headers) {
		const { script, options } = JSON.parse(text);
		const server = await this.faulty(script, options);
		const id = this.#faulty.indexOf(server);
		// A page says where it comes from.
		const isPage = headers['sec-fetch-site'] !== undefined;
		return { id, url: isPage ? `${this.door}/faulty/${id}` : server.url };
	}

	/** Hands a request on, and the answer back; a connection that is cut there is cut here. */
	#pass(incoming, outgoing, server, path) {
		const { method, headers } = incoming;
		const onward = request(`${server.url}${path}`, { method, headers, agent: false }, (answer) => {
			outgoing.writeHead(answer.statusCode, { ...answer.headers, connection: 'close' });
			answer.pipe(outgoing);
			answer.on('error', () => incoming.socket.resetAndDestroy());
		});
		onward.on('error', () => incoming.socket.resetAndDestroy());
		outgoing.on('close', () => onward.destroy());
		incoming.pipe(onward);
	}

	#file(outgoing, path) {
		const mount = this.#mounts.find((mount) => path.startsWith(`${mount.path}/`));
		const inside = mount && normalize(path.slice(mount.path.length));
		if (mount === undefined || inside.includes('..')) {
			outgoing.writeHead(path === '/favicon.ico' ? 204 : 404).end();
			return;
		}
		const stream = createReadStream(join(mount.folder, inside));
		stream.on('error', () => outgoing.writeHead(404).end());
		stream.on('open', () => {
			outgoing.writeHead(200, {
				'content-type': TYPES[extname(inside)] ?? 'text/plain',
				...mount.headers,
			});
			stream.pipe(outgoing);
		});
	}

	#json(outgoing, value) {
		outgoing.setHeader('content-type', 'application/json');
		outgoing.end(JSON.stringify(value));
	}
}

async function textOf(incoming) {
	const chunks = [];
	for await (const chunk of incoming) {
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString('utf8');
}
