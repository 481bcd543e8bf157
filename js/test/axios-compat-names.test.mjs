/** The drop-in beside the published axios-retry: names, defaults, predicates and delays. */

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import theirs, * as theirNames from 'axios-retry';
import ours, * as ourNames from 'retrywise/axios';
import { CODES, METHODS, STATUSES } from './support/same.mjs';

test('the same names are exported, with the same defaults', () => {
	const added = ['attach', 'hooks', 'noDelay', 'verdictOf'];
	assert.deepEqual(
		Object.keys(ourNames).filter((name) => !added.includes(name)),
		Object.keys(theirNames),
	);
	assert.deepEqual(
		Object.keys(ours)
			.filter((name) => name !== 'noDelay')
			.sort(),
		Object.keys(theirs).sort(),
	);
	assert.equal(ourNames.namespace, theirNames.namespace);
	const plain = ({ DEFAULT_OPTIONS }) =>
		Object.entries(DEFAULT_OPTIONS).map(([k, v]) => [k, typeof v === 'function' ? 'function' : v]);
	assert.deepEqual(plain(ourNames), plain(theirNames));
	assert.equal(ourNames.DEFAULT_OPTIONS.retryCondition, ours.isNetworkOrIdempotentRequestError);
	assert.equal(ourNames.DEFAULT_OPTIONS.retryDelay, ours.noDelay);
	assert.equal(ours.length, theirs.length);
});

test('CommonJS has the function under default, beside the names', () => {
	const require = createRequire(import.meta.url);
	const [our, their] = [require('retrywise/axios'), require('axios-retry')];
	assert.equal(our.__esModule, their.__esModule);
	assert.equal(typeof our, typeof their);
	assert.equal(typeof our.default, 'function');
	assert.equal(our.default.isNetworkError, our.isNetworkError);
});

test('every predicate answers the same, for every code, status and method', () => {
	const deny = [...Array.from({ length: 400 }, (_, i) => i + 200)];
	const names = Object.keys(theirNames).filter((name) => /^is/.test(name));
	let compared = 0;
	const compare = (error) => {
		for (const name of names) {
			assert.deepEqual(outcome(ourNames[name], error), outcome(theirNames[name], error), name);
			compared += 1;
		}
	};
	for (const method of [...METHODS, 'GET', 'trace', '', undefined]) {
		for (const code of [...CODES, '', undefined, null, 0, 7]) {
			compare({ code, config: { method } });
			compare({ code });
		}
		for (const status of [...STATUSES, ...deny, undefined, '503', null]) {
			compare({ response: { status }, config: { method } });
			compare({ code: 'ECONNABORTED', response: { status }, config: { method } });
		}
	}
	for (const odd of [
		{},
		{ config: null },
		{ response: 0 },
		{ response: {} },
		undefined,
		null,
		7,
		'x',
	]) {
		compare(odd);
	}
	assert.ok(compared > 10_000);
});

test('the deny list is the same, name by name', async () => {
	const { readFile } = await import('node:fs/promises');
	const list = createRequire(import.meta.url).resolve('is-retry-allowed');
	const codes = (await readFile(list, 'utf8')).match(/(?<=')[A-Z_]+(?=')/g);
	assert.equal(codes.length, 30);
	for (const code of codes) {
		assert.equal(ours.isNetworkError({ code }), false, code);
		assert.equal(theirs.isNetworkError({ code }), false, code);
	}
});

/** What a function gives or throws. */
function outcome(call, ...args) {
	try {
		return { value: call(...args) };
	} catch (error) {
		return { threw: error.constructor.name };
	}
}

test('the delays are the same numbers', () => {
	Date.now = () => Date.UTC(2026, 0, 15, 12);
	Math.random = () => 0.25;
	const errors = [undefined, null, {}, { response: undefined }, { response: {} }].concat(
		[
			undefined,
			'',
			'0',
			'1',
			'1.5',
			'-5',
			' 7 ',
			'abc',
			'1m30s',
			'120, 120',
			'1771404540',
			'0x10',
			'1e3',
			'Infinity',
			7,
			['3'],
			'Thu, 15 Jan 2026 12:00:30 GMT',
			'Thu, 15 Jan 2026 11:00:30 GMT',
			'Thursday, 15-Jan-26 12:00:30 GMT',
			'Thu Jan 15 12:00:30 2026',
			'2026-01-15T12:01:00Z',
		].map((value) => ({ response: { headers: { 'retry-after': value } } })),
		[{ response: { headers: { 'Retry-After': '5' } } }],
		[{ response: { headers: new Headers({ 'retry-after': '5' }) } }],
	);
	for (const error of errors) {
		assert.deepEqual(
			outcome(ourNames.retryAfter, error),
			outcome(theirNames.retryAfter, error),
			JSON.stringify(error),
		);
		for (const n of [undefined, 0, 1, 2, 3, 10, 25, 1024, 2000, -1, 1.5, Number.NaN, '3']) {
			const of = ({ exponentialDelay, linearDelay, DEFAULT_OPTIONS }) => [
				outcome(exponentialDelay, n, error),
				outcome(exponentialDelay, n, error, 1000),
				outcome(exponentialDelay, n, error, 0),
				outcome(linearDelay(), n, error),
				outcome(linearDelay(250), n, error),
				outcome(DEFAULT_OPTIONS.retryDelay, n, error),
			];
			assert.deepEqual(of(ourNames), of(theirNames), `${n} ${JSON.stringify(error)}`);
		}
	}
	assert.equal(ours.exponentialDelay.length, theirs.exponentialDelay.length);
});
