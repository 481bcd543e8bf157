/**
 * Requests over HTTP/2 (RFC 9113), where one connection carries many.
 *
 * @module
 */

import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Answer } from './application.ts';
import type { Fault } from './script.ts';
import { type Exchange, hasLength, joined, type Lines, textOf } from './wire.ts';

/** A request over HTTP/2. */
export class Http2Exchange implements Exchange {
	readonly method: string;
	readonly target: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly #stream: ServerHttp2Stream;
	readonly #raw: Socket;

	/** `raw` is the TCP connection, under TLS too. */
	constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: Socket) {
		this.#stream = stream;
		this.#raw = raw;
		this.method = String(headers[':method'] ?? 'GET');
		this.target = String(headers[':path'] ?? '/');
		this.headers = joined(headers);
		// A stream that the client gives up is no fault of the server's.
		stream.on('error', () => {});
	}

	get isOver(): boolean {
		return this.#stream.destroyed || this.#stream.closed || this.#raw.destroyed;
	}

	body(): Promise<string | undefined> {
		return textOf(this.#stream);
	}

	whenOver(end: () => void): void {
		this.#stream.once('close', end);
	}

	async answer(answer: Answer, headers: Lines, pause: () => Promise<void>): Promise<void> {
		this.#head(answer, headers, Buffer.byteLength(answer.body));
		await pause();
		if (!this.isOver) {
			this.#stream.end(answer.body);
		}
	}

	spoil(fault: Fault, answer: Answer, headers: Lines): boolean {
		const stream = this.#stream;
		const length = Buffer.byteLength(answer.body);
		switch (fault) {
			case 'truncate':
				this.#head(answer, headers, length + 1);
				stream.write(answer.body, () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
				return true;
			case 'misframe':
				// §8.1.1: a length that the data does not add up to is a malformed answer.
				this.#head(answer, headers, length + 1);
				stream.end(answer.body);
				return false;
			case 'refused-stream':
				// §8.7: the server did not look at it.
				stream.close(constants.NGHTTP2_REFUSED_STREAM);
				return false;
			case 'goaway':
				// §6.8: this stream is above the last one that was looked at.
				this.#goAway(Math.max(0, (stream.id ?? 1) - 2));
				return false;
			case 'goaway-after':
				this.#goAway(stream.id ?? 1);
				return false;
			default:
				this.#raw.resetAndDestroy();
				return false;
		}
	}

	/** Says which stream was the last one, and ends the connection. */
	#goAway(last: number): void {
		const { session } = this.#stream;
		if (last > 0) {
			session?.goaway(constants.NGHTTP2_NO_ERROR, last);
		} else if (session?.encrypted === true) {
			// Node takes 0 for "the last one that came", and TLS lets nobody write beside it: the first
			// stream of a connection is refused as well, which says the same of it.
			this.#stream.close(constants.NGHTTP2_REFUSED_STREAM);
			session.goaway(constants.NGHTTP2_NO_ERROR);
		} else {
			this.#raw.write(GOAWAY_BEFORE_ALL);
		}
		// The frame has to leave before the connection does.
		setImmediate(() => this.#raw.end());
	}

	#head(answer: Answer, headers: Lines, length: number): void {
		this.#stream.respond({
			...(headers as Record<string, string | string[]>),
			':status': answer.status,
			...(hasLength(answer.status) && { 'content-length': String(length) }),
		});
	}
}

/** §6.8: eight bytes of payload, type 7, no flags, stream 0; last stream 0, NO_ERROR. */
const GOAWAY_BEFORE_ALL: Uint8Array = Uint8Array.of(0, 0, 8, 7, ...new Array<number>(13).fill(0));
