/**
 * The scripted faulty HTTP server: real sockets, on this machine only.
 *
 * @module
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Answer, Application, problem, type Resource } from './application.ts';
import { Playbook, type Script, type Step } from './script.ts';

/** How the server is started. */
export interface FaultyServerOptions {
	/** What it does with each request. Default: every answer is good. */
	script?: Script;
	/** The port. Default: 0, any free one. */
	port?: number;
	/** The address. Default: 127.0.0.1, so that nobody else reaches it. */
	host?: string;
	/** The header that carries the idempotency key. Default: `Idempotency-Key`. */
	keyHeader?: string;
	/** Whether a known key is answered from memory instead of processed again. Default: true. */
	honoursKeys?: boolean;
}

/** One request as the server saw it. */
export interface LoggedRequest {
	/** When it had arrived whole, in milliseconds since the server started or was last given a script. */
	atMs: number;
	method: string;
	/** The path without its query. */
	path: string;
	/** The query with its `?`, or the empty text. */
	query: string;
	/** Header names in lower case; repeated ones joined by commas. */
	headers: Readonly<Record<string, string>>;
	body: string;
	/** The idempotency key. */
	key: string | undefined;
	/** The how-manieth request of this method, path and key, from 1. */
	attempt: number;
	/** What the script had for it. */
	step: Step;
	/** The status that was sent; undefined when the client got none. */
	status: number | undefined;
	/** Whether the application acted on it. */
	processed: boolean;
	/** Whether it was answered from the memory of keys. */
	replayed: boolean;
}

/** A running faulty server. */
export interface FaultyServer {
	/** Where it listens, for example `http://127.0.0.1:49152`. */
	readonly url: string;
	readonly port: number;
	/** Every request so far, oldest first. */
	readonly requests: readonly LoggedRequest[];
	/** What POSTs created so far, oldest first. */
	readonly resources: readonly Resource[];
	/** Begins a new script and forgets requests, resources and keys. */
	use(script: Script): void;
	/** Ends every connection, answered or not, and frees the port. A second call is harmless. */
	close(): Promise<void>;
	[Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a server that fails as its script says.
 *
 * @throws ScriptError when the script cannot be understood; the error of `listen` when the port is taken.
 */
export async function startFaultyServer(options: FaultyServerOptions = {}): Promise<FaultyServer> {
	const { script = [{}], port = 0, host = '127.0.0.1' } = options;
	const running = new Running(script, options);
	await running.listen(port, host);
	return running;
}

/** Bodies beyond this are cut off: this is a test server. */
const MAX_BODY = 1 << 20;

/** Faults that strike before the application sees the request. */
const BEFORE: readonly Step['fault'][] = ['hang', 'reset'];

class Running implements FaultyServer {
	readonly #server: Server;
	readonly #keyHeader: string;
	readonly #application: Application;
	readonly #sockets = new Set<Socket>();
	readonly #timers = new Set<NodeJS.Timeout>();
	#playbook: Playbook;
	#requests: LoggedRequest[] = [];
	#startedAt = performance.now();
	#host = '';
	#closed: Promise<void> | undefined;

	constructor(
		script: Script,
		{ keyHeader = 'Idempotency-Key', honoursKeys = true }: FaultyServerOptions,
	) {
		this.#playbook = new Playbook(script);
		this.#keyHeader = keyHeader.toLowerCase();
		this.#application = new Application(honoursKeys);
		this.#server = createServer((request, response) => {
			void this.#serve(request, response);
		});
		this.#server.on('connection', (socket) => {
			this.#sockets.add(socket);
			socket.once('close', () => this.#sockets.delete(socket));
		});
	}

	get port(): number {
		return (this.#server.address() as AddressInfo | null)?.port ?? 0;
	}

	get url(): string {
		return `http://${this.#host.includes(':') ? `[${this.#host}]` : this.#host}:${this.port}`;
	}

	get requests(): readonly LoggedRequest[] {
		return this.#requests;
	}

	get resources(): readonly Resource[] {
		return this.#application.resources;
	}

	listen(port: number, host: string): Promise<void> {
		this.#host = host;
		return new Promise((resolve, reject) => {
			this.#server.once('error', reject);
			this.#server.listen(port, host, () => {
				this.#server.off('error', reject);
				resolve();
			});
		});
	}

	use(script: Script): void {
		this.#playbook = new Playbook(script);
		this.#application.reset();
		this.#requests = [];
		this.#startedAt = performance.now();
	}

	close(): Promise<void> {
		this.#closed ??= new Promise((resolve) => {
			for (const timer of this.#timers) {
				clearTimeout(timer);
			}
			this.#server.close(() => resolve());
			for (const socket of this.#sockets) {
				socket.destroy();
			}
		});
		return this.#closed;
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.close();
	}

	async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const logged = await this.#log(request);
		if (logged === undefined) {
			return;
		}
		const { step } = logged;
		if (step.delayMs !== undefined) {
			await this.#sleep(step.delayMs);
		}
		if (response.destroyed || request.socket.destroyed) {
			return;
		}
		const answer = this.#answer(logged);
		switch (step.fault) {
			case 'hang':
			case 'hang-after':
				return;
			case 'reset':
			case 'reset-after':
				request.socket.resetAndDestroy();
				return;
			case 'truncate':
				logged.status = answer.status;
				truncate(response, answer);
				return;
			case 'misframe':
				misframe(request.socket, answer);
				return;
			case undefined:
				logged.status = answer.status;
				send(response, answer);
		}
	}

	/** Reads the request whole and writes it into the log; nothing when the client left meanwhile. */
	async #log(request: IncomingMessage): Promise<LoggedRequest | undefined> {
		const body = await readBody(request);
		if (body === undefined) {
			return undefined;
		}
		const { method = 'GET', url = '/' } = request;
		const at = url.indexOf('?');
		const path = at < 0 ? url : url.slice(0, at);
		const headers = Object.fromEntries(
			Object.entries(request.headersDistinct).map(([name, values]) => [
				name,
				(values ?? []).join(', '),
			]),
		);
		const key = headers[this.#keyHeader];
		const same = this.#requests.filter(
			(r) => r.method === method && r.path === path && r.key === key,
		);
		const logged: LoggedRequest = {
			atMs: performance.now() - this.#startedAt,
			method,
			path,
			query: at < 0 ? '' : url.slice(at),
			headers,
			body,
			key,
			attempt: same.length + 1,
			step: this.#playbook.next({ method, path, key }),
			status: undefined,
			processed: false,
			replayed: false,
		};
		this.#requests.push(logged);
		return logged;
	}

	/** What the script and the application answer together. */
	#answer(logged: LoggedRequest): Answer {
		const { step, method } = logged;
		const status = step.status ?? (method === 'POST' ? 201 : 200);
		const said = problem(status, 'the script says so');
		if (!(step.processes ?? (status < 400 && !BEFORE.includes(step.fault)))) {
			return step.body === undefined && status >= 400
				? { ...said, headers: { ...said.headers, ...headersOf(step) } }
				: {
						status,
						headers: headersOf(step),
						body: textOf(step.body ?? { status }),
						replayed: false,
					};
		}
		const answer = this.#application.process(logged, (created) => ({
			status,
			headers: headersOf(step),
			body: textOf(step.body ?? (created === undefined ? { status } : { id: created.id })),
		}));
		logged.processed = true;
		logged.replayed = answer.replayed;
		return answer;
	}

	#sleep(ms: number): Promise<void> {
		return new Promise((resolve) => {
			const timer = setTimeout(() => {
				this.#timers.delete(timer);
				resolve();
			}, ms);
			this.#timers.add(timer);
		});
	}
}

