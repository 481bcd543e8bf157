/**
 * Stores by name: `sqlite:FILE`, `postgres:URL#SCHEMA`.
 *
 * @module
 */

import { createRequire } from 'node:module';
import pg from 'pg';
import { postgresStore, sqliteStore } from 'retrywise/ledger';

const require = createRequire(import.meta.url);

/** Opens a store; every process opens one of its own. */
export async function openStore(where) {
	const colon = where.indexOf(':');
	const [kind, rest] = [where.slice(0, colon), where.slice(colon + 1)];
	switch (kind) {
		case 'sqlite': {
			const database = openSqlite(rest);
			const store = sqliteStore(database);
			await store.get('nobody');
			// Processes are killed here, the machine is not: what the system was given, it keeps. A
			// sync at every commit would measure the disk.
			database.exec('PRAGMA synchronous = NORMAL');
			return { store, close: () => database.close() };
		}
		case 'postgres': {
			const [url, schema] = rest.split('#');
			const pool = new pg.Pool({ connectionString: url, max: 8 });
			return { store: postgresStore(pool, { schema }), close: () => pool.end() };
		}
		default:
			throw new Error(`${where}: a store is sqlite:FILE or postgres:URL#SCHEMA`);
	}
}

function openSqlite(file) {
	const sqlite = process.getBuiltinModule?.('node:sqlite');
	return sqlite === undefined ? new (require('libsql'))(file) : new sqlite.DatabaseSync(file);
}
