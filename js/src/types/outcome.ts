/**
 * How an attempt ended, as callers tell it.
 *
 * @module
 */

import type { Family } from './words.ts';

/**
 * Headers as hosts have them: `Headers`, `AxiosHeaders`, a `Map`, a plain object in any case, or
 * pairs. A value may be an array (one line each) or a number; anything else that is not a string
 * counts as absent.
 */
export type HeadersLike =
	| Iterable<readonly [string, unknown]>
	| { readonly [name: string]: unknown }
	| { forEach(visit: (value: string, name: string) => void): void };

/** The machine codes of an error body, where the caller took them out already. */
export interface BodyCodes {
	/** The error code (`insufficient_quota`, `ThrottlingException` …). */
	code?: string;
	/** The limit that was hit. */
	policy?: string;
	/** The problem type (RFC 9457), a URI. */
	problemType?: string;
	/** A protobuf JSON duration (`26s`). */
	retryDelay?: string;
	/** Seconds to wait, as written in the body. */
	retryAfterS?: string | number;
}

/** An answer, as far as waits are concerned. */
export interface AnswerFacts {
	/** The status code. @default 0, which no server sends */
	status?: number;
	/** The response headers. */
	headers?: HeadersLike | null | undefined;
	/** The parsed body; only the profile's few places in it are looked at. */
	body?: unknown;
	/** The machine codes of the body; they win over `body`. */
	codes?: BodyCodes;
}

/**
 * How an attempt ended. With neither `status` nor `error` it says nothing: transient, and it may
 * have been processed. A status outside 100 to 599, or one that is no whole number, is permanent.
 */
export interface Outcome extends AnswerFacts {
	/**
	 * What was thrown. An error that carries a `response` with a status speaks through that one;
	 * otherwise `code`, `name`, `message`, `syscall` and the chain of `cause` are read, to a bounded
	 * depth. With a `status` beside it the status decides.
	 */
	error?: unknown;
	/** The answer is already streaming to the caller: it cannot be taken back. @default false */
	committed?: boolean;
	/** How long the attempt took, where the caller measured it. @default the clock's own span */
	durationMs?: number;
}

/** Facts about a transport error for which no JavaScript error exists, all optional. */
export interface TransportFacts {
	/** Who reported it; makes the facts below count. */
	family: Family;
	code?: string;
	name?: string;
	message?: string;
	syscall?: string;
	/** Where it failed (`connect`, `tls-handshake`, `read`, `refused-stream` …). */
	phase?: string;
	/** Go: the operation. */
	op?: string;
	/** Go: the error's type. */
	kind?: string;
	/** DNS: the response code. */
	rcode?: string;
	/** HTTP/2: the frame that carried the code. */
	frame?: string;
	/** gRPC: how far the attempt came. */
	progress?: string;
	/** HTTP/2: the stream of the request. */
	streamId?: number;
	/** HTTP/2: the last stream that a GOAWAY lets live. */
	lastStreamId?: number;
	/** Go `net.DNSError`: the failure is temporary. */
	temporary?: boolean;
	/** Go `net.DNSError`: the name does not exist. */
	notFound?: boolean;
	/** The request went out on a connection that had been used before. */
	reused?: boolean;
	/** What caused it. */
	cause?: unknown;
}
