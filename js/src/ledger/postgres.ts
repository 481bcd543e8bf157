/**
 * A store in PostgreSQL (12 or later): for the processes of many machines.
 *
 * Takes whatever has `query(text, values)`: a `Pool` or a `Client` of `pg`, or an adapter of one
 * line over another driver. Every change is one statement, so it is one transaction and one round
 * trip, on whatever connection of a pool it runs; a connection pooler between is no hindrance.
 *
 * @module
 */

import { RetrywiseError } from '../errors.ts';
import type { TrailEntry } from './core.ts';
import { hear, type Teller } from './heard.ts';
import { migrationSql, VERSION, versionSql } from './postgres-schema.ts';
import { CHANGING, callOf, changingOf, LASTING, lastingOf } from './rows.ts';
import type { CallFacts, Change, LedgerStore, StoredCall, StoreQuery } from './store.ts';

/** What is bound to a statement. */
export type PostgresValue = string | number | null;

/**
 * What a connection, or a pool of them, has to have. `postgres` fits as
 * `{ query: async (text, values) => ({ rows: await sql.unsafe(text, values) }) }`.
 */
export interface PostgresClient extends Teller {
	query(text: string, values?: PostgresValue[]): PromiseLike<{ readonly rows: readonly unknown[] }>;
}

/** How {@link postgresStore} works. */
export interface PostgresOptions {
	/**
	 * The schema of the tables: letters, digits and underscores, taken exactly. @default none: the
	 * first of the connection's `search_path`
	 */
	schema?: string;
	/**
	 * Whether tables that are missing or old are made or brought up to date at the first use. With
	 * false they are refused, and {@link PostgresStore.migrate} does it, for instance under a role
	 * that may. @default true
	 */
	migrate?: boolean;
}

/** A store in PostgreSQL. */
export interface PostgresStore extends LedgerStore {
	/** Makes the tables, all named `retrywise_…`, or brings them up to date; any number of processes may at once. */
	migrate(): Promise<void>;
}

/**
 * A store in a PostgreSQL database. Tables that a newer version wrote are refused. What is
 * committed is as safe as the server makes it: leave its `synchronous_commit` and `fsync` on.
 *
 * @throws {RangeError} when the schema's name is none
 */
export function postgresStore(
	client: PostgresClient,
	options: PostgresOptions = {},
): PostgresStore {
	return new KeptInPostgres(client, options);
}

const CALL =
	'SELECT c.record, c.labels::text AS labels, c.priority, c.request, c.payload, c.outcome';

class KeptInPostgres implements PostgresStore {
	readonly #client: PostgresClient;
	readonly #migrates: boolean;
	/** The quoted schema and its full stop, or nothing: what stands before a table's name. */
	readonly #schema: string;
	#ready: Promise<void> | undefined;

	constructor(client: PostgresClient, { schema, migrate = true }: PostgresOptions) {
		if (schema !== undefined && !/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(schema)) {
			const name = JSON.stringify(schema);
			throw new RangeError(`schema is ${name}: letters, digits and underscores make a name`);
		}
		this.#client = client;
		this.#migrates = migrate;
		this.#schema = schema === undefined ? '' : `"${schema}".`;
		hear(client);
	}

