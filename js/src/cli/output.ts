/**
 * What the commands print: tables, lines of blocks, JSON.
 *
 * @module
 */

/** Where a command writes, and what became of it. */
export interface Output {
	readonly out: (text: string) => void;
	readonly error: (text: string) => void;
	/** Whether standard output shows colours. */
	readonly colours: boolean;
}

/** Exit codes of every command. */
export const exit = {
	/** All is well. */
	ok: 0,
	/** The answer is no: an invalid policy, a replay that differs. */
	no: 1,
	/** The command was not understood, or a file cannot be read. */
	usage: 2,
	/** `explain --exit-code`: retry. */
	retry: 10,
	/** `explain --exit-code`: stop. */
	stop: 11,
} as const;

/** A command that cannot be carried out. */
export class UsageError extends Error {
	override name = 'UsageError';
}

/** Rows under their headings, numbers to the right. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
	const widths = headings.map((heading, column) =>
		Math.max(heading.length, ...rows.map((row) => (row[column] ?? '').length)),
	);
	const right = headings.map((_, column) =>
		rows.every((row) => /^(–|[\d.,]+(×|%| ms)?)$/.test(row[column] ?? '')),
	);
	const line = (cells: readonly string[]): string =>
		widths
			.map((width, column) => {
				const cell = cells[column] ?? '';
				return right[column] ? cell.padStart(width) : cell.padEnd(width);
			})
			.join('  ')
			.trimEnd();
	return [line(headings), ...rows.map(line)].map((text) => `${text}\n`).join('');
}

const BLOCKS = '▁▂▃▄▅▆▇█';

/** Values as a line of blocks, the largest (or `top`) the highest. */
export function sparkline(values: readonly number[], top: number = Math.max(1, ...values)): string {
	return values
		.map((value) => BLOCKS[Math.min(7, Math.max(0, Math.round((value / top) * 7)))] ?? '')
		.join('');
}

/** Rows as CSV (RFC 4180). */
export function csv(headings: readonly string[], rows: readonly (readonly unknown[])[]): string {
	const cell = (value: unknown): string => {
		const text = String(value ?? '');
		return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
	};
	return [headings, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** A value for programs. */
export function json(value: unknown): string {
	return `${JSON.stringify(value, null, 2)}\n`;
}

/** A text in a colour, where colours are shown. */
export function colour(output: Output, code: 31 | 32 | 33, text: string): string {
	return output.colours ? `\u001b[${code}m${text}\u001b[39m` : text;
}
