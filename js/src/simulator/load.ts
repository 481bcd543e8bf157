/**
 * The module with the experiments, from the package's own folder, loaded at first use.
 *
 * @module
 */

import { readFileSync } from 'node:fs';
import { RetrywiseError } from '../errors.ts';
import { Simulator } from './simulator.ts';

let loaded: Simulator | undefined;

/** The module; the first use compiles it. */
export function simulator(): Simulator {
	loaded ??= load();
	return loaded;
}

function load(): Simulator {
	const place = new URL('../../wasm/retrywise_simulate.wasm', import.meta.url);
	try {
		return new Simulator(new WebAssembly.Module(readFileSync(place)));
	} catch (cause) {
		const why = cause instanceof Error ? cause.message : String(cause);
		throw new RetrywiseError(`the experiments cannot be loaded: ${why}`, { cause });
	}
}
