/**
 * Where the module runs, so that the page stays quick. One question, one answer; the page ends the
 * worker to cancel.
 *
 * @module
 */

import { Simulator } from '../../src/simulator/simulator.ts';

/** What the page asks: a question for the core, or a policy to check. */
export type Order =
	| { readonly module: WebAssembly.Module }
	| { readonly id: number; readonly question: Readonly<Record<string, unknown>> }
	| { readonly id: number; readonly policy: string };

/** What it hears. */
export interface Reply {
	readonly id: number;
	readonly answer?: unknown;
	readonly problem?: string;
}

let simulator: Simulator | undefined;

self.addEventListener('message', ({ data }: MessageEvent<Order>) => {
	if ('module' in data) {
		simulator = new Simulator(data.module);
		return;
	}
	const { id } = data;
	const reply = (rest: Omit<Reply, 'id'>): void => self.postMessage({ id, ...rest });
	try {
		const answer =
			'policy' in data ? simulator?.issues(data.policy) : simulator?.ask(data.question);
		reply({ answer });
	} catch (error) {
		reply({ problem: error instanceof Error ? error.message : String(error) });
	}
});
