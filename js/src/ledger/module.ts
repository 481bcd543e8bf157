/**
 * The module that keeps the ledger: a WebAssembly module of its own, compiled at first use, so that
 * who only retries carries none of it.
 *
 * @module
 */

import { instantiate } from '#instance-ledger';
import { Buffers, type Ruling } from '../engine.ts';

/** What the ledger's module exports. */
export interface Keeping extends Ruling {
	ledger_op(policy: number, length: number): number;
	trail_render(length: number): number;
	review_item(length: number): number;
	dispatch_new(concurrency: number, capacity: number, step: number): number;
	dispatch_free(dispatch: number): void;
	dispatch_add(dispatch: number, id: number, priority: number, due: number, now: number): number;
	dispatch_next(dispatch: number, now: number): number;
	dispatch_put_back(dispatch: number, id: number, retryIn: number, now: number): number;
	dispatch_done(dispatch: number, id: number): number;
	dispatch_remove(dispatch: number, id: number): number;
	dispatch_view(dispatch: number, which: number): number;
	key_make(policy: number, wall: number, length: number): number;
}

let loaded: Buffers<Keeping> | undefined;

/** The ledger's module; the first use compiles it. */
export function keeper(): Buffers<Keeping> {
	loaded ??= new Buffers(instantiate());
	return loaded;
}