function headersOf(step: Step): Record<string, string | readonly string[]> {
	const headers: Record<string, string | readonly string[]> = { ...step.headers };
	if (step.retryAfter !== undefined) {
		headers['retry-after'] = String(step.retryAfter);
	}
	if (step.retryAfterDate !== undefined) {
		const second = Math.ceil(Date.now() / 1000 + step.retryAfterDate);
		headers['retry-after'] = new Date(second * 1000).toUTCString();
	}
	if (step.retryAfterMs !== undefined) {
		headers['retry-after-ms'] = String(step.retryAfterMs);
	}
	return headers;
}

function textOf(body: unknown): string {
	return typeof body === 'string' ? body : JSON.stringify(body);
}

/** Everything but the body; `length` is what the answer claims. */
function head(response: ServerResponse, answer: Answer, length: number): void {
	response.statusCode = answer.status;
	response.setHeader('content-type', 'application/json');
	for (const [name, value] of Object.entries(answer.headers)) {
		response.setHeader(name, value);
	}
	if (answer.replayed) {
		response.setHeader('Idempotent-Replayed', 'true');
	}
	// RFC 9110 §8.6: these two never announce a length.
	if (answer.status !== 204 && answer.status !== 304) {
		response.setHeader('content-length', length);
	}
}

function send(response: ServerResponse, answer: Answer): void {
	head(response, answer, Buffer.byteLength(answer.body));
	response.end(answer.body);
}

function truncate(response: ServerResponse, answer: Answer): void {
	head(response, answer, Buffer.byteLength(answer.body) + 1);
	response.write(answer.body, () => response.destroy());
}

/** RFC 9112 §6.3: a length and a transfer coding together are an error. */
function misframe(socket: Socket, { status, body }: Answer): void {
	socket.end(
		`HTTP/1.1 ${status} Misframed\r\ncontent-length: ${Buffer.byteLength(body)}\r\ntransfer-encoding: chunked\r\n\r\n${body}`,
	);
}

function readBody(request: IncomingMessage): Promise<string | undefined> {
	return new Promise((resolve) => {
		const chunks: Buffer[] = [];
		let size = 0;
		request.on('data', (chunk: Buffer) => {
			size += chunk.length;
			if (size <= MAX_BODY) {
				chunks.push(chunk);
			}
		});
		request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
		request.on('close', () => resolve(undefined));
	});
}
