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

import { sleep } from '../host.ts';
import type { TrailEntry } from './core.ts';
import { migrate } from './sqlite-schema.ts';
import { type SqliteRunner, SqliteTables, type SqliteValue } from './sqlite-tables.ts';
import type { Change, LedgerStore, StoredCall, StoreQuery } from './store.ts';

export type { SqliteValue } from './sqlite-tables.ts';

/** What a driver's statement has to have. */
export interface SqliteStatement {
	run(...values: SqliteValue[]): { readonly changes: number | bigint };
	all(...values: SqliteValue[]): unknown[];
}

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

class SqliteStore implements LedgerStore {
	readonly #database: SqliteDatabase;
	readonly #busyMs: number;
	readonly #runner: SqliteRunner;
	readonly #tables: SqliteTables;
	#ready: Promise<void> | undefined;

	constructor(database: SqliteDatabase, busyMs: number) {
		this.#database = database;
		this.#busyMs = busyMs;
		this.#runner = runnerOf(database);
		this.#tables = new SqliteTables(this.#runner);
	}

	get(id: string): Promise<StoredCall | null> {
		return this.#ask(() => this.#tables.get(id));
	}

	write(change: Change): Promise<boolean> {
		return this.#ask(() => this.#transaction(() => this.#tables.write(change)));
	}

	trail(id: string): Promise<readonly TrailEntry[]> {
		return this.#ask(() => this.#tables.trail(id));
	}

	list(query: StoreQuery): Promise<readonly StoredCall[]> {
		return this.#ask(() => this.#tables.list(query));
	}

	due(now: number, limit: number): Promise<readonly StoredCall[]> {
		return this.#ask(() => this.#tables.due(now, limit));
	}

	purge(before: number, limit: number): Promise<number> {
		return this.#ask(() => this.#transaction(() => this.#tables.purge(before, limit)));
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
		this.#transaction(() => migrate(this.#runner));
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

/** Runs statements, and keeps those that come again prepared. */
function runnerOf(database: SqliteDatabase): SqliteRunner {
	const statements = new Map<string, SqliteStatement>();
	const prepared = (sql: string): SqliteStatement => {
		let statement = statements.get(sql);
		if (statement === undefined) {
			statement = database.prepare(sql);
			statements.set(sql, statement);
		}
		return statement;
	};
	return {
		all: (sql, ...values) => prepared(sql).all(...values),
		run: (sql, ...values) => {
			prepared(sql).run(...values);
		},
	};
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
