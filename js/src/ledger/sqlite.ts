/**
 * A store in SQLite: the embedded default, for the processes of one machine.
 *
 * Takes whatever has `exec` and `prepare`: `node:sqlite` (Node 22, Deno, Bun), better-sqlite3,
 * libsql. The journal is a write-ahead log and every commit is synced (`synchronous = FULL`; the
 * drivers' own defaults differ). A transaction takes the write lock at its start, since one that
 * reads first and writes later fails wherever another process wrote in between.
 *
 * @module
 */

import { RetrywiseError } from '../errors.ts';
import { sleep } from '../host.ts';
import type { TrailEntry } from './core.ts';
import { migrate } from './sqlite-schema.ts';
import {
	type CallFacts,
	type Change,
	dueOf,
	type LedgerStore,
	type StoredCall,
	type StoreQuery,
} from './store.ts';

/** What a driver's statement has to have. */
export interface SqliteStatement {
	run(...values: SqliteValue[]): { readonly changes: number | bigint };
	get(...values: SqliteValue[]): unknown;
	all(...values: SqliteValue[]): unknown[];
}

/** What is bound to a statement. */
export type SqliteValue = string | number | null;

/** What a driver's connection has to have. One connection for one store: nothing else may use it. */
export interface SqliteDatabase {
	exec(sql: string): unknown;
	prepare(sql: string): SqliteStatement;
}

/** How {@link sqliteStore} works. */
export interface SqliteOptions {
	/**
	 * How long a write goes on asking for the lock while other processes hold it, ms; then it
	 * rejects with the driver's error. @default 30000
	 */
	busyMs?: number;
}

/** How long one try blocks this process, ms: drivers wait for the lock without giving way. */
const BLOCKS_MS = 50;

/**
 * A store in a SQLite database. Its tables, all named `retrywise_…`, are made or brought up to date
 * at the first use; a database that a newer version wrote is refused.
 */
export function sqliteStore(database: SqliteDatabase, options: SqliteOptions = {}): LedgerStore {
	return new SqliteStore(database, options.busyMs ?? 30_000);
}

const CALL = 'SELECT c.record, c.labels, c.priority, c.request, c.payload, c.outcome';

class SqliteStore implements LedgerStore {
	readonly #database: SqliteDatabase;
	readonly #busyMs: number;
	readonly #statements = new Map<string, SqliteStatement>();
	#ready: Promise<void> | undefined;

	constructor(database: SqliteDatabase, busyMs: number) {
		this.#database = database;
		this.#busyMs = busyMs;
	}

