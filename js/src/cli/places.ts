/**
 * Where in its text an issue of a policy stands.
 *
 * @module
 */

import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import type { Issue } from '../types.ts';

/** Counted from 1. */
export interface Place {
	readonly line: number;
	readonly column: number;
}

/** Says for each issue of a policy document where it stands. */
export function placesIn(text: string): (issue: Issue) => Place {
	const tree = parseTree(text);
	return ({ field, message }) => placeOf(text, tree, field) ?? placeInMessage(message);
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
