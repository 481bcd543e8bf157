import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

import { createLedger, sqliteStore } from 'retrywise/ledger';
import { virtualClock } from './support/clock.mjs';
import { DRIVERS } from './support/databases.mjs';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'retrywise-cli-ledger-'));
const path = (name) => join(folder, name);
const STORE = `sqlite:${path('ledger.db')}`;
after(() => rmSync(folder, { recursive: true, force: true }));

const POLICY = {
	maxRetries: 2,
	idempotency: { honoured: true },
	backoff: { jitter: 'none' },
	breaker: null,
};

/** Runs `retrywise ledger …` to its end, on the store of these tests. */
function run(...args) {
	const env = { ...process.env, RETRYWISE_STORE: STORE };
	return new Promise((resolve) => {
		execFile(
			process.execPath,
			[MAIN, 'ledger', ...args],
			// A project without drivers of its own.
			{ timeout: 60_000, env, cwd: folder },
			(error, out, problem) => resolve({ code: error ? error.code : 0, out, problem }),
		);
	});
}

const json = async (...args) => JSON.parse((await run(...args, '--json')).out);

before(async () => {
	const database = Object.values(DRIVERS)[0](path('ledger.db'));
	const clock = virtualClock();
	const ledger = createLedger({ store: sqliteStore(database), policy: POLICY, clock, seed: 1 });
	const labels = { customer: 'شركة النور', order: '42' };
	const answers = [{ status: 429, headers: { 'retry-after': '5' } }, { status: 503 }];
	await ledger.run(
		{ event: 'renewal/42', payload: { seats: 5 }, labels },
		() => answers.shift() ?? { status: 201, body: { id: 'r-9' } },
	);
	await ledger.run({ event: 'bad', labels: { order: '43' } }, () => ({ status: 422 }));
	await ledger.run({ event: 'lost', labels: { order: '44' } }, () => ({ status: 504 }));
	await ledger.run({ event: 'gone', labels: { order: '45' } }, () => ({ status: 504 }));
	const dueAt = clock.wall() + 1000;
	await ledger.run({ event: 'later', payload: [1], dueAt, labels: { order: '46' } }, () => 0);
	await ledger.run({ event: 'evil\u202e\u001b[2J\n', labels: { order: '47' } }, () => ({
		status: 422,
	}));
	database.close();
});

