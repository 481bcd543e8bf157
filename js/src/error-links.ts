/**
 * What is read of a thrown value, and of each of its causes.
 *
 * @module
 */

import type { Engine } from './engine.ts';
import { tag } from './input.ts';
import { isThere, property } from './values.ts';

/** Errors looked at of one chain of causes. */
export const MAX_DEPTH = 8;
/** Characters of a message that can matter: the module knows runtimes' fixed texts by their begin. */
const MAX_MESSAGE = 256;
/** Characters of any other word of an error. */
const MAX_WORD = 128;

/** One error of a chain, as far as it is read; a word that it lacks is empty. */
export interface Link {
	readonly family: number;
	readonly flags: number;
	readonly code: string;
	readonly name: string;
	readonly message: string;
	readonly syscall: string;
	/** Facts of its family, each with its tag. */
	readonly facts: readonly (readonly [tag: number, text: string])[];
	readonly cause: unknown;
}

/** Reads one error of a chain. */
export function linkOf(engine: Engine, error: unknown): Link {
	if (typeof error !== 'object' || error === null) {
		// `throw 'failed'` and its like.
		const message = word(error, MAX_MESSAGE);
		const words = { code: '', name: '', message, syscall: '' };
		// A function may carry a cause.
		const cause = typeof error === 'function' ? causeOf(readOf(error)) : undefined;
		return { family: engine.reporters.unknown, flags: 0, ...words, facts: NO_FACTS, cause };
	}
	const read = readOf(error);
	const stated = typeof read.family === 'string' ? engine.families.code(read.family) : undefined;
	return {
		family: stated ?? familyOf(engine, error, read),
		flags: stated === undefined ? 0 : flagsOf(error),
		// A number there, as `DOMException` has it, says less than the name.
		code: word(read.code, MAX_WORD),
		name: word(read.name, MAX_WORD),
		message: word(read.message, MAX_MESSAGE),
		syscall: word(read.syscall, MAX_WORD),
		facts: stated === undefined ? NO_FACTS : factsOf(error),
		cause: causeOf(read),
	};
}

/** The code of a thrown value; empty where it has none. */
export function codeOf(thrown: unknown): string {
	return word(property(thrown, 'code'), MAX_WORD);
}

/** Whether a thrown value and its causes say what these links say, as {@link linkOf} reads them. */
export function isChain(engine: Engine, links: readonly Link[], thrown: unknown): boolean {
	let error = thrown;
	for (const link of links) {
		if (typeof error !== 'object' || error === null) {
			return false;
		}
		const read = readOf(error);
		if (!isSame(engine, link, error, read)) {
			return false;
		}
		error = causeOf(read);
	}
	return links.length === MAX_DEPTH || !isThere(error);
}

/** Whether an error is of no stated family, and its words are those of the link. */
function isSame(engine: Engine, link: Link, error: object, read: Read): boolean {
	return (
		typeof read.family !== 'string' &&
		link.flags === 0 &&
		link.facts.length === 0 &&
		word(read.code, MAX_WORD) === link.code &&
		word(read.name, MAX_WORD) === link.name &&
		word(read.message, MAX_MESSAGE) === link.message &&
		word(read.syscall, MAX_WORD) === link.syscall &&
		familyOf(engine, error, read) === link.family
	);
}

/** Facts that are read only where `family` says that they are meant as such. */
const FACTS = [
	['phase', tag.phase],
	['op', tag.op],
	['kind', tag.kind],
	['rcode', tag.rcode],
	['frame', tag.frame],
	['progress', tag.progress],
	['streamId', tag.streamId],
	['lastStreamId', tag.lastStreamId],
] as const;

const FLAGS = [
	['temporary', 1],
	['notFound', 2],
	['reused', 4],
] as const;

const NO_FACTS: Link['facts'] = [];

/** What is read of an error. Anything may stand there. */
interface Read {
	readonly code: unknown;
	readonly name: unknown;
	readonly message: unknown;
	readonly syscall: unknown;
	readonly family: unknown;
	readonly cause: unknown;
	readonly errors: unknown;
	readonly isAxiosError: unknown;
	readonly __CANCEL__: unknown;
}

/** Reads the properties by their names, at once; one by one only where a getter throws. */
function readOf(error: object): Read {
	try {
		const { code, name, message, syscall, family, cause, errors, isAxiosError, __CANCEL__ } =
			error as Read;
		return { code, name, message, syscall, family, cause, errors, isAxiosError, __CANCEL__ };
	} catch {
		const read = (name: keyof Read): unknown => property(error, name);
		return {
			code: read('code'),
			name: read('name'),
			message: read('message'),
			syscall: read('syscall'),
			family: read('family'),
			cause: read('cause'),
			errors: read('errors'),
			isAxiosError: read('isAxiosError'),
			__CANCEL__: read('__CANCEL__'),
		};
	}
}

/**
 * What caused an error. An aggregate speaks through its first member where all of its members
 * failed in the same system call: Node tries each address of a host and reports them together.
 */
function causeOf({ cause, errors }: Read): unknown {
	if (isThere(cause)) {
		return cause;
	}
	if (!Array.isArray(errors)) {
		return undefined;
	}
	const syscall = property(errors[0], 'syscall');
	const together =
		typeof syscall === 'string' && errors.every((m) => property(m, 'syscall') === syscall);
	return together ? errors[0] : undefined;
}

function word(value: unknown, max: number): string {
	if (typeof value !== 'string') {
		return '';
	}
	return value.length > max ? value.slice(0, max) : value;
}

function factsOf(error: object): Link['facts'] {
	const facts: [number, string][] = [];
	for (const [name, tag] of FACTS) {
		const value = property(error, name);
		const text = word(typeof value === 'number' ? String(value) : value, MAX_WORD);
		if (text !== '') {
			facts.push([tag, text]);
		}
	}
	return facts;
}

function flagsOf(error: object): number {
	let flags = 0;
	for (const [name, bit] of FLAGS) {
		flags |= property(error, name) === true ? bit : 0;
	}
	return flags;
}

/** Who reported an error, as its shape shows. */
function familyOf(engine: Engine, error: object, read: Read): number {
	const { reporters } = engine;
	const { name, code } = read;
	if (read.isAxiosError === true || read.__CANCEL__ === true) {
		return reporters.axios;
	}
	if (typeof code === 'string') {
		return code.startsWith('UND_ERR_') ? reporters.undici : reporters.node;
	}
	if (name === 'AbortError' || name === 'TimeoutError' || isDomException(error)) {
		return reporters.dom;
	}
	return name === 'TypeError' ? reporters.fetch : reporters.unknown;
}

function isDomException(error: unknown): boolean {
	return typeof DOMException === 'function' && error instanceof DOMException;
}
