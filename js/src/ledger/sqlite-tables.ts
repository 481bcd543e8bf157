/**
 * A ledger's tables in SQLite, wherever it runs: what is read and written, without a word about
 * connections, locks and transactions.
 *
 * @module
 */

import { RetrywiseError } from '../errors.ts';
import type { TrailEntry } from './core.ts';
import { CHANGING, callOf, changingOf, LASTING, lastingOf } from './rows.ts';
import type { CallFacts, Change, StoredCall, StoreQuery } from './store.ts';

/** What is bound to a statement. */
export type SqliteValue = string | number | null;

/** Runs one statement. */
export interface SqliteRunner {
	all(sql: string, ...values: SqliteValue[]): unknown[];
	run(sql: string, ...values: SqliteValue[]): void;
}

const CALL = 'SELECT c.record, c.labels, c.priority, c.request, c.payload, c.outcome';

/** The tables. Each method is one transaction of the caller; those that only read need none. */
export class SqliteTables {
	readonly #database: SqliteRunner;

	constructor(database: SqliteRunner) {
		this.#database = database;
	}

	get(id: string): StoredCall | null {
		const [row] = this.#database.all(`${CALL} FROM retrywise_call c WHERE c.id = ?`, id);
		return row === undefined ? null : callOf(row);
	}

	trail(id: string): readonly TrailEntry[] {
		const sql = 'SELECT entry FROM retrywise_trail WHERE call_id = ? ORDER BY place';
		const rows = this.#database.all(sql, id);
		return rows.map((row) => JSON.parse((row as { entry: string }).entry) as TrailEntry);
	}

	list({ state, cause, labels, after, limit }: StoreQuery): readonly StoredCall[] {
		const where: string[] = [];
		const values: SqliteValue[] = [];
		const and = (condition: string, ...bound: SqliteValue[]): void => {
			where.push(condition);
			values.push(...bound);
		};
		if (state !== undefined) {
			and('c.state = ?', state);
		}
		if (cause !== undefined) {
			and('c.cause = ?', cause);
		}
		for (const [name, value] of Object.entries(labels ?? {})) {
			const found = 'SELECT call_id FROM retrywise_label WHERE name = ? AND value = ?';
			and(`c.id IN (${found})`, name, value);
		}
		if (after !== undefined) {
			and('(c.created, c.id) > (?, ?)', after.createdAt, after.id);
		}
		const all = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`;
		const sql = `${CALL} FROM retrywise_call c ${all} ORDER BY c.created, c.id LIMIT ?`;
		return this.#database.all(sql, ...values, limit).map(callOf);
	}

	due(now: number, limit: number): readonly StoredCall[] {
		const sql = `${CALL} FROM retrywise_call c WHERE c.due IS NOT NULL AND c.due <= ?
			ORDER BY c.priority DESC, c.due LIMIT ?`;
		return this.#database.all(sql, now, limit).map(callOf);
	}

	purge(before: number, limit: number): number {
		const sql = `SELECT id FROM retrywise_call WHERE done IS NOT NULL AND done < ?
			ORDER BY done LIMIT ?`;
		const rows = this.#database.all(sql, before, limit);
		for (const row of rows) {
			this.#delete((row as { id: string }).id);
		}
		return rows.length;
	}

	write({ id, expected, record, entries, facts, outcome, created }: Change): boolean {
		if (this.#revision(id) !== expected) {
			return false;
		}
		if (created !== undefined) {
			if (this.#revision(created.record.id) !== 0) {
				return false;
			}
			this.#insert(created.record, created.facts);
			this.#append(created.record.id, created.entries);
		}
		if (record === null) {
			this.#delete(id);
			return true;
		}
		if (expected !== 0) {
			const sets = CHANGING.map((column) => `${column} = ?`).join(', ');
			const sql = `UPDATE retrywise_call SET ${sets} WHERE id = ?`;
			this.#database.run(sql, ...changingOf(record), id);
		} else if (facts !== undefined) {
			this.#insert(record, facts);
		} else {
			throw new RetrywiseError('a new call comes with its facts');
		}
		if (outcome !== undefined) {
			this.#database.run('UPDATE retrywise_call SET outcome = ? WHERE id = ?', outcome, id);
		}
		this.#append(id, entries);
		return true;
	}

	/** The revision that is there; 0: there is no such call. */
	#revision(id: string): number {
		const [row] = this.#database.all('SELECT revision FROM retrywise_call WHERE id = ?', id);
		return (row as { revision: number } | undefined)?.revision ?? 0;
	}

	#insert(record: StoredCall['record'], facts: CallFacts): void {
		const columns = [...LASTING, ...CHANGING];
		const places = columns.map(() => '?').join(', ');
		const sql = `INSERT INTO retrywise_call (${columns.join(', ')}) VALUES (${places})`;
		this.#database.run(sql, ...lastingOf(record, facts), ...changingOf(record));
		for (const [name, value] of Object.entries(facts.labels)) {
			const label = 'INSERT INTO retrywise_label (name, value, call_id) VALUES (?, ?, ?)';
			this.#database.run(label, name, value, record.id);
		}
	}

	#append(id: string, entries: readonly TrailEntry[]): void {
		for (const entry of entries) {
			this.#database.run(
				`INSERT INTO retrywise_trail (call_id, place, entry)
				SELECT ?, coalesce(max(place), 0) + 1, ? FROM retrywise_trail WHERE call_id = ?`,
				id,
				JSON.stringify(entry),
				id,
			);
		}
	}

	#delete(id: string): void {
		this.#database.run('DELETE FROM retrywise_call WHERE id = ?', id);
		this.#database.run('DELETE FROM retrywise_label WHERE call_id = ?', id);
		this.#database.run('DELETE FROM retrywise_trail WHERE call_id = ?', id);
	}
}
