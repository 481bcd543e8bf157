// The smallest test runner that every runtime can carry: no module, no process, no clock of its own.

/** Runs the tests one after the other; what happened, as plain data. */
export async function runTests(tests) {
	const results = [];
	for (const [name, test] of tests) {
		try {
			await test();
			results.push({ name, error: null });
		} catch (error) {
			results.push({ name, error: describe(error) });
		}
	}
	return results;
}

/** Fails unless both are the same data. */
export function equal(found, wanted, what = 'value') {
	const [left, right] = [canonical(found), canonical(wanted)];
	if (left !== right) {
		throw new Error(`${what}: found ${left}, wanted ${right}`);
	}
}

/** Fails unless it holds. */
export function ok(holds, what) {
	if (!holds) {
		throw new Error(what);
	}
}

/** What a promise rejects with; fails when it resolves. */
export async function failure(promise, what = 'the promise') {
	let value;
	try {
		value = await promise;
	} catch (error) {
		return error;
	}
	throw new Error(`${what} resolved with ${value?.status ?? String(value)}`);
}

/** A text by which equal data is equal: members sorted by name. */
function canonical(value) {
	return JSON.stringify(value ?? null, (_, part) => {
		const isPlain = typeof part === 'object' && part !== null && !Array.isArray(part);
		return isPlain
			? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
			: part;
	});
}

/** An error with its causes and where it was thrown. */
function describe(error) {
	const chain = [];
	for (let at = error, depth = 0; at && depth < 5; at = at.cause, depth += 1) {
		chain.push(at.stack ? String(at.stack).split('\n').slice(0, 6).join('\n') : String(at));
	}
	return chain.join('\ncaused by ');
}
