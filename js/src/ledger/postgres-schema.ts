/**
 * The tables of the PostgreSQL store, as steps from one version to the next. A step that was
 * released never changes.
 *
 * Ids compare by their bytes, whatever the database's locale says. Labels keep the order they were
 * given in, and are searched as `jsonb`. Everything else that is JSON is text: it may contain an
 * escaped NUL, which `jsonb` refuses.
 *
 * @module
 */

/** Step i leads from version i to version i + 1; `$schema.` stands before each name that needs it. */
const STEPS: readonly string[] = [
	`CREATE TABLE $schema.retrywise_call (
		id text COLLATE "C" PRIMARY KEY,
		revision bigint NOT NULL,
		state text NOT NULL,
		cause text,
		created bigint NOT NULL,
		due bigint,
		done bigint,
		priority double precision NOT NULL,
		record text NOT NULL,
		labels json NOT NULL,
		request text NOT NULL,
		payload text,
		outcome text
	);
	CREATE INDEX retrywise_call_created ON $schema.retrywise_call (created, id);
	CREATE INDEX retrywise_call_state ON $schema.retrywise_call (state, created, id);
	CREATE INDEX retrywise_call_due ON $schema.retrywise_call (priority DESC, due)
		WHERE due IS NOT NULL;
	CREATE INDEX retrywise_call_done ON $schema.retrywise_call (done) WHERE done IS NOT NULL;
	CREATE INDEX retrywise_call_labels ON $schema.retrywise_call
		USING gin ((labels::jsonb) jsonb_path_ops);
	CREATE TABLE $schema.retrywise_trail (
		call_id text COLLATE "C" NOT NULL REFERENCES $schema.retrywise_call ON DELETE CASCADE,
		revision bigint NOT NULL,
		place integer NOT NULL,
		entry text NOT NULL,
		PRIMARY KEY (call_id, revision, place)
	);`,
];

/** The version that this release writes. */
export const VERSION: number = STEPS.length;

/** The first statement of all: what version the tables have. */
export function versionSql(schema: string): string {
	return `SELECT max(version) AS version FROM ${schema}retrywise_schema`;
}

/**
 * One statement that brings the tables up to date, wholly or not at all; many processes may run it
 * at once.
 *
 * @param schema the quoted name with its full stop, or nothing
 */
export function migrationSql(schema: string): string {
	const steps = STEPS.map(
		(step, version) => `IF present <= ${version} THEN
			${step.replaceAll('$schema.', schema)}
			INSERT INTO ${schema}retrywise_schema (version) VALUES (${version + 1});
		END IF;`,
	);
	return `DO $retrywise$
		DECLARE present bigint;
		BEGIN
			PERFORM pg_advisory_xact_lock(hashtext('retrywise ledger'));
			${schema === '' ? '' : `CREATE SCHEMA IF NOT EXISTS ${schema.slice(0, -1)};`}
			CREATE TABLE IF NOT EXISTS ${schema}retrywise_schema (version bigint PRIMARY KEY);
			SELECT coalesce(max(s.version), 0) INTO present FROM ${schema}retrywise_schema s;
			${steps.join('\n')}
		END
	$retrywise$`;
}