	async get(id: string): Promise<StoredCall | null> {
		const row = await this.#ask(() =>
			this.#sql(`${CALL} FROM retrywise_call c WHERE c.id = ?`).get(id),
		);
		return row === undefined || row === null ? null : read(row as Row);
	}

	write(change: Change): Promise<boolean> {
		return this.#ask(() => this.#transaction(() => this.#write(change)));
	}

	async trail(id: string): Promise<readonly TrailEntry[]> {
		const sql = 'SELECT entry FROM retrywise_trail WHERE call_id = ? ORDER BY place';
		const rows = await this.#ask(() => this.#sql(sql).all(id));
		return rows.map((row) => JSON.parse((row as { entry: string }).entry) as TrailEntry);
	}

	async list({ state, cause, labels, after, limit }: StoreQuery): Promise<readonly StoredCall[]> {
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
		const rows = await this.#ask(() => this.#sql(sql).all(...values, limit));
		return rows.map((row) => read(row as Row));
	}

	async due(now: number, limit: number): Promise<readonly StoredCall[]> {
		const sql = `${CALL} FROM retrywise_call c WHERE c.due IS NOT NULL AND c.due <= ?
			ORDER BY c.priority DESC, c.due LIMIT ?`;
		const rows = await this.#ask(() => this.#sql(sql).all(now, limit));
		return rows.map((row) => read(row as Row));
	}

	#write({ id, expected, record, entries, facts, outcome, created }: Change): boolean {
		const sql = 'SELECT revision FROM retrywise_call WHERE id = ?';
		const row = this.#sql(sql).get(id) as { revision: number } | null | undefined;
		if ((row?.revision ?? 0) !== expected) {
			return false;
		}
		if (created !== undefined) {
			if (this.#sql(sql).get(created.record.id)) {
				return false;
			}
			this.#insert(created.record, created.facts);
			this.#append(created.record.id, created.entries);
		}
		if (record === null) {
			for (const [table, column] of [
				['call', 'id'],
				['label', 'call_id'],
				['trail', 'call_id'],
			]) {
				this.#sql(`DELETE FROM retrywise_${table} WHERE ${column} = ?`).run(id);
			}
			return true;
		}
		if (expected === 0) {
			if (facts === undefined) {
				throw new RetrywiseError('a new call comes with its facts');
			}
			this.#insert(record, facts);
		} else {
			this.#sql(
				`UPDATE retrywise_call
				SET revision = ?, state = ?, cause = ?, due = ?, record = ? WHERE id = ?`,
			).run(...columns(record), id);
		}
		if (outcome !== undefined) {
			this.#sql('UPDATE retrywise_call SET outcome = ? WHERE id = ?').run(outcome, id);
		}
		this.#append(id, entries);
		return true;
	}

	#insert(record: StoredCall['record'], facts: CallFacts): void {
		const { payload, labels, priority, method, idempotent } = facts;
		this.#sql(
			`INSERT INTO retrywise_call
			(revision, state, cause, due, record, id, created, labels, priority, request, payload)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		).run(
			...columns(record),
			record.id,
			record.createdAt,
			JSON.stringify(labels),
			priority,
			JSON.stringify({ method, idempotent }),
			payload,
		);
		for (const [name, value] of Object.entries(labels)) {
			const sql = 'INSERT INTO retrywise_label (name, value, call_id) VALUES (?, ?, ?)';
			this.#sql(sql).run(name, value, record.id);
		}
	}

	#append(id: string, entries: readonly TrailEntry[]): void {
		for (const entry of entries) {
			this.#sql(
				`INSERT INTO retrywise_trail (call_id, place, entry)
				SELECT ?, coalesce(max(place), 0) + 1, ? FROM retrywise_trail WHERE call_id = ?`,
			).run(id, JSON.stringify(entry), id);
		}
	}

	#sql(sql: string): SqliteStatement {
		let statement = this.#statements.get(sql);
		if (statement === undefined) {
			statement = this.#database.prepare(sql);
			this.#statements.set(sql, statement);
		}
		return statement;
	}

	/** Asks once the tables are there, and again while another process holds the lock. */
	async #ask<T>(question: () => T): Promise<T> {
		this.#ready ??= this.#whileBusy(() => this.#prepare()).catch((error) => {
			this.#ready = undefined;
			throw error;
		});
		await this.#ready;
		return this.#whileBusy(question);
	}

	#prepare(): void {
		this.#database.exec(`PRAGMA busy_timeout = ${BLOCKS_MS}`);
		this.#database.exec('PRAGMA journal_mode = WAL');
		this.#database.exec('PRAGMA synchronous = FULL');
		this.#transaction(() => migrate(this.#database));
	}

	async #whileBusy<T>(attempt: () => T): Promise<T> {
		const until = performance.now() + this.#busyMs;
		for (;;) {
			try {
				return attempt();
			} catch (error) {
				if (!isBusy(error) || performance.now() >= until) {
					throw error;
				}
			}
			// The lock is not given in turns: who asks at random moments gets it sooner or later.
			await sleep(1 + Math.random() * BLOCKS_MS);
		}
	}

	/** Nothing inside may wait: the connection has one transaction at a time. */
	#transaction<T>(body: () => T): T {
		this.#database.exec('BEGIN IMMEDIATE');
		try {
			const result = body();
			this.#database.exec('COMMIT');
			return result;
		} catch (error) {
			try {
				this.#database.exec('ROLLBACK');
			} catch {
				// It is rolled back already: SQLite does so by itself after some errors.
			}
			throw error;
		}
	}
}

interface Row {
	readonly record: string;
	readonly labels: string;
	readonly priority: number;
	readonly request: string;
	readonly payload: string | null;
	readonly outcome: string | null;
}

function read({ record, labels, priority, request, payload, outcome }: Row): StoredCall {
	const { method, idempotent } = JSON.parse(request) as Pick<CallFacts, 'method' | 'idempotent'>;
	return {
		record: JSON.parse(record) as StoredCall['record'],
		facts: {
			payload,
			labels: JSON.parse(labels) as CallFacts['labels'],
			priority,
			method,
			idempotent,
		},
		outcome,
	};
}

/** What of a record is searched and compared, and the record. */
function columns(record: StoredCall['record']): SqliteValue[] {
	const { revision, state, cause } = record;
	return [revision, state, cause, dueOf(record), JSON.stringify(record)];
}

const SQLITE_BUSY = 5;

/** Whether another process held the lock: drivers say so in different ways. */
function isBusy(error: unknown): boolean {
	const { code, errcode, rawCode, message } = (error ?? {}) as Record<string, unknown>;
	const number = errcode ?? rawCode;
	return (
		(typeof code === 'string' && code.startsWith('SQLITE_BUSY')) ||
		(typeof number === 'number' && (number & 0xff) === SQLITE_BUSY) ||
		/database (?:table )?is locked/.test(String(message))
	);
}
