/**
 * The scripted faulty HTTP server: real sockets, on this machine only.
 *
 * @module
 */

import { createServer as createHttp } from 'node:http';
import { createServer as createHttp2, createSecureServer as createHttp2s } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { type Answer, Application, problem, type Resource } from './application.ts';
import type { VirtualClock } from './clock.ts';
import { type Fault, Playbook, type Protocol, type Script, type Step } from './script.ts';
import { type Exchange, Http1Exchange, joined, type Lines } from './wire.ts';
import { Http2Exchange } from './wire-http2.ts';

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
	/** What it speaks; HTTP/2 without TLS needs a client that knows that beforehand. Default: `http1`. */
	protocol?: Protocol;
	/** Speaks TLS with this key and certificate (PEM). Default: none. */
	tls?: { readonly key: string; readonly cert: string };
	/**
	 * Where its time comes from. With a {@link VirtualClock} slow answers take no real time, and a
	 * request that hangs lets the clock go on to the client's timeout. Default: the real clocks.
	 */
	clock?: VirtualClock;
}

/** One request as the server saw it. */
export interface LoggedRequest {
	/** When it had arrived whole, in milliseconds since the server started or was last given a script. */
	atMs: number;
	/** When it was answered or its connection was gone; undefined as long as neither is so. */
	endedMs: number | undefined;
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
	/** The headers that were sent with it, but for the length; names in lower case. */
	answerHeaders: Readonly<Record<string, string>>;
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

/** Faults that strike before the application sees the request. */
const BEFORE: readonly (Fault | undefined)[] = ['hang', 'reset', 'refused-stream', 'goaway'];

/** How long a client has, in real time, to act on a timer of the virtual clock. */
const TURN_MS = 5000;

class Running implements FaultyServer {
	readonly #server: Server;
	readonly #scheme: string;
	readonly #protocol: Protocol;
	readonly #keyHeader: string;
	readonly #application: Application;
	readonly #clock: VirtualClock | undefined;
	/** TCP connections by the port at their other end. */
	readonly #sockets = new Map<number | undefined, Socket>();
	readonly #timers = new Set<NodeJS.Timeout>();
	#playbook: Playbook;
	#requests: LoggedRequest[] = [];
	#startedAt: number;
	#host = '';
	#closed: Promise<void> | undefined;

	constructor(script: Script, options: FaultyServerOptions) {
		const { keyHeader = 'Idempotency-Key', honoursKeys = true, protocol = 'http1' } = options;
		this.#protocol = protocol;
		this.#playbook = new Playbook(script, protocol);
		this.#keyHeader = keyHeader.toLowerCase();
		this.#application = new Application(honoursKeys);
		this.#clock = options.clock;
		this.#startedAt = this.#now();
		this.#scheme = options.tls === undefined ? 'http' : 'https';
		this.#server = this.#create(options.tls);
		this.#server.on('connection', (socket: Socket) => {
			const { remotePort } = socket;
			this.#sockets.set(remotePort, socket);
			socket.on('error', () => {});
			socket.once('close', () => this.#sockets.delete(remotePort));
		});
	}

