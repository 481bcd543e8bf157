/**
 * What the vendor does with a request: decided by the seed, the event and the how-manieth request
 * for it this is, so that it does not depend on who came first.
 *
 * @module
 */

import { random } from './random.mjs';

/**
 * @typedef {object} Fate
 * @property {string} name
 * @property {'answer' | 'refuse' | 'reset' | 'garbage' | 'truncate' | 'page'} how what the client gets
 * @property {number} [status]
 * @property {boolean} acts whether the vendor carries the order out
 * @property {'before' | 'after'} [late] it takes its time, longer than the client waits, before or after acting
 */

/**
 * How often, in thousandths; the rest goes well. `acts: null` is a toss: the client cannot tell.
 * `refuse` is the only way of failing that is certain: nothing was done, and it says so.
 */
const FAULTS = [
	[70, { name: '429', how: 'refuse', status: 429, acts: false }],
	[30, { name: '503', how: 'refuse', status: 503, acts: false }],
	[50, { name: '500', how: 'answer', status: 500, acts: null }],
	[20, { name: '502', how: 'answer', status: 502, acts: null }],
	[20, { name: '504', how: 'answer', status: 504, acts: null }],
	[40, { name: 'dropped before', how: 'reset', acts: false }],
	[50, { name: 'dropped after', how: 'reset', acts: true }],
	[30, { name: 'garbage', how: 'garbage', acts: null }],
	[20, { name: 'cut short', how: 'truncate', acts: true }],
	[20, { name: 'another page', how: 'page', status: 200, acts: null }],
	[3, { name: 'late', how: 'answer', status: 201, acts: true, late: 'after' }],
	[3, { name: 'acts late', how: 'answer', status: 201, acts: true, late: 'before' }],
];

/** Orders that no repetition mends, in thousandths. */
const BAD_ORDERS = 5;

const INVALID = { name: '422', how: 'answer', status: 422, acts: false };
const GOOD = { name: 'done', how: 'answer', status: 201, acts: true };

/** @returns {Fate} */
export function fateOf(seed, event, request) {
	if (random(seed, event, 'order')() * 1000 < BAD_ORDERS) {
		return INVALID;
	}
	const draw = random(seed, event, request);
	let place = draw() * 1000;
	for (const [often, fate] of FAULTS) {
		place -= often;
		if (place < 0) {
			return { ...fate, acts: fate.acts ?? draw() < 0.5 };
		}
	}
	return GOOD;
}
