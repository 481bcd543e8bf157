/** What a host compiled, or why it compiles nothing. */
import { LoadError } from '../errors.ts';

/**
 * The module that `load` gives.
 *
 * @throws {LoadError} where the host has no WebAssembly, or forbids compiling it
 */
export function compiled(load: () => WebAssembly.Module): WebAssembly.Module {
	if (typeof WebAssembly === 'undefined') {
		throw new LoadError(MISSING);
	}
	try {
		return ofThisRealm(load());
	} catch (cause) {
		throw cause instanceof LoadError ? cause : new LoadError(FORBIDDEN, { cause });
	}
}

/**
 * Edge runtimes compile in one realm and run in another. The glue asks by `instanceof`, and would
 * compile once more what is no module of its own realm.
 */
function ofThisRealm(module: WebAssembly.Module): WebAssembly.Module {
	if (!(module instanceof WebAssembly.Module)) {
		Object.setPrototypeOf(module, WebAssembly.Module.prototype);
	}
	return module;
}

const OTHERWISE: string = "import 'retrywise/nowasm', the same package in plain JavaScript";

const MISSING: string = `this host has no WebAssembly: ${OTHERWISE}`;

const FORBIDDEN: string =
	"the WebAssembly module could not be compiled: a page's Content-Security-Policy has to allow " +
	`'wasm-unsafe-eval' in script-src, or ${OTHERWISE}; where hosts take precompiled modules only, ` +
	"import 'retrywise/slim' and give it one";
