/** Without a module: the caller brings one before the first use. */
import { LoadError } from '../errors.ts';

let given: WebAssembly.Module | undefined;

/** Gives the module: compiled, or its bytes where the host compiles bytes. */
export function initialize(module: WebAssembly.Module | BufferSource): void {
	given = module instanceof WebAssembly.Module ? module : new WebAssembly.Module(module);
}

/** The module that was given. */
export function load(): WebAssembly.Module {
	if (given === undefined) {
		throw new LoadError("'retrywise/slim' comes without a module: call initialize(module) first");
	}
	return given;
}
