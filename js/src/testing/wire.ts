/**
 * One request on the wire, and the ways to spoil its answer. HTTP/1.1 here, HTTP/2 beside it.
 *
 * @module
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Answer } from './application.ts';
import type { Fault } from './script.ts';

/** A request that has arrived, and its way back. */
export interface Exchange {
	readonly method: string;
	/** The path with its query. */
	readonly target: string;
	/** Names in lower case; repeated ones joined by commas. */
	readonly headers: Readonly<Record<string, string>>;
	/** The client has left, or everything was said. */
	readonly isOver: boolean;
	/** The body; undefined when the client left before it was there. */
	body(): Promise<string | undefined>;
	/** Calls `end` once, when {@link isOver} becomes true. */
	whenOver(end: () => void): void;
	/** Sends a good answer; the body `pauseMs` after the head. */
	answer(answer: Answer, headers: Lines, pause: () => Promise<void>): Promise<void>;
	/** Does what the fault says; whether a status went out. */
	spoil(fault: Fault, answer: Answer, headers: Lines): boolean;
}

/** Header lines by name. */
export type Lines = Readonly<Record<string, string | readonly string[]>>;

/** Bodies beyond this are cut off: this is a test server. */
const MAX_BODY = 1 << 20;

/** A request over HTTP/1.1. */
export class Http1Exchange implements Exchange {
	readonly method: string;
	readonly target: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly #request: IncomingMessage;
	readonly #response: ServerResponse;
	readonly #raw: Socket;

	/** `raw` is the TCP connection, under TLS too. */
	constructor(request: IncomingMessage, response: ServerResponse, raw: Socket) {
		this.#request = request;
		this.#response = response;
		this.#raw = raw;
		this.method = request.method ?? 'GET';
		this.target = request.url ?? '/';
		this.headers = joined(request.headersDistinct);
	}

	get isOver(): boolean {
		return this.#response.destroyed || this.#request.socket.destroyed || this.#raw.destroyed;
	}

	body(): Promise<string | undefined> {
		return textOf(this.#request);
	}

	whenOver(end: () => void): void {
		this.#response.once('close', end);
	}

	async answer(answer: Answer, headers: Lines, pause: () => Promise<void>): Promise<void> {
		this.#head(answer, headers, Buffer.byteLength(answer.body));
		this.#response.flushHeaders();
		await pause();
		this.#response.end(answer.body);
	}

	spoil(fault: Fault, answer: Answer, headers: Lines): boolean {
		const response = this.#response;
		switch (fault) {
			case 'truncate':
				this.#head(answer, headers, Buffer.byteLength(answer.body) + 1);
				response.write(answer.body, () => response.destroy());
				return true;
			case 'misframe':
				this.#say(answer, `content-length: ${answer.body.length}\r\n`, answer.body);
				return false;
			case 'bad-chunk':
				this.#say(answer, '', `no-number\r\n${answer.body}\r\n0\r\n\r\n`);
				return true;
			default:
				this.#raw.resetAndDestroy();
				return false;
		}
	}

	/** Everything but the body; `length` is what the answer claims. */
	#head(answer: Answer, headers: Lines, length: number): void {
		this.#response.statusCode = answer.status;
		for (const [name, value] of Object.entries(headers)) {
			this.#response.setHeader(name, value);
		}
		if (hasLength(answer.status)) {
			this.#response.setHeader('content-length', length);
		}
	}

	/** An answer written by hand, which calls itself chunked (RFC 9112 §6.1, §7.1). */
	#say({ status }: Answer, also: string, rest: string): void {
		const head = `HTTP/1.1 ${status} Spoiled\r\n${also}transfer-encoding: chunked\r\n\r\n`;
		this.#request.socket.end(head + rest);
	}
}

/** RFC 9110 §8.6: these two never announce a length. */
export function hasLength(status: number): boolean {
	return status !== 204 && status !== 304;
}

/** Headers with one text each. */
export function joined(
	headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Readonly<Record<string, string>> {
	const pairs = Object.entries(headers).filter(([name]) => !name.startsWith(':'));
	return Object.fromEntries(pairs.map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}

/** A body as text; undefined when it breaks off. */
export function textOf(stream: Readable): Promise<string | undefined> {
	return new Promise((resolve) => {
		const chunks: Buffer[] = [];
		let size = 0;
		stream.on('data', (chunk: Buffer) => {
			size += chunk.length;
			if (size <= MAX_BODY) {
				chunks.push(chunk);
			}
		});
		stream.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
		stream.on('close', () => resolve(undefined));
		stream.on('error', () => resolve(undefined));
	});
}
