/**
 * Errors that come again: the module keeps them by a number, so that their words cross once.
 *
 * @module
 */

import type { Engine } from './engine.ts';
import { codeOf, isChain, type Link, linkOf, MAX_DEPTH } from './error-links.ts';
import { tag } from './input.ts';
import { isThere } from './values.ts';

/**
 * Errors that were met before, as a tree of their words: a look-up for each word, whose hash the
 * engine keeps with it, and no text put together.
 */
interface Met {
	number?: number;
	readonly next: Map<string | number, Met>;
}

/** A chain that the module keeps. */
interface Kept {
	readonly links: readonly Link[];
	readonly number: number;
}

/** The numbers of one module's errors. */
export class ErrorNumbers {
	readonly #engine: Engine;
	readonly #met: Met = { next: new Map() };
	/** The one of each code that came last: errors come in runs. Bounded as the tree is. */
	readonly #recent = new Map<string, Kept>();

	constructor(engine: Engine) {
		this.#engine = engine;
	}

	/** The number of an error that was met before, else 0 with the error in the input. */
	numberOf(thrown: unknown): number {
		const kept = this.#recent.get(codeOf(thrown));
		return kept !== undefined && isChain(this.#engine, kept.links, thrown)
			? kept.number
			: this.#find(thrown);
	}

	#find(thrown: unknown): number {
		const links: Link[] = [];
		let error = thrown;
		let place: Met | undefined = this.#met;
		while (isThere(error) && links.length < MAX_DEPTH) {
			const link = linkOf(this.#engine, error);
			links.push(link);
			place = place && after(place, link);
			error = link.cause;
		}
		const number = place?.number ?? this.#intern(links);
		if (number !== 0) {
			// Not what was thrown: that is not to live on here.
			const kept = links.map((link) => ({ ...link, cause: undefined }));
			this.#recent.set(codeOf(thrown), { links: kept, number });
		}
		return number;
	}

	/** Has the module keep an error; 0 where it keeps no more, and then the error is in the input. */
	#intern(links: readonly Link[]): number {
		const { input, wasm } = this.#engine;
		for (const { family, flags, code, name, message, syscall, facts } of links) {
			input.error(family, flags);
			const words = [
				[tag.code, code],
				[tag.name, name],
				[tag.message, message],
				[tag.syscall, syscall],
				...facts,
			] as const;
			for (const [tag, text] of words) {
				if (text !== '') {
					input.text(tag, text);
				}
			}
		}
		const number = wasm.error_intern(input.length) >>> 0;
		if (number !== 0) {
			// The module keeps so many and no more, so this tree is bounded too.
			let place = this.#met;
			for (const link of links) {
				const { code, name, message, syscall, facts } = link;
				for (const word of [headOf(link), code, name, message, syscall, ...facts.map(factKey)]) {
					let next = place.next.get(word);
					if (next === undefined) {
						next = { next: new Map() };
						place.next.set(word, next);
					}
					place = next;
				}
			}
			place.number = number;
			input.clear();
		}
		return number;
	}
}

/** Where the words of a link lead to. */
function after(place: Met, link: Link): Met | undefined {
	const { code, name, message, syscall, facts } = link;
	let met = place.next.get(headOf(link))?.next.get(code)?.next.get(name)?.next.get(message);
	met = met?.next.get(syscall);
	for (const fact of facts) {
		met = met?.next.get(factKey(fact));
	}
	return met;
}

function headOf({ family, flags, facts }: Link): number {
	return (family * 8 + flags) * 16 + facts.length;
}

function factKey([tag, text]: readonly [tag: number, text: string]): string {
	return `${tag} ${text}`;
}
