/**
 * Ways to break the promise on purpose, to see that the judge notices. For its tests only.
 *
 * @module
 */

/** Longer than two workers differ in when they come to a call. */
const SLOW_MS = 300;

/** @type {Record<string, { store?: (store: object) => object, policy?: (policy: object) => object }>} */
export const SABOTAGE = {
	/** A store that does not compare, and takes its time: two workers find nothing, and both win. */
	'skip-claim': {
		store: (store) =>
			changed(store, {
				async get(id) {
					const there = await store.get(id);
					if (there === null) {
						await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
					}
					return there;
				},
				async write(change) {
					for (let turn = 0; turn < 100; turn += 1) {
						const there = await store.get(change.id);
						const expected = there?.record.revision ?? 0;
						const record = change.record && { ...change.record, revision: expected + 1 };
						if (await store.write({ ...change, record, expected })) {
							return true;
						}
					}
					throw new Error('no turn in a hundred');
				},
			}),
	},
	/** A policy that believes in keys where the vendor ignores them. */
	'repeat-ambiguous': {
		policy: (policy) => ({ ...policy, idempotency: { ...policy.idempotency, honoured: true } }),
	},
	/** A store that forgets some of the calls that it said it had written. */
	forget: {
		store: (store) =>
			changed(store, {
				async write(change) {
					const isDropped = change.expected === 0 && change.id.endsWith('7');
					return isDropped || store.write(change);
				},
			}),
	},
};

/** The store with some methods of its own. */
function changed(store, methods) {
	return new Proxy(store, {
		get: (_, name) => {
			const method = methods[name] ?? store[name];
			return typeof method === 'function' ? method.bind(store) : method;
		},
	});
}
