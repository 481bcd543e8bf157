/** Without a module: the caller brings one before the first use. */
import { LoadError } from '../errors.ts';

let given: WebAssembly.Module | undefined;

/** Gives the module: compiled, or its bytes where the host compiles bytes. */
export function initialize(module: WebAssembly.Module | BufferSource): void {
	given = isModule(module) ? module : new WebAssembly.Module(module);
}

/** By what it says of itself: a module may come from another realm. */
function isModule(module: WebAssembly.Module | BufferSource): module is WebAssembly.Module {
	return Object.prototype.toString.call(module) === '[object WebAssembly.Module]';
}

/** The module that was given. */
export function load(): WebAssembly.Module {
	if (given === undefined) {
		throw new LoadError("'retrywise/slim' comes without a module: call initialize(module) first");
	}
	return given;
}
