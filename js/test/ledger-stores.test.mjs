import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { createLedger, memoryStore, sqliteStore } from 'retrywise/ledger';
import { DRIVERS } from './support/databases.mjs';
import { HONOURED, RACES } from './support/ledger-policy.mjs';
import { storeSuite } from './support/ledger-suite.mjs';

const WORKER = new URL('./support/ledger-worker.mjs', import.meta.url);

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

/** A worker that waits for its `go`. */
async function worker(test, driver, file, task) {
	const child = fork(WORKER, [driver, file, task]);
	test.after(() => child.kill('SIGKILL'));
	const [word] = await once(child, 'message');
	assert.equal(word, 'ready');
	return child;
}

storeSuite('the memory store', () => memoryStore());

for (const driver of Object.keys(DRIVERS)) {
	storeSuite(`SQLite (${driver})`, (test) => sqliteStore(opened(test, driver, databaseFile(test))));

	describe(`SQLite (${driver}) between processes`, () => {
		it('lets two writers that race send each call once', async (test) => {
			const file = databaseFile(test);
			const workers = [
				await worker(test, driver, file, 'race'),
				await worker(test, driver, file, 'race'),
			];
			const answers = workers.map((child) => once(child, 'message'));
			for (const child of workers) {
				child.send('go');
			}
			const sent = (await Promise.all(answers)).flatMap(([{ done }]) => done);
			assert.equal(sent.length, RACES);
			assert.equal(new Set(sent.map(([event]) => event)).size, RACES);
			assert.ok(sent.every(([, attempt]) => attempt === 1));
			const ledger = createLedger({ store: sqliteStore(opened(test, driver, file)) });
			const { items } = await ledger.list({ state: 'completed', limit: 1000 });
			assert.equal(items.length, RACES);
		});

		it('takes up what a killed worker had claimed, and nothing is lost', async (test) => {
			const file = databaseFile(test);
			const child = await worker(test, driver, file, 'hang');
			const [message] = await Promise.all([once(child, 'message'), child.send('go')]);
			const [{ sent }] = message;
			child.kill('SIGKILL');
			await once(child, 'exit');
			let ahead = 0;
			const clock = { wall: () => Date.now() + ahead };
			const store = sqliteStore(opened(test, driver, file));
			const ledger = createLedger({ store, policy: HONOURED, clock });
			ahead = 2000;
			const [result] = await ledger.recover(({ attempt, key, payload }) => ({
				attempt,
				key,
				payload,
			}));
			assert.equal(result.state, 'completed');
			assert.deepEqual(result.value, { attempt: 2, key: sent.key, payload: { amount: 5 } });
			const trail = await ledger.entries('crash');
			assert.equal(trail.filter(({ takenOver }) => takenOver).length, 1);
			assert.equal((await ledger.find({ order: '5' })).items[0].record.state, 'completed');
		});

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
