import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { processSuite } from '../../js/test/support/ledger-processes.mjs';
import { storeSuite } from '../../js/test/support/ledger-suite.mjs';
import { ask, open, startObjects } from './support/objects.mjs';

const OPENER = new URL('./support/objects.mjs', import.meta.url);

let folder;
let objects;
let names = 0;

before(async () => {
	folder = mkdtempSync(join(tmpdir(), 'retrywise-objects-'));
	objects = await startObjects(folder);
});

after(async () => {
	await objects?.stop();
	rmSync(folder, { recursive: true, force: true });
});

/** An object that nobody used before. */
function fresh() {
	names += 1;
	return { url: objects.url, name: `object ${names}` };
}

storeSuite('a Durable Object', () => open(fresh()));

processSuite('a Durable Object', OPENER, fresh, (_, address) => open(address));

/** The processes that this one started and that run workerd. */
function workerds() {
	const children = readdirSync('/proc/self/task').flatMap((task) =>
		readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
	);
	return children.filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').includes('workerd'));
}

describe('a Durable Object', () => {
	it('has a ledger inside, which sends once for many requests at once', async () => {
		const address = fresh();
		const runs = Array.from({ length: 20 }, () => ask(address, 'run', 'renewal/42'));
		const states = (await Promise.all(runs)).map(({ state }) => state);
		assert.equal(states.filter((state) => state === 'completed').length >= 1, true);
		assert.deepEqual(await ask(address, 'run', 'renewal/42'), { state: 'completed', sent: 1 });
	});

	it('refuses tables that a newer release wrote', async () => {
		const address = fresh();
		await ask(address, 'becomeNewer');
		await assert.rejects(open(address).get('a'), /version 99/);
	});

	it('keeps what it acknowledged when the runtime is killed', async () => {
		const { name } = fresh();
		const acknowledged = [];
		const worker = async (who) => {
			for (let i = 0; ; i += 1) {
				const event = `${who}/${i}`;
				try {
					await ask({ url: objects.url, name }, 'run', event);
				} catch {
					return;
				}
				acknowledged.push(event);
			}
		};
		const workers = ['a', 'b', 'c'].map(worker);
		while (acknowledged.length < 20) {
			await new Promise((resolve) => setImmediate(resolve));
		}
		const pids = workerds();
		assert.equal(pids.length, 1);
		process.kill(pids[0], 'SIGKILL');
		await Promise.all(workers);
		await objects.stop();
		objects = await startObjects(folder);
		for (const event of acknowledged) {
			const call = await open({ url: objects.url, name }).get(event);
			assert.equal(call?.record.state, 'completed', event);
		}
	});
});
