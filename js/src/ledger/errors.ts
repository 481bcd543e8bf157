/**
 * What a ledger throws besides what the package throws anyway.
 *
 * @module
 */

import { RetrywiseError } from '../errors.ts';

/** One event was used for two payloads: one of the two callers is wrong, and neither is sent. */
export class LedgerConflict extends RetrywiseError {
	override name: string = 'LedgerConflict';
	readonly event: string;

	constructor(event: string) {
		super(`${JSON.stringify(event)} is in the ledger with another payload`);
		this.event = event;
	}
}

/**
 * The reason with which an attempt's signal is aborted when another worker has the call: whatever
 * the attempt comes to does not count any more.
 */
export class LeaseLost extends RetrywiseError {
	override name: string = 'LeaseLost';
	readonly event: string;

	constructor(event: string) {
		super(`another worker took ${JSON.stringify(event)} over`);
		this.event = event;
	}
}

/** The store failed; `cause` is its own error. What it was asked to write it may have written. */
export class StoreError extends RetrywiseError {
	override name: string = 'StoreError';
	/** What it was asked to do. */
	readonly operation: string;

	constructor(operation: string, about: string, cause: unknown) {
		super(`the ledger's store failed at "${operation}"${about}: ${said(cause)}`, { cause });
		this.operation = operation;
	}
}

/** Whether `value` is a {@link LedgerConflict}, of any copy of the package. */
export function isLedgerConflict(value: unknown): value is LedgerConflict {
	return value instanceof Error && value.name === 'LedgerConflict';
}

/** Whether `value` is a {@link LeaseLost}, of any copy of the package. */
export function isLeaseLost(value: unknown): value is LeaseLost {
	return value instanceof Error && value.name === 'LeaseLost';
}

/** Whether `value` is a {@link StoreError}, of any copy of the package. */
export function isStoreError(value: unknown): value is StoreError {
	return value instanceof Error && value.name === 'StoreError';
}

/** What an error says; a connection that was tried at several addresses says nothing itself. */
function said(error: unknown): string {
	const { message, errors, code } = (error ?? {}) as {
		message?: unknown;
		errors?: unknown;
		code?: unknown;
	};
	if (typeof message === 'string' && message !== '') {
		return message;
	}
	return Array.isArray(errors) ? errors.map(said).join('; ') : String(code ?? error);
}
