/**
 * Ways to break the promise on purpose, to see that the judge notices. For its tests only.
 *
 * @module
 */

/** @type {Record<string, { store?: (store: object) => object, policy?: (policy: object) => object }>} */
export const SABOTAGE = {
	/** A store that does not compare: every writer wins, so that every worker's claim is good. */
	'skip-claim': {
		store: (store) => {
			const careless = Object.create(store);
			for (const name of ['get', 'trail', 'list', 'due']) {
				careless[name] = (...given) => store[name](...given);
			}
			careless.write = async (change) => {
				for (let turn = 0; turn < 100; turn += 1) {
					const there = await store.get(change.id);
					const revision = there?.record.revision ?? 0;
					const record = change.record && { ...change.record, revision: revision + 1 };
					if (await store.write({ ...change, record, expected: revision })) {
						return true;
					}
				}
				throw new Error('no turn in a hundred');
			};
			return careless;
		},
	},
	/** A policy that believes in keys where the vendor ignores them. */
	'repeat-ambiguous': {
		policy: (policy) => ({ ...policy, idempotency: { ...policy.idempotency, honoured: true } }),
	},
	/** A store that forgets some of the calls that it said it had written. */
	forget: {
		store: (store) => {
			const forgetful = Object.create(store);
			for (const name of ['get', 'trail', 'list', 'due']) {
				forgetful[name] = (...given) => store[name](...given);
			}
			forgetful.write = async (change) => {
				const isDropped = change.expected === 0 && change.id.endsWith('7');
				return isDropped || store.write(change);
			};
			return forgetful;
		},
	},
};
