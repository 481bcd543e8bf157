/**
 * A store whose errors say what they are about.
 *
 * @module
 */

import { RetrywiseError } from '../errors.ts';
import { StoreError } from './errors.ts';
import type { LedgerStore } from './store.ts';

/** The store, with its errors as {@link StoreError}s. What this package says itself stays as it is. */
export function guarded(store: LedgerStore): LedgerStore {
	const at = async <T>(operation: string, id: string | null, ask: () => Promise<T>): Promise<T> => {
		try {
			return await ask();
		} catch (error) {
			if (error instanceof RetrywiseError) {
				throw error;
			}
			throw new StoreError(operation, id === null ? '' : ` of ${JSON.stringify(id)}`, error);
		}
	};
	return {
		get: (id) => at('get', id, () => store.get(id)),
		write: (change) => at('write', change.id, () => store.write(change)),
		trail: (id) => at('trail', id, () => store.trail(id)),
		list: (query) => at('list', null, () => store.list(query)),
		due: (now, limit) => at('due', null, () => store.due(now, limit)),
		purge: (before, limit) => at('purge', null, () => store.purge(before, limit)),
	};
}
