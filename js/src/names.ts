/**
 * The names behind the codes, as the module tells them once.
 *
 * @module
 */

/** A table of names by code, and of codes by name. */
export class Names {
	readonly #names: readonly string[];
	readonly #codes: ReadonlyMap<string, number>;

	constructor(lines: string) {
		const names: string[] = [];
		const codes = new Map<string, number>();
		for (const line of lines.split('\n')) {
			const space = line.indexOf(' ');
			if (space > 0) {
				const code = Number(line.slice(0, space));
				names[code] = line.slice(space + 1);
				codes.set(line.slice(space + 1), code);
			}
		}
		this.#names = names;
		this.#codes = codes;
	}

	/** The name of a code; empty for one that is none. */
	name(code: number): string {
		return this.#names[code] ?? '';
	}

	/** The code of a name. */
	code(name: string): number | undefined {
		return this.#codes.get(name);
	}
}
