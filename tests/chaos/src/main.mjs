/**
 * `node src/main.mjs [--calls N] [--store sqlite|postgres|all] [--seed S] [--workers W]`: half of
 * the calls go to a vendor that honours keys, half to one that ignores them, for each store. Exit
 * code 0 when nothing was done twice or lost, else 1.
 *
 * @module
 */

import { parseArgs } from 'node:util';
import { chaos, STORES } from './chaos.mjs';

const { values } = parseArgs({
	options: {
		calls: { type: 'string', default: '10000' },
		store: { type: 'string', default: 'all' },
		seed: { type: 'string', default: String(Date.now() % 1_000_000) },
		workers: { type: 'string', default: '4' },
	},
});

const whole = (name, low, high) => {
	const value = Number(values[name]);
	if (!Number.isInteger(value) || value < low || value > high) {
		throw new RangeError(`--${name} is ${values[name]}: a whole number from ${low} to ${high}`);
	}
	return value;
};

try {
	const isGood = await chaos({
		calls: whole('calls', 100, 10_000_000),
		seed: whole('seed', 0, Number.MAX_SAFE_INTEGER),
		workers: whole('workers', 1, 64),
		stores: values.store === 'all' ? STORES : [values.store],
		print: (line) => console.log(line),
	});
	process.exitCode = isGood ? 0 : 1;
} catch (error) {
	console.error(error instanceof RangeError ? error.message : error);
	process.exitCode = 2;
}
