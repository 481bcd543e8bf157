/**
 * What a dispatcher throws besides what its upstream or its ledger does.
 *
 * @module
 */

import { RetrywiseError } from '../errors.ts';

/** The dispatcher keeps as many calls as it may: this one was not added. */
export class DispatcherFull extends RetrywiseError {
	override name: string = 'DispatcherFull';
}

/** The dispatcher was closed before the call's turn came: it was not sent. */
export class DispatcherClosed extends RetrywiseError {
	override name: string = 'DispatcherClosed';
}

/** Whether `value` is a {@link DispatcherFull}, of any copy of the package. */
export function isDispatcherFull(value: unknown): value is DispatcherFull {
	return value instanceof Error && value.name === 'DispatcherFull';
}

/** Whether `value` is a {@link DispatcherClosed}, of any copy of the package. */
export function isDispatcherClosed(value: unknown): value is DispatcherClosed {
	return value instanceof Error && value.name === 'DispatcherClosed';
}
