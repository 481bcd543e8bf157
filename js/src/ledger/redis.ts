/**
 * A store in Redis (5 or later) or Valkey: for the processes of many machines.
 *
 * Takes a client of `redis` (node-redis) or of `ioredis`. Every operation is one run of one script,
 * which the server carries out wholly, and with nothing in between.
 *
 * @module
 */

import { RetrywiseError } from '../errors.ts';
import type { TrailEntry } from './core.ts';
import { hear, type Teller } from './heard.ts';
import { FIELDS, SCRIPT, VERSION } from './redis-script.ts';
import { CHANGING, callOf, changingOf, LASTING, lastingOf } from './rows.ts';
import type { CallFacts, Change, LedgerStore, StoredCall, StoreQuery } from './store.ts';

/** A client, or a cluster, of `redis`. */
export interface NodeRedisClient extends Teller {
	eval(script: string, options: RedisArguments): Promise<unknown>;
	evalSha(sha: string, options: RedisArguments): Promise<unknown>;
}

/** What `redis` hands to a script. */
export interface RedisArguments {
	keys: string[];
	arguments: string[];
}

/** A client, or a cluster, of `ioredis`. */
export interface IoRedisClient extends Teller {
	eval(script: string, keys: number, ...rest: string[]): Promise<unknown>;
	evalsha(sha: string, keys: number, ...rest: string[]): Promise<unknown>;
}

/** How {@link redisStore} works. */
export interface RedisOptions {
	/**
	 * What every key begins with. A cluster needs its part in braces, which keeps all keys on one
	 * node. @default "{retrywise}:"
	 */
	prefix?: string;
}

/**
 * A store in Redis or Valkey. What is acknowledged is as safe as the server makes it: a ledger
 * wants `appendonly yes`, `appendfsync always` and `maxmemory-policy noeviction`, and a failover to
 * a replica that is behind loses what it had not seen. Keys that a newer version wrote are refused.
 */
export function redisStore(
	client: NodeRedisClient | IoRedisClient,
	options: RedisOptions = {},
): LedgerStore {
	return new KeptInRedis(client, options.prefix ?? '{retrywise}:');
}

type Reply = readonly (string | null)[];

class KeptInRedis implements LedgerStore {
	readonly #client: NodeRedisClient | IoRedisClient;
	readonly #prefix: string;
	#ready: Promise<void> | undefined;
	#sha: Promise<string> | undefined;

	constructor(client: NodeRedisClient | IoRedisClient, prefix: string) {
		this.#client = client;
		this.#prefix = prefix;
		hear(client);
	}

