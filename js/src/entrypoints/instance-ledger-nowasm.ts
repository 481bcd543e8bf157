/** Where there is no WebAssembly, or a policy forbids it: one more of the module that has it all. */
import make from 'virtual:retrywise-nowasm';
import type { Keeping } from '../ledger/module.ts';

/** Makes the instance. */
export function instantiate(): Keeping {
	return make() as unknown as Keeping;
}
