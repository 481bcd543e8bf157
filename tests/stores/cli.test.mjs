import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

import { Redis } from 'ioredis';
import pg from 'pg';
import { createLedger, postgresStore, redisStore } from '../../js/dist/node/ledger.js';
import { startPostgres } from './support/postgres.mjs';
import { servers, startRedis } from './support/redis.mjs';

const MAIN = fileURLToPath(new URL('../../js/dist/cli/main.js', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Runs `retrywise ledger …` in this folder, whose packages are the drivers. */
function run(...args) {
	return new Promise((resolve) => {
		const options = { timeout: 60_000, cwd: HERE };
		execFile(process.execPath, [MAIN, 'ledger', ...args], options, (error, out, problem) =>
			resolve({ code: error ? error.code : 0, out, problem }),
		);
	});
}

describe('retrywise ledger on PostgreSQL', () => {
	let server;

	before(async () => {
		server = await startPostgres();
	});

	after(() => server?.stop());

	it('makes no tables: where there are none, it is the wrong database', async () => {
		const { code, problem } = await run('list', '--store', server.url);
		assert.equal(code, 2);
		assert.match(problem, /^retrywise: .*migrate/s);
		assert.doesNotMatch(problem, /\n +at /);
	});

	it('finds a renewal, and records a decision', async () => {
		const pool = new pg.Pool({ connectionString: server.url, max: 2 });
		const ledger = createLedger({ store: postgresStore(pool) });
		const labels = { customer: 'شركة النور' };
		await ledger.run({ event: 'renewal/42', labels }, () => ({ status: 201 }));
		await ledger.run({ event: 'bad', labels }, () => ({ status: 422 }));
		await pool.end();
		for (const store of [server.url, `postgres:${server.url}`]) {
			const found = await run('find', 'customer=شركة النور', '--json', '--store', store);
			assert.deepEqual(
				JSON.parse(found.out).items.map(({ record }) => record.state),
				['completed', 'review'],
			);
		}
		const decision = ['abandon', '--by', 'ann', '--why', 'the customer left'];
		const resolved = await run('resolve', 'bad', ...decision, '--store', server.url);
		assert.deepEqual([resolved.code, resolved.out], [0, 'bad: abandoned\n']);
		const { out } = await run('trail', 'bad', '--store', server.url);
		assert.match(out, /given up by ann: the customer left/);
	});

	it('says that a server is away, and never the password', async () => {
		const { code, problem } = await run('list', '--store', 'postgres://ann:tiger@127.0.0.1:1/db');
		assert.equal(code, 2);
		assert.match(problem, /the ledger cannot be used: .*ECONNREFUSED/);
		assert.doesNotMatch(problem, /tiger/);
	});
});

describe('retrywise ledger on Redis', () => {
	let server;

	before(async () => {
		server = await startRedis(servers()[0]);
	});

	after(() => server?.stop());

	it('finds a renewal', async () => {
		const client = new Redis(server.url);
		const ledger = createLedger({ store: redisStore(client) });
		await ledger.run({ event: 'renewal/42', labels: { order: '42' } }, () => ({ status: 201 }));
		client.disconnect();
		const { code, out } = await run('find', 'order=42', '--exit-code', '--store', server.url);
		assert.equal(code, 0);
		assert.match(out, /renewal\/42 +confirmed +1 +201/);
		assert.equal((await run('show', 'nobody', '--store', `redis:${server.url}`)).code, 1);
	});

	it('says that a server is away', async () => {
		const { code, problem } = await run('list', '--store', 'redis://:tiger@127.0.0.1:1');
		assert.equal(code, 2);
		assert.match(problem, /the ledger cannot be used: .*ECONNREFUSED/);
		assert.doesNotMatch(problem, /tiger|\n +at /);
	});
});
