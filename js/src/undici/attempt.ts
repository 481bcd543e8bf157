/**
 * What comes of one attempt: held back until it is decided on, then handed on or dropped.
 *
 * ```text
 * sent ─head─▶ (reading ─end, limit─▶) decided ─▶ handed on … end
 *   └──error──▶ decided ─▶ dropped
 * ```
 *
 * @module
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Outcome } from '../types.ts';
import type { Exchange } from './exchange.ts';

type Controller = Dispatcher.DispatchController;

/** The begin of an answer. */
export interface Head {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	readonly message: string | undefined;
}

/** Bytes of a body that are read for its machine codes, or to keep a connection. */
const LIMIT = 1 << 16;

type State = 'sent' | 'reading' | 'handed-on' | 'dropped' | 'over';

export class Attempt implements Dispatcher.DispatchHandler {
	controller: Controller | null = null;
	readonly #exchange: Exchange;
	readonly #started = performance.now();
	#state: State = 'sent';
	#head: Head | undefined;
	#chunks: Buffer[] = [];
	#size = 0;
	#timer: ReturnType<typeof setTimeout> | undefined;

	constructor(exchange: Exchange) {
		this.#exchange = exchange;
	}

	/** Ends the attempt after so long. */
	limit(ms: number): void {
		this.#timer = setTimeout(() => {
			this.abort(new DOMException(`the attempt took longer than ${ms} ms`, 'TimeoutError'));
		}, ms);
	}

	/** Ends what is under way; false when that was decided on already, and a wait goes on. */
	abort(reason: Error): boolean {
		if (this.#state === 'dropped' || this.#state === 'over') {
			return false;
		}
		const { controller } = this;
		if (controller === null) {
			// Waiting for a connection: undici cannot be told yet.
			this.#fail(reason);
		} else {
			controller.abort(reason);
			// An abort is told as an error, by undici's own handlers at least.
			this.#fail(reason);
		}
		return true;
	}

	/** The next attempt begins: what is left of this one is not waited for. */
	drop(): void {
		if (this.#state === 'dropped') {
			this.#close();
			this.controller?.abort(new DOMException('another attempt began', 'AbortError'));
		}
	}

	// What undici tells.

	onRequestStart(controller: Controller, context: unknown): void {
		this.controller = controller;
		if (this.#state === 'over') {
			controller.abort(this.#exchange.reason ?? new DOMException('too late', 'AbortError'));
			return;
		}
		this.#exchange.started(context);
	}

	onRequestUpgrade(_controller: Controller, ...rest: Parameters<Exchange['upgrade']>): void {
		this.#close();
		this.#exchange.upgrade(...rest);
	}

	onResponseStart(
		_controller: Controller,
		status: number,
		headers: IncomingHttpHeaders,
		message?: string,
	): void {
		const head: Head = { status, headers, message };
		if (status < 200) {
			this.#exchange.answer(head);
			return;
		}
		if (this.#state !== 'sent') {
			return;
		}
		this.#head = head;
		if (this.#exchange.readsBodies && status >= 400 && isJson(headers)) {
			this.#state = 'reading';
		} else {
			this.#decide({});
		}
	}

	onResponseData(controller: Controller, chunk: Buffer): void {
		switch (this.#state) {
			case 'handed-on':
				this.#exchange.data(chunk);
				return;
			case 'reading':
				this.#chunks.push(chunk);
				this.#size += chunk.length;
				if (this.#size > LIMIT) {
					this.#decide({});
				}
				return;
			case 'dropped':
				this.#size += chunk.length;
				if (this.#size > LIMIT) {
					this.#close();
					controller.abort(new DOMException('the rest is not wanted', 'AbortError'));
				}
		}
	}

	onResponseEnd(_controller: Controller, trailers: IncomingHttpHeaders): void {
		if (this.#state === 'reading') {
			this.#decide({ body: parse(this.#chunks) });
		}
		const wasHandedOn = this.#state === 'handed-on';
		this.#close();
		if (wasHandedOn) {
			this.#exchange.end(trailers);
		}
	}

	onResponseError(_controller: Controller | null, error: Error): void {
		this.#fail(this.#exchange.reason ?? error);
	}

	#fail(error: Error): void {
		const state = this.#state;
		this.#close();
		if (state === 'handed-on' || this.#exchange.aborted) {
			this.#exchange.fail(error);
		} else if (state === 'sent' || state === 'reading') {
			// An answer whose body broke is an answer still.
			const outcome = this.#head === undefined ? { error } : { ...this.#outcome(), error };
			if (this.#exchange.isFinal({ ...outcome, durationMs: performance.now() - this.#started })) {
				this.#exchange.fail(error);
			}
		}
	}

	#outcome(): Outcome {
		return this.#head === undefined
			? {}
			: { status: this.#head.status, headers: this.#head.headers };
	}

	#decide(more: Outcome): void {
		const durationMs = performance.now() - this.#started;
		// Handed on before it is told: what is decided may act at once.
		this.#state = 'dropped';
		if (!this.#exchange.isFinal({ ...this.#outcome(), ...more, durationMs })) {
			clearTimeout(this.#timer);
			this.#chunks = [];
			return;
		}
		this.#state = 'handed-on';
		this.#exchange.answer(this.#head as Head);
		for (const chunk of this.#chunks.splice(0)) {
			this.#exchange.data(chunk);
		}
	}

	#close(): void {
		clearTimeout(this.#timer);
		this.#state = 'over';
		this.#chunks = [];
	}
}

function isJson(headers: IncomingHttpHeaders): boolean {
	const type = String(headers['content-type'] ?? '');
	return /[/+]json\b/i.test(type) && headers['content-encoding'] === undefined;
}

function parse(chunks: readonly Buffer[]): unknown {
	try {
		return JSON.parse(Buffer.concat(chunks).toString('utf8'));
	} catch {
		return undefined;
	}
}
