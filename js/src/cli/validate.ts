/**
 * `retrywise validate FILE…`: what is wrong with policies, with line and column.
 *
 * @module
 */

import { validatePolicy } from '../policy.ts';
import { read } from './files.ts';
import { colour, exit, json, type Output } from './output.ts';
import { placesIn } from './places.ts';

/** Checks every file; the exit code. */
export function validate(files: readonly string[], asJson: boolean, output: Output): number {
	const reports = files.map((file) => {
		const text = read(file);
		const placeOf = placesIn(text);
		const issues = validatePolicy(text).map((issue) => ({ ...issue, ...placeOf(issue) }));
		return { file, valid: issues.length === 0, issues };
	});
	if (asJson) {
		output.out(json(reports));
	} else {
		for (const { file, valid, issues } of reports) {
			if (valid) {
				output.out(`${file}: ${colour(output, 32, 'valid')}\n`);
			}
			for (const { line, column, kind, message } of issues) {
				output.out(`${file}:${line}:${column}: ${colour(output, 31, kind)}: ${message}\n`);
			}
		}
	}
	return reports.every(({ valid }) => valid) ? exit.ok : exit.no;
}
