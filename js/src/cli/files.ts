/**
 * Files that commands are given.
 *
 * @module
 */

import { readFileSync } from 'node:fs';
import { UsageError } from './output.ts';

/** The text of a file; `-` is standard input. */
export function read(path: string): string {
	try {
		return readFileSync(path === '-' ? 0 : path, 'utf8');
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		throw new UsageError(`${path} cannot be read: ${why}`);
	}
}
