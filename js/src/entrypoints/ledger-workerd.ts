/** Workers compile no bytes: the bundler hands the compiled module over. */
import module from '../../wasm/retrywise_ledger.wasm';

/** The module. */
export function load(): WebAssembly.Module {
	return module;
}
