/** Where there is WebAssembly: the ledger's module, which asks its host for nothing. */
import { load } from '#wasm-ledger';
import type { Keeping } from '../ledger/module.ts';
import { compiled } from './compiled.ts';

/**
 * Makes the instance.
 *
 * @throws {LoadError} where the host has no WebAssembly, or forbids compiling it
 */
export function instantiate(): Keeping {
	return new WebAssembly.Instance(compiled(load)).exports as unknown as Keeping;
}
