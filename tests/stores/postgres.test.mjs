import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import pg from 'pg';
import postgres from 'postgres';
import { createLedger, postgresStore } from '../../js/dist/node/ledger.js';
import { processSuite } from '../../js/test/support/ledger-processes.mjs';
import { storeSuite } from '../../js/test/support/ledger-suite.mjs';
import { startPostgres } from './support/postgres.mjs';

const OPENER = new URL('./support/postgres.mjs', import.meta.url);

const HONOURED = { idempotency: { honoured: true }, breaker: null };

/** An outcome that cannot be written is given up soon. */
const HASTY = { ...HONOURED, idempotency: { honoured: true, leaseMs: 500 } };

let server;
let pool;
let schemas = 0;

before(async () => {
	server = await startPostgres();
	pool = new pg.Pool({ connectionString: server.url, max: 8 });
});

after(async () => {
	await pool?.end();
	await server?.stop();
});

/** A schema that nobody used before. */
function fresh() {
	schemas += 1;
	return `s${schemas}`;
}

function pooled(test) {
	const mine = new pg.Pool({ connectionString: server.url, max: 4 });
	test.after(() => mine.end());
	return mine;
}

storeSuite('PostgreSQL (pg)', () => postgresStore(pool, { schema: fresh() }));

storeSuite('PostgreSQL (postgres)', (test) => {
	const sql = postgres(server.url, { onnotice: () => {}, max: 4 });
	test.after(() => sql.end());
	const query = async (text, values) => ({ rows: await sql.unsafe(text, values) });
	return postgresStore({ query }, { schema: fresh() });
});

processSuite(
	'PostgreSQL',
	OPENER,
	() => ({ url: server.url, schema: fresh() }),
	(_, { schema }) => postgresStore(pool, { schema }),
);

describe('PostgreSQL', () => {
	it('lets many processes make the tables at once', async (test) => {
		const schema = fresh();
		const stores = Array.from({ length: 8 }, () => postgresStore(pooled(test), { schema }));
		const found = await Promise.all(stores.map((store) => store.get('nobody')));
		assert.deepEqual(new Set(found), new Set([null]));
		const { rows } = await pool.query(`SELECT version FROM ${schema}.retrywise_schema`);
		assert.deepEqual(rows, [{ version: '1' }]);
	});

	it('makes tables only when it is told to, where it may not by itself', async () => {
		const schema = fresh();
		const store = postgresStore(pool, { schema, migrate: false });
		await assert.rejects(store.get('nobody'), /version 0 of 1: call migrate\(\)/);
		await store.migrate();
		await store.migrate();
		assert.equal(await store.get('nobody'), null);
		assert.equal(await postgresStore(pool, { schema, migrate: false }).get('nobody'), null);
	});

	it('refuses tables that a newer release wrote, and names that are none', async () => {
		const schema = fresh();
		await postgresStore(pool, { schema }).migrate();
		await pool.query(`INSERT INTO ${schema}.retrywise_schema VALUES (99)`);
		await assert.rejects(postgresStore(pool, { schema }).get('a'), /version 99/);
		for (const name of ['', 'a"b', 'a.b', '1a', 'x'.repeat(64)]) {
			assert.throws(() => postgresStore(pool, { schema: name }), RangeError);
		}
	});

	it('works in the first schema of the search path, and under a strict isolation', async (test) => {
		await pool.query('CREATE SCHEMA elsewhere');
		const strict = '-c search_path=elsewhere -c default_transaction_isolation=serializable';
		const client = new pg.Pool({ connectionString: server.url, options: strict, max: 8 });
		test.after(() => client.end());
		const store = postgresStore(client);
		const ledger = createLedger({ store, policy: HONOURED });
		let sent = 0;
		const runs = Array.from({ length: 40 }, (_, i) =>
			ledger.run({ event: `e/${i % 10}` }, () => {
				sent += 1;
			}),
		);
		await Promise.all(runs);
		assert.equal(sent, 10);
		const { rows } = await pool.query('SELECT count(*)::int AS n FROM elsewhere.retrywise_call');
		assert.equal(rows[0].n, 10);
	});

	it('finds calls by an index, by label, state, due time and end', async () => {
		const schema = fresh();
		await postgresStore(pool, { schema }).migrate();
		const client = await pool.connect();
		try {
			await client.query('SET enable_seqscan = off');
			const plans = [];
			const store = postgresStore(
				{
					query: async (text, values) => {
						if (text.includes('retrywise_call')) {
							const { rows } = await client.query(`EXPLAIN ${text}`, values);
							plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
						}
						return client.query(text, values);
					},
				},
				{ schema },
			);
			await store.list({ labels: { order: '5' }, limit: 5 });
			await store.list({ state: 'review', limit: 5 });
			await store.list({ limit: 5 });
			await store.due(5, 5);
			await store.purge(5, 5);
			for (const index of ['labels', 'state', 'created', 'due', 'done']) {
				assert.match(plans.shift(), new RegExp(`retrywise_call_${index}`));
			}
		} finally {
			client.release(true);
		}
	});
});

describe('PostgreSQL, when the server dies,', () => {
	it('says so, keeps what it had acknowledged, and works on when the server is back', async (test) => {
		// A store's pool that nobody asks meanwhile must not end the process.
		const idle = pooled(test);
		await postgresStore(idle, { schema: fresh() }).get('nobody');
		assert.ok(idle.idleCount > 0);
		const store = postgresStore(pooled(test), { schema: fresh() });
		const ledger = createLedger({ store, policy: HASTY });
		let stop = false;
		const acknowledged = [];
		const errors = [];
		const worker = async (name) => {
			for (let i = 0; !stop; i += 1) {
				try {
					const { state } = await ledger.run({ event: `${name}/${i}`, payload: i }, () => i);
					assert.equal(state, 'completed');
					acknowledged.push(`${name}/${i}`);
				} catch (error) {
					errors.push(error);
					return;
				}
			}
		};
		const workers = ['a', 'b', 'c', 'd'].map(worker);
		while (acknowledged.length < 50) {
			await new Promise((resolve) => setImmediate(resolve));
		}
		await server.kill();
		await Promise.all(workers);
		stop = true;
		assert.equal(errors.length, 4);
		for (const error of errors) {
			assert.ok(error instanceof Error);
			assert.notEqual(error.message, '');
		}
		await assert.rejects(ledger.show('a/0'), /ECONNREFUSED/);

		await server.start();
		for (const event of acknowledged) {
			assert.equal((await ledger.show(event))?.record.state, 'completed', event);
		}
		const again = await ledger.run({ event: 'a/0', payload: 0 }, () => assert.fail('sent twice'));
		assert.equal(again.replayed, true);
		const open = (await ledger.list({ state: 'in-progress' })).items;
		assert.ok(open.length <= 4, 'at most what was on its way');
	});
});
