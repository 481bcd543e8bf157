/**
 * Options and help that several commands have.
 *
 * @module
 */

import { InvalidArgumentError, Option } from 'commander';
import { UsageError } from './output.ts';

/** The examples at the end of a command's help. */
export function examples(...lines: readonly string[]): string {
	return `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** `--lang`. */
export function language(): Option {
	return new Option('--lang <lang>', 'the language of sentences')
		.choices(['en', 'ar'])
		.default('en');
}

/** A whole number, for options that take one. */
export function whole(text: string): number {
	const value = Number(text);
	if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
		throw new InvalidArgumentError('a whole number from 0 on');
	}
	return value;
}

/** The JSON of a file. */
export function parsed(file: string, text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
	}
}
