/**
 * What the JSON Schema of policies says about a field.
 *
 * @module
 */

import schema from '../../../schema/policy.schema.json';

/** A part of the schema, as far as it is read here. */
export interface Field {
	readonly description?: string;
	readonly default?: unknown;
	readonly enum?: readonly unknown[];
	readonly type?: string | readonly string[];
	readonly properties?: Readonly<Record<string, Field>>;
	readonly items?: Field;
	readonly anyOf?: readonly Field[];
}

const root = schema as unknown as Field;

/** The field at a path, if there is one; the document itself at the empty path. */
export function fieldAt(path: readonly (string | number)[]): Field | undefined {
	let field: Field | undefined = root;
	for (const part of path) {
		const around: Field | undefined = withProperties(field);
		field = typeof part === 'number' ? field?.items : around?.properties?.[part];
	}
	return field;
}

/** The names of an object's fields. */
export function namesIn(field: Field | undefined): readonly string[] {
	return Object.keys(withProperties(field)?.properties ?? {});
}

/** Every vendor that a policy may name. */
export function vendors(): readonly string[] {
	const named = root.properties?.['profile']?.enum ?? [];
	return named.filter((name) => typeof name === 'string');
}

/** A field that may be null, or of several kinds, has its properties in one of them. */
function withProperties(field: Field | undefined): Field | undefined {
	return field?.properties === undefined
		? field?.anyOf?.find(({ properties }) => properties !== undefined)
		: field;
}
