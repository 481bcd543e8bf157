/**
 * Calls as the rows of a table: what the SQL stores have in common.
 *
 * @module
 */

import { type CallFacts, doneOf, dueOf, type StoredCall } from './store.ts';

/** A row as a driver gives it: JSON as text, and a number that some drivers hand over as text. */
export interface Row {
	readonly record: string;
	readonly labels: string;
	readonly priority: number | string;
	readonly request: string;
	readonly payload: string | null;
	readonly outcome: string | null;
}

/** What of a record is searched and compared, and the record: columns that every change sets. */
export const CHANGING: readonly string[] = ['revision', 'state', 'cause', 'due', 'done', 'record'];

/** The values of {@link CHANGING}. */
export function changingOf(record: StoredCall['record']): (string | number | null)[] {
	const { revision, state, cause } = record;
	return [revision, state, cause, dueOf(record), doneOf(record), JSON.stringify(record)];
}

/** What is written once: columns that only an insert sets. */
export const LASTING: readonly string[] = [
	'id',
	'created',
	'labels',
	'priority',
	'request',
	'payload',
];

/** The values of {@link LASTING}. */
export function lastingOf(
	{ id, createdAt }: StoredCall['record'],
	{ payload, labels, priority, method, idempotent }: CallFacts,
): (string | number | null)[] {
	const request = JSON.stringify({ method, idempotent });
	return [id, createdAt, JSON.stringify(labels), priority, request, payload];
}

/** The call that a row stands for. */
export function callOf(row: unknown): StoredCall {
	const { record, labels, priority, request, payload, outcome } = row as Row;
	const { method, idempotent } = JSON.parse(request) as Pick<CallFacts, 'method' | 'idempotent'>;
	return {
		record: JSON.parse(record) as StoredCall['record'],
		facts: {
			payload,
			labels: JSON.parse(labels) as CallFacts['labels'],
			priority: Number(priority),
			method,
			idempotent,
		},
		outcome,
	};
}
