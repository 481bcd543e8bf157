/**
 * A store in a Cloudflare Durable Object with SQLite storage: one object, wherever the requests for
 * its calls come from.
 *
 * Each operation is one turn of the object, and a change one transaction of its storage. The
 * object's answer leaves only once what it wrote is on disk.
 *
 * @module
 */

import type { TrailEntry } from './core.ts';
import { migrate } from './sqlite-schema.ts';
import { type SqliteRunner, SqliteTables, type SqliteValue } from './sqlite-tables.ts';
import type { Change, LedgerStore, StoredCall, StoreQuery } from './store.ts';

/** What an object's `ctx.storage` has to have: its class is one of `new_sqlite_classes`. */
export interface DurableObjectStorage {
	readonly sql: {
		exec(query: string, ...values: SqliteValue[]): { toArray(): unknown[] };
	};
	transactionSync<T>(closure: () => T): T;
}

/**
 * A store in a Durable Object's storage, to be used inside that object. Its tables, all named
 * `retrywise_…`, are made or brought up to date at the first use; those that a newer version wrote
 * are refused. A payload, and an outcome, may have as much text as one value there: 2 MB.
 */
export function durableObjectStore(storage: DurableObjectStorage): LedgerStore {
	return new KeptInObject(storage);
}

class KeptInObject implements LedgerStore {
	readonly #storage: DurableObjectStorage;
	readonly #runner: SqliteRunner;
	readonly #tables: SqliteTables;
	#isReady = false;

	constructor(storage: DurableObjectStorage) {
		this.#storage = storage;
		this.#runner = {
			all: (sql, ...values) => storage.sql.exec(sql, ...values).toArray(),
			run: (sql, ...values) => {
				storage.sql.exec(sql, ...values).toArray();
			},
		};
		this.#tables = new SqliteTables(this.#runner);
	}

	async get(id: string): Promise<StoredCall | null> {
		return this.#ready().get(id);
	}

	async write(change: Change): Promise<boolean> {
		const tables = this.#ready();
		return this.#storage.transactionSync(() => tables.write(change));
	}

	async trail(id: string): Promise<readonly TrailEntry[]> {
		return this.#ready().trail(id);
	}

	async list(query: StoreQuery): Promise<readonly StoredCall[]> {
		return this.#ready().list(query);
	}

	async due(now: number, limit: number): Promise<readonly StoredCall[]> {
		return this.#ready().due(now, limit);
	}

	async purge(before: number, limit: number): Promise<number> {
		const tables = this.#ready();
		return this.#storage.transactionSync(() => tables.purge(before, limit));
	}

	/** The tables, once they are there. */
	#ready(): SqliteTables {
		if (!this.#isReady) {
			this.#storage.transactionSync(() => migrate(this.#runner));
			this.#isReady = true;
		}
		return this.#tables;
	}
}
