/**
 * The tables of the stores in SQLite, as steps from one version to the next. A step that was
 * released never changes.
 *
 * @module
 */

import { RetrywiseError } from '../errors.ts';
import type { SqliteRunner } from './sqlite-tables.ts';

/** Step i leads from version i to version i + 1. */
const STEPS: readonly (readonly string[])[] = [
	[
		`CREATE TABLE retrywise_call (
			id TEXT PRIMARY KEY NOT NULL,
			revision INTEGER NOT NULL,
			state TEXT NOT NULL,
			cause TEXT,
			created INTEGER NOT NULL,
			due INTEGER,
			priority INTEGER NOT NULL,
			record TEXT NOT NULL,
			labels TEXT NOT NULL,
			request TEXT NOT NULL,
			payload TEXT,
			outcome TEXT
		)`,
		'CREATE INDEX retrywise_call_created ON retrywise_call (created, id)',
		'CREATE INDEX retrywise_call_state ON retrywise_call (state, created, id)',
		'CREATE INDEX retrywise_call_due ON retrywise_call (priority DESC, due) WHERE due IS NOT NULL',
		`CREATE TABLE retrywise_label (
			name TEXT NOT NULL,
			value TEXT NOT NULL,
			call_id TEXT NOT NULL,
			PRIMARY KEY (name, value, call_id)
		) WITHOUT ROWID`,
		'CREATE INDEX retrywise_label_call ON retrywise_label (call_id)',
		`CREATE TABLE retrywise_trail (
			call_id TEXT NOT NULL,
			place INTEGER NOT NULL,
			entry TEXT NOT NULL,
			PRIMARY KEY (call_id, place)
		) WITHOUT ROWID`,
	],
	// When a call was over for good, so that old ones can be found and let go.
	[
		'ALTER TABLE retrywise_call ADD COLUMN done INTEGER',
		`UPDATE retrywise_call SET done = json_extract(record, '$.updatedAt')
			WHERE state IN ('completed', 'abandoned')`,
		'CREATE INDEX retrywise_call_done ON retrywise_call (done) WHERE done IS NOT NULL',
	],
];

/** Brings the tables up to date, inside a transaction of the caller. */
export function migrate(database: SqliteRunner): void {
	database.run('CREATE TABLE IF NOT EXISTS retrywise_schema (version INTEGER NOT NULL)');
	const [row] = database.all('SELECT max(version) AS version FROM retrywise_schema');
	const version = (row as { version: number | null }).version ?? 0;
	if (version > STEPS.length) {
		throw new RetrywiseError(
			`the ledger's tables have version ${version}, and this release knows ${STEPS.length}`,
		);
	}
	for (const statement of STEPS.slice(version).flat()) {
		database.run(statement);
	}
	if (version < STEPS.length) {
		database.run('INSERT INTO retrywise_schema (version) VALUES (?)', STEPS.length);
	}
}