	async get(id: string): Promise<StoredCall | null> {
		const row = (await this.#ask('get', [id])) as Reply;
		return row[0] === null ? null : read(row);
	}

	async write({
		id,
		expected,
		record,
		entries,
		facts,
		outcome,
		created,
	}: Change): Promise<boolean> {
		if (expected === 0 && record !== null && facts === undefined) {
			throw new RetrywiseError('a new call comes with its facts');
		}
		const changed =
			record === null ? FIELDS.map(() => '') : this.#fields(record, entries, facts, outcome);
		const more =
			created === undefined
				? []
				: this.#fields(created.record, created.entries, created.facts, null);
		const drops = record === null ? '1' : '0';
		return (await this.#ask('write', [id, String(expected), drops, ...changed, ...more])) === 1;
	}

	async trail(id: string): Promise<readonly TrailEntry[]> {
		const entries = (await this.#ask('trail', [id])) as string[];
		return entries.map((entry) => JSON.parse(entry) as TrailEntry);
	}

	async list({ state, cause, labels, after, limit }: StoreQuery): Promise<readonly StoredCall[]> {
		const keys = [
			...Object.entries(labels ?? {}).map((label) => this.#labelKey(label)),
			...(cause === undefined ? [] : [`${this.#prefix}cause:${cause}`]),
			...(state === undefined ? [] : [`${this.#prefix}state:${state}`]),
		];
		const sets = keys.length === 0 ? [`${this.#prefix}all`] : keys;
		const found: StoredCall[] = [];
		let place = after === undefined ? '' : memberOf(after.createdAt, after.id);
		do {
			const args = [String(limit - found.length), place];
			const [next, rows] = (await this.#ask('list', args, sets)) as [string, Reply[]];
			found.push(...rows.map(read));
			place = next;
		} while (place !== '');
		return found;
	}

	async due(now: number, limit: number): Promise<readonly StoredCall[]> {
		return ((await this.#ask('due', [String(now), String(limit)])) as Reply[]).map(read);
	}

	async purge(before: number, limit: number): Promise<number> {
		return (await this.#ask('purge', [String(before), String(limit)])) as number;
	}

	/** A call as the script takes it; facts left out: those that are kept stay. */
	#fields(
		record: StoredCall['record'],
		entries: readonly TrailEntry[],
		facts: CallFacts | undefined,
		outcome: string | null | undefined,
	): string[] {
		const { id, createdAt } = record;
		const values: Record<string, unknown> = {
			...named(CHANGING, changingOf(record)),
			...(facts !== undefined && named(LASTING, lastingOf(record, facts))),
			id,
			entries: JSON.stringify(entries.map((entry) => JSON.stringify(entry))),
			keeps: outcome === undefined ? '1' : '0',
			outcome,
			member: memberOf(createdAt, id),
			keys: JSON.stringify(
				Object.entries(facts?.labels ?? {}).map((label) => this.#labelKey(label)),
			),
		};
		return FIELDS.map((name) => String(values[name] ?? ''));
	}

	#labelKey(label: readonly [string, string]): string {
		return `${this.#prefix}label:${JSON.stringify(label)}`;
	}

	/** Asks once the layout is known to be ours. */
	async #ask(operation: string, args: string[], keys?: string[]): Promise<unknown> {
		this.#ready ??= this.#prepare().catch((error) => {
			this.#ready = undefined;
			throw error;
		});
		await this.#ready;
		return this.#run(operation, args, keys);
	}

	async #prepare(): Promise<void> {
		const version = Number(await this.#run('version', [String(VERSION)]));
		if (version !== VERSION) {
			throw new RetrywiseError(
				`the ledger's keys have version ${version}, and this release knows ${VERSION}`,
			);
		}
	}

	/** Runs the script by its digest; by its text where the server does not know it (any more). */
	async #run(
		operation: string,
		args: string[],
		keys: string[] = [`${this.#prefix}all`],
	): Promise<unknown> {
		this.#sha ??= sha1(SCRIPT);
		const sha = await this.#sha;
		const rest = [this.#prefix, operation, ...args];
		const client = this.#client;
		try {
			return await ('evalSha' in client
				? client.evalSha(sha, { keys, arguments: rest })
				: client.evalsha(sha, keys.length, ...keys, ...rest));
		} catch (error) {
			if (!String((error as Error | null)?.message).startsWith('NOSCRIPT')) {
				throw error;
			}
		}
		return 'evalSha' in client
			? client.eval(SCRIPT, { keys, arguments: rest })
			: client.eval(SCRIPT, keys.length, ...keys, ...rest);
	}
}

/** Makes times before 1970 positive; sums stay exact to the year 140 000. */
const SHIFT = 2 ** 52;

/** How the server sorts calls: text whose bytes are in the order of (`createdAt`, `id`). */
function memberOf(createdAt: number, id: string): string {
	return `${String(createdAt + SHIFT).padStart(16, '0')}:${id}`;
}

function read([record, labels, priority, request, payload, outcome]: Reply): StoredCall {
	return callOf({ record, labels, priority, request, payload, outcome });
}

function named(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
	return Object.fromEntries(names.map((name, at) => [name, values[at]]));
}

async function sha1(text: string): Promise<string> {
	const bytes = new TextEncoder().encode(text);
	const digest = new Uint8Array(await globalThis.crypto.subtle.digest('SHA-1', bytes));
	return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
