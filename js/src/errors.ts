/**
 * What this package throws. Deciding throws nothing: only construction and refusals do.
 *
 * The guards compare names, so they work across realms and across two copies of the package.
 *
 * @module
 */

import type { Issue, Reason } from './types.ts';

/** The base of every error of this package. */
export class RetrywiseError extends Error {
	override name: string = 'RetrywiseError';
}

/** A policy that does not say what it should, with everything that is wrong with it. */
export class PolicyError extends RetrywiseError {
	override name: string = 'PolicyError';
	/** All findings, never empty. */
	readonly issues: readonly Issue[];

	constructor(issues: readonly Issue[]) {
		super(`invalid policy: ${issues.map((issue) => issue.message).join('; ')}`);
		this.issues = issues;
	}
}

/** The WebAssembly module could not be compiled or was not given. */
export class LoadError extends RetrywiseError {
	override name: string = 'LoadError';
}

/** A call that must not be sent now. */
export class RetryRefused extends RetrywiseError {
	override name: string = 'RetryRefused';
	/** Why. */
	readonly reason: Reason;
	/** When asking again makes sense; null when time alone changes nothing. */
	readonly retryInMs: number | null;

	constructor(reason: Reason, retryInMs: number | null) {
		super(`refused: ${reason}`);
		this.reason = reason;
		this.retryInMs = retryInMs;
	}
}

/**
 * Thrown by a function that is retried: ends its call at once. The call rejects with what it was
 * made of.
 */
export class AbortError extends RetrywiseError {
	override name: string = 'AbortError';
	/** What the call rejects with; an error of that message where a message was given. */
	readonly originalError: Error;

	constructor(reason: Error | string) {
		const original = typeof reason === 'string' ? new Error(reason) : reason;
		super(original.message, { cause: original });
		this.originalError = original;
	}
}

/** Whether `value` is a {@link PolicyError}. */
export function isPolicyError(value: unknown): value is PolicyError {
	return isNamed(value, 'PolicyError');
}

/** Whether `value` is a {@link LoadError}. */
export function isLoadError(value: unknown): value is LoadError {
	return isNamed(value, 'LoadError');
}

/** Whether `value` is an {@link AbortError}, and not the `AbortError` of a signal. */
export function isAbortError(value: unknown): value is AbortError {
	return isNamed(value, 'AbortError') && 'originalError' in (value as object);
}

/** Whether `value` is a {@link RetryRefused}. */
export function isRetryRefused(value: unknown): value is RetryRefused {
	return isNamed(value, 'RetryRefused');
}

function isNamed(value: unknown, name: string): boolean {
	return value instanceof Error && value.name === name;
}
