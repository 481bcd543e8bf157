/** What tests do with promises. */

import assert from 'node:assert/strict';

/** What a promise is rejected with; one that resolves is a failure of the test. */
export const failure = (promise) =>
	promise.then(
		() => assert.fail('it resolved'),
		(error) => error,
	);

/** `Promise.withResolvers`, which Node 20 has not. */
export function withResolvers() {
	let resolve;
	const promise = new Promise((settle) => {
		resolve = settle;
	});
	return { promise, resolve };
}
