/**
 * What the parts of the page share.
 *
 * @module
 */

import type { State } from './state.ts';
import type { Words } from './text/en.ts';

/** The page as a part sees it. */
export interface Page {
	readonly state: State;
	readonly words: Words;
	/** The policy in the editor where it is valid, else null. */
	readonly policy: string | null;
	/** The state was changed: the address says so. */
	save(): void;
}

/** A view in the page. */
export interface Mounted {
	readonly element: HTMLElement;
	/** The policy became another valid one, or was found invalid. */
	policyChanged(): void;
	/** Stops what runs. */
	close(): void;
}
