import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { createLedger, memoryStore, sqliteStore } from 'retrywise/ledger';
import { DRIVERS } from './support/databases.mjs';
import { processSuite } from './support/ledger-processes.mjs';
import { storeSuite } from './support/ledger-suite.mjs';

const OPENER = new URL('./support/databases.mjs', import.meta.url);

/** A file for a database, gone after the test. */
function databaseFile(test) {
	const folder = mkdtempSync(join(tmpdir(), 'retrywise-ledger-'));
	test.after(() => rmSync(folder, { recursive: true, force: true }));
	return join(folder, 'ledger.db');
}

function opened(test, driver, file) {
	const database = DRIVERS[driver](file);
	test.after(() => database.close());
	return database;
}

storeSuite('the memory store', () => memoryStore());

for (const driver of Object.keys(DRIVERS)) {
	storeSuite(`SQLite (${driver})`, (test) => sqliteStore(opened(test, driver, databaseFile(test))));

	processSuite(
		`SQLite (${driver})`,
		OPENER,
		(test) => ({ driver, file: databaseFile(test) }),
		(test, { file }) => sqliteStore(opened(test, driver, file)),
	);

	describe(`SQLite (${driver})`, () => {
		it('waits while another process holds the lock, and gives up in the end', async (test) => {
			const file = databaseFile(test);
			const store = sqliteStore(opened(test, driver, file), { busyMs: 100 });
			await store.get('a');
			const holder = opened(test, driver, file);
			holder.exec('BEGIN IMMEDIATE');
			const ledger = createLedger({ store });
			await assert.rejects(
				ledger.run({ event: 'e' }, () => assert.fail('not claimed')),
				/locked/,
			);
			setTimeout(() => holder.exec('ROLLBACK'), 150);
			const patient = createLedger({ store: sqliteStore(opened(test, driver, file)) });
			assert.equal((await patient.run({ event: 'e' }, () => 1)).state, 'completed');
		});

		it('brings tables of an older release up to date, and keeps what is in them', async (test) => {
			const file = databaseFile(test);
			const ledger = createLedger({ store: sqliteStore(opened(test, driver, file)) });
			await ledger.run({ event: 'old' }, () => 1);
			const database = opened(test, driver, file);
			for (const statement of [
				'DROP INDEX retrywise_call_done',
				'ALTER TABLE retrywise_call DROP COLUMN done',
				'DELETE FROM retrywise_schema WHERE version = 2',
				'INSERT INTO retrywise_schema VALUES (1)',
			]) {
				database.exec(statement);
			}
			const store = sqliteStore(opened(test, driver, file));
			assert.equal((await store.get('old')).record.state, 'completed');
			assert.equal(await store.purge(Number.MAX_SAFE_INTEGER, 9), 1);
			assert.equal(await store.get('old'), null);
		});

		it('refuses tables that a newer release wrote', async (test) => {
			const file = databaseFile(test);
			await sqliteStore(opened(test, driver, file)).get('a');
			opened(test, driver, file).exec('INSERT INTO retrywise_schema VALUES (99)');
			await assert.rejects(sqliteStore(opened(test, driver, file)).get('a'), /version 99/);
		});

		it('syncs every commit', async (test) => {
			const database = opened(test, driver, databaseFile(test));
			await sqliteStore(database).get('a');
			assert.equal(Object.values(database.prepare('PRAGMA synchronous').get())[0], 2);
			assert.equal(Object.values(database.prepare('PRAGMA journal_mode').get())[0], 'wal');
		});
	});
}