	async migrate(): Promise<void> {
		if ((await this.#version()) !== VERSION) {
			await this.#client.query(migrationSql(this.#schema));
		}
		this.#ready = Promise.resolve();
	}

	async get(id: string): Promise<StoredCall | null> {
		const [row] = await this.#ask(`${CALL} FROM ${this.#schema}retrywise_call c WHERE id = $1`, [
			id,
		]);
		return row === undefined ? null : callOf(row);
	}

	async write(change: Change): Promise<boolean> {
		const { text, values } = statementOf(change, this.#schema);
		try {
			return (await this.#ask(text, values)).length === 1;
		} catch (error) {
			if (isLostRace(error)) {
				return false;
			}
			throw error;
		}
	}

	async trail(id: string): Promise<readonly TrailEntry[]> {
		const text = `SELECT entry FROM ${this.#schema}retrywise_trail WHERE call_id = $1
			ORDER BY revision, place`;
		const rows = await this.#ask(text, [id]);
		return rows.map((row) => JSON.parse((row as { entry: string }).entry) as TrailEntry);
	}

	async list({ state, cause, labels, after, limit }: StoreQuery): Promise<readonly StoredCall[]> {
		const bound = new Bound();
		const where: string[] = [];
		if (state !== undefined) {
			where.push(`c.state = ${bound.add(state)}`);
		}
		if (cause !== undefined) {
			where.push(`c.cause = ${bound.add(cause)}`);
		}
		if (labels !== undefined && Object.keys(labels).length > 0) {
			where.push(`c.labels::jsonb @> ${bound.add(JSON.stringify(labels))}::text::jsonb`);
		}
		if (after !== undefined) {
			const [created, id] = [bound.add(after.createdAt), bound.add(after.id)];
			where.push(`(c.created, c.id) > (${created}::bigint, ${id}::text)`);
		}
		const all = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`;
		const text = `${CALL} FROM ${this.#schema}retrywise_call c ${all}
			ORDER BY c.created, c.id LIMIT ${bound.add(limit)}`;
		return (await this.#ask(text, bound.values)).map(callOf);
	}

	async due(now: number, limit: number): Promise<readonly StoredCall[]> {
		const text = `${CALL} FROM ${this.#schema}retrywise_call c WHERE c.due <= $1::bigint
			ORDER BY c.priority DESC, c.due LIMIT $2`;
		return (await this.#ask(text, [now, limit])).map(callOf);
	}

	async purge(before: number, limit: number): Promise<number> {
		const table = `${this.#schema}retrywise_call`;
		const text = `DELETE FROM ${table} WHERE id IN (
			SELECT id FROM ${table} WHERE done < $1::bigint ORDER BY done LIMIT $2
			FOR UPDATE SKIP LOCKED
		) RETURNING 1 AS gone`;
		return (await this.#ask(text, [before, limit])).length;
	}

	/** Asks once the tables are there. */
	async #ask(text: string, values: PostgresValue[]): Promise<readonly unknown[]> {
		this.#ready ??= this.#prepare().catch((error) => {
			this.#ready = undefined;
			throw error;
		});
		await this.#ready;
		return (await this.#client.query(text, values)).rows;
	}

	async #prepare(): Promise<void> {
		const version = await this.#version();
		if (version === VERSION) {
			return;
		}
		if (!this.#migrates) {
			throw new RetrywiseError(
				`the ledger's tables have version ${version} of ${VERSION}: call migrate() once`,
			);
		}
		await this.#client.query(migrationSql(this.#schema));
	}

	/** The version of the tables that are there; 0: none are. */
	async #version(): Promise<number> {
		let version: number;
		try {
			const { rows } = await this.#client.query(versionSql(this.#schema));
			version = Number((rows[0] as { version: unknown }).version ?? 0);
		} catch (error) {
			if (!NO_TABLE.has(codeOf(error))) {
				throw error;
			}
			version = 0;
		}
		if (version > VERSION) {
			throw new RetrywiseError(
				`the ledger's tables have version ${version}, and this release knows ${VERSION}`,
			);
		}
		return version;
	}
}

/** The values of a statement, each bound to a number. */
class Bound {
	readonly values: PostgresValue[] = [];

	add(value: PostgresValue): string {
		this.values.push(value);
		return `$${this.values.length}`;
	}
}

/**
 * A change as one statement, which gives one row where it was made. A part that depends on another
 * selects from what that one wrote: nothing, when its revision was not the expected one.
 */
function statementOf(
	{ id, expected, record, entries, facts, outcome, created }: Change,
	schema: string,
): { text: string; values: PostgresValue[] } {
	const bound = new Bound();
	const call = `${schema}retrywise_call`;
	const insert = (made: StoredCall['record'], known: CallFacts, kept: string | null): string => {
		const names = [...LASTING, ...CHANGING, 'outcome'];
		const values = [...lastingOf(made, known), ...changingOf(made), kept];
		const typed = values.map((value, i) => `${bound.add(value)}::${typeOf(names[i])}`);
		return `INSERT INTO ${call} (${names.join(', ')}) SELECT ${typed.join(', ')}`;
	};
	const tell = (about: string, list: readonly TrailEntry[]): string => {
		const texts = bound.add(JSON.stringify(list.map((entry) => JSON.stringify(entry))));
		return `INSERT INTO ${schema}retrywise_trail (call_id, revision, place, entry)
			SELECT a.id, a.revision, e.place, e.entry FROM ${about} a,
			json_array_elements_text(${texts}::text::json) WITH ORDINALITY AS e (entry, place)`;
	};
	const here = (): string =>
		`WHERE id = ${bound.add(id)} AND revision = ${bound.add(expected)}::bigint`;

	const parts: string[] = [];
	if (record === null) {
		parts.push(`kept AS (DELETE FROM ${call} ${here()} RETURNING id)`);
	} else if (expected === 0) {
		if (facts === undefined) {
			throw new RetrywiseError('a new call comes with its facts');
		}
		parts.push(`kept AS (${insert(record, facts, outcome ?? null)}
			ON CONFLICT (id) DO NOTHING RETURNING id, revision)`);
	} else {
		const columns = [...CHANGING, ...(outcome === undefined ? [] : ['outcome'])];
		const values = [...changingOf(record), ...(outcome === undefined ? [] : [outcome])];
		const sets = values.map((value, i) => `${columns[i]} = ${bound.add(value)}`);
		parts.push(`kept AS (UPDATE ${call} SET ${sets.join(', ')} ${here()} RETURNING id, revision)`);
	}
	if (record !== null && entries.length > 0) {
		parts.push(`told AS (${tell('kept', entries)})`);
	}
	if (created !== undefined) {
		// Without a way around a conflict: where the call is there already, all of this is undone.
		parts.push(`made AS (${insert(created.record, created.facts, null)} FROM kept
			RETURNING id, revision)`);
		parts.push(`begun AS (${tell('made', created.entries)})`);
	}
	return { text: `WITH ${parts.join(', ')} SELECT id FROM kept`, values: bound.values };
}

/** Of JSON first `text`: some drivers would write what is bound as `json` as JSON once more. */
const TYPES: Readonly<Record<string, string>> = {
	revision: 'bigint',
	created: 'bigint',
	due: 'bigint',
	done: 'bigint',
	priority: 'double precision',
	labels: 'text::json',
};

function typeOf(column: string | undefined): string {
	return TYPES[column ?? ''] ?? 'text';
}

/** The table, or its schema, is not there. */
const NO_TABLE: ReadonlySet<unknown> = new Set(['42P01', '3F000']);

/**
 * The second call is there already; or, under a stricter isolation than the default, another
 * transaction was in the way. Nothing was written: the caller reads again.
 */
const LOST_RACE: ReadonlySet<unknown> = new Set(['23505', '40001', '40P01']);

function isLostRace(error: unknown): boolean {
	return LOST_RACE.has(codeOf(error));
}

function codeOf(error: unknown): unknown {
	return (error as { code?: unknown } | null)?.code;
}
