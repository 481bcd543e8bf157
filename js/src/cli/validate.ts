/**
 * `retrywise validate FILE…`: what is wrong with policies, with line and column.
 *
 * @module
 */

import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import { validatePolicy } from '../policy.ts';
import { read } from './files.ts';
import { colour, exit, json, type Output } from './output.ts';

interface Place {
	readonly line: number;
	readonly column: number;
}

/** Checks every file; the exit code. */
export function validate(files: readonly string[], asJson: boolean, output: Output): number {
	const reports = files.map((file) => {
		const text = read(file);
		const tree = parseTree(text);
		const issues = validatePolicy(text).map((issue) => ({
			...issue,
			...(placeOf(text, tree, issue.field) ?? placeInMessage(issue.message)),
		}));
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

/** Where a field stands, or the nearest object around it that does. */
function placeOf(text: string, tree: Node | undefined, field: string): Place | undefined {
	if (tree === undefined || field === '') {
		return undefined;
	}
	const path = field
		.split(/[.[\]]+/)
		.filter((part) => part !== '')
		.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
	for (let length = path.length; length >= 0; length--) {
		const node = length === 0 ? tree : findNodeAtLocation(tree, path.slice(0, length));
		if (node !== undefined) {
			const property = node.parent?.type === 'property' ? node.parent : node;
			return placeAt(text, property.offset);
		}
	}
	return undefined;
}

function placeAt(text: string, offset: number): Place {
	const before = text.slice(0, offset).split('\n');
	return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

/** The core names the place of text that is not JSON itself. */
function placeInMessage(message: string): Place {
	const found = /line (\d+),? column (\d+)/.exec(message);
	return { line: Number(found?.[1] ?? 1), column: Number(found?.[2] ?? 1) };
}