	get port(): number {
		return (this.#server.address() as AddressInfo | null)?.port ?? 0;
	}

	get url(): string {
		const host = this.#host.includes(':') ? `[${this.#host}]` : this.#host;
		return `${this.#scheme}://${host}:${this.port}`;
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
		this.#playbook = new Playbook(script, this.#protocol);
		this.#application.reset();
		this.#requests = [];
		this.#startedAt = this.#now();
	}

	close(): Promise<void> {
		this.#closed ??= new Promise((resolve) => {
			for (const timer of this.#timers) {
				clearTimeout(timer);
			}
			this.#server.close(() => resolve());
			for (const socket of this.#sockets.values()) {
				socket.destroy();
			}
		});
		return this.#closed;
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.close();
	}

	#create(tls: FaultyServerOptions['tls']): Server {
		if (this.#protocol === 'http2') {
			const server = tls === undefined ? createHttp2() : createHttp2s(tls);
			server.on('sessionError', () => {});
			server.on('stream', (stream, headers) => {
				const raw = this.#sockets.get(stream.session?.socket.remotePort);
				if (raw !== undefined) {
					void this.#serve(new Http2Exchange(stream, headers, raw));
				}
			});
			return server;
		}
		const server = tls === undefined ? createHttp() : createHttps(tls);
		server.on('request', (request, response) => {
			const raw = this.#sockets.get(request.socket.remotePort);
			if (raw !== undefined) {
				void this.#serve(new Http1Exchange(request, response, raw));
			}
		});
		return server;
	}

	async #serve(exchange: Exchange): Promise<void> {
		const logged = await this.#log(exchange);
		if (logged === undefined) {
			return;
		}
		const { step } = logged;
		const { fault } = step;
		exchange.whenOver(() => {
			logged.endedMs ??= this.#now() - this.#startedAt;
		});
		await this.#pause(step.delayMs, exchange, logged);
		if (exchange.isOver) {
			return;
		}
		const answer = this.#answer(logged);
		if (fault === 'hang' || fault === 'hang-after') {
			if (this.#clock?.skip()) {
				// Somebody's time is up: the client that waits here, as far as can be told.
				logged.endedMs = this.#now() - this.#startedAt;
			}
			return;
		}
		const lines = this.#lines(answer);
		logged.endedMs = this.#now() - this.#startedAt;
		const sent = fault === undefined || exchange.spoil(fault, answer, lines);
		if (sent) {
			logged.status = answer.status;
			logged.answerHeaders = joined(lines);
		}
		if (fault === undefined) {
			await exchange.answer(answer, lines, () => this.#pause(step.bodyDelayMs, exchange, logged));
		}
	}

	/** Reads the request whole and writes it into the log; nothing when the client left meanwhile. */
	async #log(exchange: Exchange): Promise<LoggedRequest | undefined> {
		const body = await exchange.body();
		if (body === undefined) {
			return undefined;
		}
		const { method, target, headers } = exchange;
		const at = target.indexOf('?');
		const path = at < 0 ? target : target.slice(0, at);
		const key = headers[this.#keyHeader];
		const same = this.#requests.filter(
			(r) => r.method === method && r.path === path && r.key === key,
		);
		const logged: LoggedRequest = {
			atMs: this.#now() - this.#startedAt,
			endedMs: undefined,
			method,
			path,
			query: at < 0 ? '' : target.slice(at),
			headers,
			body,
			key,
			attempt: same.length + 1,
			step: this.#playbook.next({ method, path, key }),
			status: undefined,
			answerHeaders: {},
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
		const headers = this.#headersOf(step);
		if (!(step.processes ?? (status < 400 && !BEFORE.includes(step.fault)))) {
			return step.body === undefined && status >= 400
				? { ...said, headers: { ...said.headers, ...headers } }
				: { status, headers, body: textOf(step.body ?? { status }), replayed: false };
		}
		const answer = this.#application.process(logged, (created) => ({
			status,
			headers,
			body: textOf(step.body ?? (created === undefined ? { status } : { id: created.id })),
		}));
		logged.processed = true;
		logged.replayed = answer.replayed;
		return answer;
	}

	/** The header lines of an answer, its length apart. */
	#lines(answer: Answer): Lines {
		return {
			'content-type': 'application/json',
			date: new Date(this.#wall()).toUTCString(),
			...answer.headers,
			...(answer.replayed && { 'idempotent-replayed': 'true' }),
		};
	}

	#headersOf(step: Step): Lines {
		const headers: Record<string, string | readonly string[]> = {};
		for (const [name, value] of Object.entries(step.headers ?? {})) {
			headers[name.toLowerCase()] = value;
		}
		if (step.retryAfter !== undefined) {
			headers['retry-after'] = String(step.retryAfter);
		}
		if (step.retryAfterDate !== undefined) {
			const second = Math.ceil(this.#wall() / 1000 + step.retryAfterDate);
			headers['retry-after'] = new Date(second * 1000).toUTCString();
		}
		if (step.retryAfterMs !== undefined) {
			headers['retry-after-ms'] = String(step.retryAfterMs);
		}
		return headers;
	}

	/** Lets time pass: on the virtual clock at once. */
	async #pause(ms: number | undefined, exchange: Exchange, logged: LoggedRequest): Promise<void> {
		const clock = this.#clock;
		if (ms === undefined) {
			return;
		}
		if (clock === undefined) {
			await this.#sleep(ms);
			return;
		}
		const until = clock.now() + ms;
		while (clock.now() < until) {
			const left = until - clock.now();
			if ((clock.untilTimer ?? left) >= left) {
				clock.advance(left);
				return;
			}
			// Somebody's time is up first: a client that gives up now has gone before the answer comes.
			clock.skip();
			logged.endedMs = clock.now() - this.#startedAt;
			const gone = new Promise<void>((resolve) => exchange.whenOver(resolve));
			await Promise.race([gone, this.#sleep(TURN_MS)]);
			if (exchange.isOver) {
				return;
			}
			logged.endedMs = undefined;
		}
	}

	#now(): number {
		return this.#clock?.now() ?? performance.now();
	}

	#wall(): number {
		return this.#clock?.wall() ?? Date.now();
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

function textOf(body: unknown): string {
	return typeof body === 'string' ? body : JSON.stringify(body);
}
