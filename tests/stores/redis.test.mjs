import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { createLedger, redisStore } from '../../js/dist/node/ledger.js';
import { processSuite } from '../../js/test/support/ledger-processes.mjs';
import { storeSuite } from '../../js/test/support/ledger-suite.mjs';
import { servers, startRedis } from './support/redis.mjs';

const OPENER = new URL('./support/redis.mjs', import.meta.url);

const HONOURED = { idempotency: { honoured: true }, breaker: null };

/** An outcome that cannot be written is given up soon. */
const HASTY = { ...HONOURED, idempotency: { honoured: true, leaseMs: 500 } };

for (const program of servers()) {
	describe(program, () => {
		let server;
		let node;
		let io;
		let prefixes = 0;

		before(async () => {
			server = await startRedis(program);
			node = createClient({ url: server.url });
			node.on('error', () => {});
			await node.connect();
			io = new Redis(server.url);
		});

		after(async () => {
			node?.destroy();
			io?.disconnect();
			await server?.stop();
		});

		/** A prefix that nobody used before. */
		const fresh = () => {
			prefixes += 1;
			return `{p${prefixes}}:`;
		};

		storeSuite(`${program} (redis)`, () => redisStore(node, { prefix: fresh() }));
		storeSuite(`${program} (ioredis)`, () => redisStore(io, { prefix: fresh() }));

		processSuite(
			program,
			OPENER,
			() => ({ url: server.url, prefix: fresh() }),
			(_, { prefix }) => redisStore(io, { prefix }),
		);

		it('goes on when the server has forgotten the script', async () => {
			for (const client of [node, io]) {
				const store = redisStore(client, { prefix: fresh() });
				assert.equal(await store.get('nobody'), null);
				await io.script('FLUSH');
				assert.equal(await store.get('nobody'), null);
			}
		});

		it('refuses keys that a newer release wrote', async () => {
			const prefix = fresh();
			await redisStore(io, { prefix }).get('a');
			await io.set(`${prefix}version`, '99');
			await assert.rejects(redisStore(io, { prefix }).get('a'), /version 99/);
		});

		it('leaves no key behind when calls go', async () => {
			const prefix = fresh();
			const store = redisStore(io, { prefix });
			const ledger = createLedger({ store, policy: HONOURED });
			for (let i = 0; i < 20; i += 1) {
				const call = { event: `e/${i}`, payload: i, labels: { n: `${i}` }, priority: i % 3 };
				await ledger.run(call, () => (i % 2 === 0 ? { status: 422 } : 'done'));
			}
			const give = { action: 'abandon', by: 'ann', why: 'enough' };
			for (const { id } of (await ledger.review()).items) {
				await ledger.resolve(id, give);
			}
			assert.ok((await io.keys(`${prefix}*`)).length > 60);
			assert.equal(await store.purge(Number.MAX_SAFE_INTEGER, 100), 20);
			assert.deepEqual(await io.keys(`${prefix}*`), [`${prefix}version`]);
		});

		it('finds a needle among many calls, step by step', async () => {
			const store = redisStore(io, { prefix: fresh() });
			const ledger = createLedger({ store });
			const dueAt = Date.now() + 1e6;
			const never = () => assert.fail('not due');
			const calls = Array.from({ length: 2500 }, (_, i) => ({
				event: `e/${String(i).padStart(4, '0')}`,
				dueAt,
				labels: { half: i % 2 === 0 ? 'even' : 'odd', third: `${i % 3}` },
			}));
			await Promise.all(calls.map((call) => ledger.run(call, never)));
			await ledger.run({ event: 'z', labels: { half: 'even', third: '1' } }, () => 1);
			const labels = { half: 'even', third: '1' };
			const wanted = calls.filter(
				({ labels: { half, third } }) => half === 'even' && third === '1',
			);
			const found = await store.list({ state: 'waiting', labels, limit: 1000 });
			assert.deepEqual(
				found.map(({ record }) => record.id).toSorted(),
				wanted.map(({ event }) => event),
			);
			assert.deepEqual(await store.list({ labels: { half: 'odd', third: '7' }, limit: 5 }), []);
			assert.equal((await store.list({ limit: 5000 })).length, 2501);
		});

		it('keeps what it acknowledged when the server dies, and says that it is gone', async (test) => {
			const client = new Redis(server.url, { maxRetriesPerRequest: 1, retryStrategy: () => 20 });
			test.after(() => client.disconnect());
			const ledger = createLedger({
				store: redisStore(client, { prefix: fresh() }),
				policy: HASTY,
			});
			const acknowledged = [];
			const errors = [];
			const worker = async (name) => {
				for (let i = 0; ; i += 1) {
					try {
						await ledger.run({ event: `${name}/${i}`, payload: i }, () => i);
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
			assert.equal(errors.length, 4);
			for (const error of errors) {
				assert.notEqual(error.message, '');
			}
			await server.start();
			for (const event of acknowledged) {
				assert.equal((await ledger.show(event))?.record.state, 'completed', event);
			}
			const again = await ledger.run({ event: 'a/0', payload: 0 }, () => assert.fail('sent twice'));
			assert.equal(again.replayed, true);
		});
	});
}