describe('retrywise ledger', () => {
	it('helps with examples, for each command', async () => {
		const { code, out } = await run('--help');
		assert.equal(code, 0);
		for (const name of ['list', 'show', 'find', 'trail', 'review', 'resolve', 'recover']) {
			assert.match(out, new RegExp(`^ +${name} `, 'm'));
			assert.match((await run(name, '--help')).out, /Examples:\n +retrywise ledger/);
		}
	});

	it('says what is wrong with a store, and makes none by a slip of the pen', async () => {
		for (const [store, problem] of [
			[`sqlite:${path('none.db')}`, /there is no ledger at .*none\.db/],
			['sqlite:', /no file named/],
			['oracle://scott:tiger@db', /--store is none of sqlite:FILE, postgres:URL or redis:URL/],
			['', /say --store/],
		]) {
			const { code, problem: said } = await run('list', '--store', store);
			assert.equal(code, 2);
			assert.match(said, problem);
			assert.doesNotMatch(said, /tiger|\n +at /);
		}
		const away = await run('list', '--store', 'postgres://ann:tiger@127.0.0.1:1/db');
		assert.equal(away.code, 2);
		assert.match(away.problem, /one of the packages pg in your project: npm install pg/);
		writeFileSync(path('text.db'), 'this is a text and no database at all, however long it may be');
		const { code, problem } = await run('list', '--store', `sqlite:${path('text.db')}`);
		assert.equal(code, 2);
		assert.match(problem, /the ledger cannot be used: .*not a database/);
	});

	it('answers whether a renewal went through: in words, in JSON and by exit code', async () => {
		const { code, out } = await run('find', 'order=42');
		assert.equal(code, 0);
		assert.match(out, /renewal\/42 +confirmed +3 +201 +2026-01-15 12:00:0\d/);
		const { items } = await json('find', 'order=42', 'customer=شركة النور');
		assert.deepEqual(
			items.map(({ event, record, value }) => [event, record.state, value.body.id]),
			[['renewal/42', 'completed', 'r-9']],
		);
		assert.equal((await run('find', 'order=42', 'customer=Nour')).code, 1);
		assert.equal((await run('find', 'order')).code, 2);
		for (const [order, expected] of [
			[42, 0],
			[44, 11],
			[46, 10],
			[99, 1],
		]) {
			assert.equal((await run('find', `order=${order}`, '--exit-code')).code, expected);
		}
		assert.match((await run('find', 'order=42', '--lang', 'ar')).out, /مؤكد/);
	});

	it('lists by state and a page at a time', async () => {
		const { items } = await json('list', '--state', 'review', '--cause', 'permanent');
		assert.equal(items.length, 2);
		const first = await json('list', '--limit', '4');
		const rest = await json('list', '--limit', '4', '--cursor', first.next);
		assert.deepEqual([first.items.length, rest.items.length, rest.next], [4, 2, null]);
		assert.match((await run('list', '--limit', '4')).out, /more: --cursor "/);
		assert.equal((await run('list', '--limit', '0')).code, 2);
		assert.equal((await run('list', '--state', 'asleep')).code, 2);
		assert.equal((await json('list', '--label', 'order=43')).items[0].event, 'bad');
	});

	it('shows a call without its whole key, and none that is not there', async () => {
		const { record } = await json('show', 'renewal/42');
		const { out } = await run('show', 'renewal/42');
		assert.match(out, /payload +\{"seats":5\}/);
		assert.equal(out.includes(record.key), false);
		const { code, problem } = await run('show', 'nobody');
		assert.equal(code, 1);
		assert.match(problem, /no such call: nobody/);
		assert.equal(await json('show', 'nobody'), null);
	});

	it('tells a call that was rate limited, retried and confirmed, in both languages', async () => {
		const { out } = await run('trail', 'renewal/42');
		const story = out.trimEnd().split('\n');
		assert.match(story[0], /^call renewal\/42, key \w{4}…\w{4}, customer شركة النور, order 42$/);
		for (const [line, what] of [
			[1, /info +pending +recorded/],
			[2, /info +attempted +attempt 1: sent/],
			[
				3,
				/info +rate limited +attempt 1, HTTP 429: the vendor asked to wait; the next attempt in 5 s/,
			],
			[5, /info +retrying +attempt 2, HTTP 503: failed for now/],
			[7, /info +confirmed +attempt 3, HTTP 201: the vendor answered success/],
			[8, /^confirmed; attempts: 3; took \d/],
		]) {
			assert.match(story[line], what);
		}
		const arabic = (await run('trail', 'renewal/42', '--lang', 'ar')).out;
		for (const word of ['محدود المعدل', 'قيد إعادة المحاولة', 'مؤكد؛ عدد المحاولات: 3']) {
			assert.ok(arabic.includes(word), arabic);
		}
		assert.deepEqual(
			(await json('trail', 'renewal/42')).map(({ state }) => state),
			'pending attempted rate-limited attempted retrying attempted confirmed'.split(' '),
		);
		assert.equal((await run('trail', 'nobody')).code, 1);
	});

	it('lets no event act on the terminal', async () => {
		for (const args of [['list'], ['review'], ['find', 'order=47']]) {
			const { out } = await run(...args);
			assert.match(out, /evil\\u\{202e\}\\u\{1b\}\[2J\\u\{a\}/);
			assert.ok(!out.includes('\u001b') && !out.includes('\u202e'));
		}
	});

	it('says what people have to decide, and records what they did, with who and why', async () => {
		const { out } = await run('review', '--cause', 'ambiguous');
		assert.match(out, /^lost {2}ambiguous {2}\(attempts \d, HTTP 504/m);
		assert.match(out, /ask the vendor whether it was processed/);
		assert.match(out, /→ confirm \| retry \| abandon/);
		assert.match((await run('review', '--lang', 'ar')).out, /اسأل المورّد/);
		assert.equal((await run('resolve', 'lost', 'confirm', '--by', 'ann')).code, 2, 'why?');
		assert.equal((await run('resolve', 'lost', 'ignore', '--by', 'a', '--why', 'b')).code, 2);
		const by = ['--by', 'ann', '--why', 'it is in the portal'];
		assert.match((await run('resolve', 'lost', 'confirm', ...by)).out, /^lost: confirmed$/m);
		assert.match((await run('trail', 'lost')).out, /confirmed by ann: it is in the portal/);
		const again = await run('resolve', 'lost', 'abandon', ...by);
		assert.equal(again.code, 1);
		assert.match(again.problem, /not in review/);
		assert.equal((await run('resolve', 'nobody', 'confirm', ...by)).code, 1);
		const next = await json('resolve', 'gone', 'retry', ...by);
		assert.deepEqual([next.id, next.state, next.replaces], ['gone#2', 'waiting', 'gone']);
		assert.match((await run('resolve', 'bad', 'abandon', ...by)).out, /bad: abandoned/);
	});

	it('takes up what is due, with the function that the module exports', async () => {
		const none = await run('recover');
		assert.equal(none.code, 2);
		assert.match(none.problem, /--with/);
		const due = await json('recover', '--dry-run');
		assert.deepEqual(due.map(({ event }) => event).toSorted(), ['gone#2', 'later']);
		writeFileSync(path('empty.mjs'), 'export const policy = {};');
		const empty = await run('recover', '--with', path('empty.mjs'));
		assert.equal(empty.code, 2);
		assert.match(empty.problem, /export default async/);
		assert.equal((await run('recover', '--with', path('no.mjs'))).code, 2);
		writeFileSync(
			path('send.mjs'),
			`export const policy = ${JSON.stringify(POLICY)};
			export default async ({ event, payload, headers }) =>
				event === 'later'
					? { status: 200, body: { payload, keyed: 'Idempotency-Key' in headers } }
					: { status: 422 };`,
		);
		const { code, out } = await run('recover', '--with', path('send.mjs'));
		assert.equal(code, 1, 'one went to a person');
		assert.match(out, /later: confirmed, attempts 1/);
		assert.match(out, /gone#2: in review \(permanent\), attempts 1/);
		assert.deepEqual((await json('show', 'later')).value.body, { payload: [1], keyed: true });
		assert.deepEqual(await json('recover', '--dry-run'), []);
		assert.deepEqual(await json('recover', '--with', path('send.mjs')), []);
	});
});
