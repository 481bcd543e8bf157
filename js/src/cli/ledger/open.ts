/**
 * Stores by name: `sqlite:FILE`, `postgres:URL`, `redis:URL`. The drivers are the user's own, found
 * as the user's programs would find them.
 *
 * @module
 */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LedgerStore } from '../../ledger/index.ts';
import {
	type IoRedisClient,
	type NodeRedisClient,
	type PostgresClient,
	postgresStore,
	redisStore,
	type SqliteDatabase,
	sqliteStore,
} from '../../ledger/index.ts';
import { UsageError } from '../output.ts';

/** What `--store` takes. */
export const FORMS = 'sqlite:FILE, postgres:URL or redis:URL';

/** A store, and how to let go of it. */
export interface Opened {
	readonly store: LedgerStore;
	close(): Promise<void>;
}

const KINDS: Readonly<Record<string, (rest: string, whole: string) => Promise<Opened>>> = {
	sqlite: openSqlite,
	postgres: openPostgres,
	postgresql: openPostgres,
	redis: openRedis,
	rediss: openRedis,
};

/**
 * Opens the store that `--store` names.
 *
 * @throws {UsageError} when it is none, when its file is not there, or when its driver is missing
 */
export async function openStore(where: string | undefined): Promise<Opened> {
	if (where === undefined || where === '') {
		throw new UsageError(`say --store ${FORMS}, or set RETRYWISE_STORE`);
	}
	const colon = where.indexOf(':');
	const open = Object.hasOwn(KINDS, where.slice(0, colon))
		? KINDS[where.slice(0, colon)]
		: undefined;
	if (open === undefined) {
		// Not shown as it is: it may hold a password.
		throw new UsageError(`--store is none of ${FORMS}`);
	}
	return open(where.slice(colon + 1), where);
}

async function openSqlite(file: string): Promise<Opened> {
	if (!existsSync(file)) {
		// Else a slip of the pen would make an empty ledger, and nothing would be found in it.
		throw new UsageError(`there is no ledger at ${file || '(no file named)'}`);
	}
	const database = await sqliteDatabase(file);
	return {
		store: sqliteStore(database),
		close: async () => {
			database.close?.();
		},
	};
}

type Closable = SqliteDatabase & { close?(): unknown };
type Database = new (file: string) => Closable;

async function sqliteDatabase(file: string): Promise<Closable> {
	const own = quietly(
		() => process.getBuiltinModule?.('node:sqlite') as { DatabaseSync: Database } | undefined,
	);
	if (own !== undefined) {
		return new own.DatabaseSync(file);
	}
	const driver = await anyOf<{ default: Database }>('sqlite', ['better-sqlite3', 'libsql']);
	return new driver.default(file);
}

interface Pool extends PostgresClient {
	end(): Promise<void>;
}

/** Tables are not made here: where there are none, it is the wrong database. */
async function openPostgres(rest: string, whole: string): Promise<Opened> {
	const { default: driver } = await anyOf<{
		default: { Pool: new (options: object) => Pool };
	}>('postgres', ['pg']);
	const connectionString = urlOf(rest, whole);
	const pool = new driver.Pool({ connectionString, max: 2, connectionTimeoutMillis: CONNECT_MS });
	return { store: postgresStore(pool, { migrate: false }), close: () => pool.end() };
}

interface NodeRedis extends NodeRedisClient {
	on(event: 'error', listener: (error: Error) => void): unknown;
	connect(): Promise<unknown>;
	close(): Promise<unknown>;
}

interface IoRedis extends IoRedisClient {
	connect(): Promise<unknown>;
	disconnect(): void;
}

type RedisDriver =
	| { readonly createClient: (options: object) => NodeRedis }
	| { readonly default: new (url: string, options: object) => IoRedis };

/** A server that is away is told at once: a person waits. */
async function openRedis(rest: string, whole: string): Promise<Opened> {
	const driver = await anyOf<RedisDriver>('redis', ['redis', 'ioredis']);
	const url = urlOf(rest, whole);
	if ('createClient' in driver) {
		const socket = { connectTimeout: CONNECT_MS, reconnectStrategy: false };
		const client = driver.createClient({ url, socket });
		client.on('error', () => {});
		await client.connect();
		return {
			store: redisStore(client),
			close: async () => {
				await client.close();
			},
		};
	}
	const options = { lazyConnect: true, connectTimeout: CONNECT_MS, retryStrategy: () => null };
	const client = new driver.default(url, options);
	const store = redisStore(client);
	await client.connect();
	return { store, close: async () => client.disconnect() };
}

const CONNECT_MS = 10_000;

/** `postgres://…` as it is, or after a `postgres:` of its own; the same with Redis. */
function urlOf(rest: string, whole: string): string {
	return rest.startsWith('//') ? whole : rest;
}

/**
 * The first of these packages that is there: in the project in whose folder the command runs, or
 * beside this one.
 */
async function anyOf<T>(store: string, packages: readonly string[]): Promise<T> {
	const places = [pathToFileURL(join(process.cwd(), 'package.json')).href, import.meta.url];
	for (const name of packages) {
		for (const place of places) {
			let path: string;
			try {
				path = createRequire(place).resolve(name);
			} catch {
				continue;
			}
			return (await import(pathToFileURL(path).href)) as T;
		}
	}
	const [first] = packages;
	throw new UsageError(
		`a ${store} store needs one of the packages ${packages.join(', ')} in your project: npm install ${first}`,
	);
}

/** Without the warning of Node 22 that a part of it is experimental. */
function quietly<T>(look: () => T): T {
	const { emitWarning } = process;
	process.emitWarning = () => {};
	try {
		return look();
	} finally {
		process.emitWarning = emitWarning;
	}
}
