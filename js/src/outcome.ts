/**
 * How an attempt ended, from the objects that hosts have to the numbers and few strings that the
 * module takes. Reads and converts; what it means is the module's to say.
 *
 * Nothing here throws on odd input: what is not of the documented type counts as absent.
 *
 * @module
 */

import { type Engine, type Input, tag } from './engine.ts';
import type { AnswerFacts, Outcome } from './types.ts';

/** The outcome's part in numbers; its strings are in the input. */
export interface Encoded {
	readonly flags: number;
	readonly status: number;
	/** The number of a kept error; 0 when there is none, or when it is in the input. */
	readonly error: number;
}

/** Where to look in a body: JSON pointers by the tag of what they lead to. */
export type Places = readonly (readonly [tag: number, pointer: string])[];

const ANSWERED = 1;
const COMMITTED = 2;

/** Errors looked at of one chain of causes. */
const MAX_DEPTH = 8;
/** Characters of a message that can matter: the module knows runtimes' fixed texts by their begin. */
const MAX_MESSAGE = 256;
/** Characters of any other word of an error. */
const MAX_WORD = 128;

/** Writes an outcome into the input. */
export function encodeOutcome(engine: Engine, outcome: Outcome, places: Places): Encoded {
	engine.input.clear();
	const thrown = outcome.error;
	const answer = answerOf(outcome, thrown);
	const error = answer === undefined && isThere(thrown) ? encodeError(engine, thrown) : 0;
	let flags = outcome.committed === true ? COMMITTED : 0;
	let status = 0;
	if (answer !== undefined) {
		flags |= ANSWERED;
		status = encodeAnswer(engine, answer, places);
	}
	return { flags, status, error };
}

/** Writes an answer into the input; its status. */
export function encodeAnswer(engine: Engine, answer: AnswerFacts, places: Places): number {
	engine.input.clear();
	if (isThere(answer.headers)) {
		encodeHeaders(engine, answer.headers);
	}
	encodeBody(engine.input, answer, places);
	return typeof answer.status === 'number' ? answer.status : 0;
}

/** The answer that an outcome speaks of: its own, or the one its error carries. */
function answerOf(outcome: Outcome, thrown: unknown): AnswerFacts | undefined {
	if (isThere(outcome.status)) {
		return outcome;
	}
	const response = property(thrown, 'response');
	if (typeof property(response, 'status') !== 'number') {
		return undefined;
	}
	const { status, headers, data } = response as {
		status: number;
		headers: AnswerFacts['headers'];
		data: unknown;
	};
	return { status, headers, body: outcome.body ?? data, ...codesOf(outcome) };
}

function codesOf(outcome: Outcome): Pick<AnswerFacts, 'codes'> {
	return outcome.codes === undefined ? {} : { codes: outcome.codes };
}

// Headers.

/** The lines that the module reads, by id, or by name where ids ran out. */
function encodeHeaders(engine: Engine, headers: unknown): void {
	const found: (readonly [id: number, name: string, value: string])[] = [];
	forEachHeader(headers, (name, value) => {
		const text = typeof value === 'number' ? String(value) : value;
		if (typeof text === 'string') {
			const id = headerIds(engine).idOf(name);
			if (id !== 0) {
				found.push([id, name, text]);
			}
		}
	});
	// Ids are asked for through the same buffer, so the lines are written after that.
	for (const [id, name, value] of found) {
		if (id === BY_NAME) {
			engine.input.namedHeader(name, value);
		} else {
			engine.input.header(id, value);
		}
	}
}

/** Whether the module reads a header of this name. */
export function isRead(engine: Engine, name: string): boolean {
	return headerIds(engine).idOf(name) !== 0;
}

/** Visits each line, whatever kind of object holds them. */
export function forEachHeader(
	headers: unknown,
	visit: (name: string, value: unknown) => void,
): void {
	const each = (name: unknown, value: unknown): void => {
		if (typeof name !== 'string') {
			return;
		}
		if (Array.isArray(value)) {
			for (const line of value) {
				visit(name, line);
			}
		} else {
			visit(name, value);
		}
	};
	if (typeof headers !== 'object' || headers === null) {
		return;
	}
	const has = headers as {
		forEach?: (visit: (value: unknown, name: unknown) => void) => void;
		[Symbol.iterator]?: () => Iterator<unknown>;
	};
	if (Array.isArray(headers)) {
		for (const pair of headers) {
			each(property(pair, '0'), property(pair, '1'));
		}
	} else if (typeof has.forEach === 'function' && typeof has[Symbol.iterator] === 'function') {
		// `Headers`, `Map`. `AxiosHeaders` is iterable too, but keeps its lines as properties.
		has.forEach((value, name) => {
			each(name, value);
		});
	} else {
		for (const name of Object.keys(headers)) {
			each(name, (headers as Record<string, unknown>)[name]);
		}
	}
}

const BY_NAME = 255;

/** The ids of header names, asked for once each. */
class HeaderIds {
	readonly #engine: Engine;
	readonly #ids = new Map<string, number>();

	constructor(engine: Engine) {
		this.#engine = engine;
	}

	idOf(name: string): number {
		const known = this.#ids.get(name);
		if (known !== undefined) {
			return known;
		}
		const { input, wasm } = this.#engine;
		const id = input.document(name) ? wasm.header_id(input.length) >>> 0 : 0;
		input.clear();
		// A server that makes names up must not fill the memory.
		if (this.#ids.size < 1024) {
			this.#ids.set(name, id);
		}
		return id;
	}
}

const idsOf = new WeakMap<Engine, HeaderIds>();

function headerIds(engine: Engine): HeaderIds {
	let ids = idsOf.get(engine);
	if (ids === undefined) {
		ids = new HeaderIds(engine);
		idsOf.set(engine, ids);
	}
	return ids;
}

// Bodies.

function encodeBody(input: Input, answer: AnswerFacts, places: Places): void {
	const { codes } = answer;
	const taken = new Set<number>();
	const put = (tag: number, value: unknown): void => {
		if ((typeof value === 'string' || typeof value === 'number') && !taken.has(tag)) {
			taken.add(tag);
			input.text(tag, String(value));
		}
	};
	if (isThere(codes)) {
		put(tag.bodyCode, codes.code);
		put(tag.bodyPolicy, codes.policy);
		put(tag.bodyProblemType, codes.problemType);
		put(tag.bodyRetryDelay, codes.retryDelay);
		put(tag.bodyRetryAfterS, codes.retryAfterS);
	}
	if (typeof answer.body === 'object' && answer.body !== null) {
		for (const [tag, pointer] of places) {
			put(tag, at(answer.body, pointer));
		}
	}
}

/** What a JSON pointer (RFC 6901) leads to. */
function at(body: object, pointer: string): unknown {
	let value: unknown = body;
	for (const part of pointer.split('/').slice(1)) {
		value = property(value, part.replaceAll('~1', '/').replaceAll('~0', '~'));
	}
	return value;
}

// Errors.

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

/** One error of a chain, as far as it is read. */
interface Link {
	readonly family: number;
	readonly flags: number;
	readonly words: readonly (readonly [tag: number, text: string])[];
}

/** The number of an error that was met before, else 0 with the error in the input. */
function encodeError(engine: Engine, thrown: unknown): number {
	const links = linksOf(engine, thrown);
	const numbers = errorNumbers(engine);
	let key = '';
	for (const { family, flags, words } of links) {
		key += `\n${family},${flags}`;
		for (const [tag, text] of words) {
			key += `\t${tag}${text}`;
		}
	}
	const known = numbers.get(key);
	if (known !== undefined) {
		return known;
	}
	const { input, wasm } = engine;
	for (const { family, flags, words } of links) {
		input.error(family, flags);
		for (const [tag, text] of words) {
			input.text(tag, text);
		}
	}
	const number = wasm.error_intern(input.length) >>> 0;
	if (number !== 0) {
		// The module keeps so many and no more, so this map is bounded too.
		numbers.set(key, number);
		input.clear();
	}
	return number;
}

const numbersOf = new WeakMap<Engine, Map<string, number>>();

function errorNumbers(engine: Engine): Map<string, number> {
	let numbers = numbersOf.get(engine);
	if (numbers === undefined) {
		numbers = new Map();
		numbersOf.set(engine, numbers);
	}
	return numbers;
}

/** The error and its causes, outermost first. */
function linksOf(engine: Engine, thrown: unknown): Link[] {
	const links: Link[] = [];
	let error = thrown;
	while (isThere(error) && links.length < MAX_DEPTH) {
		links.push(linkOf(engine, error));
		error = causeOf(error);
	}
	return links;
}

/**
 * What caused an error. An aggregate speaks through its first member where all of its members
 * failed in the same system call: Node tries each address of a host and reports them together.
 */
function causeOf(error: unknown): unknown {
	const cause = property(error, 'cause');
	if (isThere(cause)) {
		return cause;
	}
	const members = property(error, 'errors');
	if (!Array.isArray(members)) {
		return undefined;
	}
	const syscall = property(members[0], 'syscall');
	const together =
		typeof syscall === 'string' && members.every((m) => property(m, 'syscall') === syscall);
	return together ? members[0] : undefined;
}

function linkOf(engine: Engine, error: unknown): Link {
	const words: (readonly [tag: number, text: string])[] = [];
	const word = (tag: number, value: unknown, max: number): void => {
		if (typeof value === 'string' && value !== '') {
			words.push([tag, value.slice(0, max)]);
		}
	};
	if (typeof error !== 'object') {
		// `throw 'failed'` and its like.
		word(tag.message, typeof error === 'string' ? error : undefined, MAX_MESSAGE);
		return { family: engine.families.code('unknown') ?? 0, flags: 0, words };
	}
	word(tag.code, codeOf(error), MAX_WORD);
	word(tag.name, property(error, 'name'), MAX_WORD);
	word(tag.message, property(error, 'message'), MAX_MESSAGE);
	word(tag.syscall, property(error, 'syscall'), MAX_WORD);
	const stated = property(error, 'family');
	const family = typeof stated === 'string' ? engine.families.code(stated) : undefined;
	let flags = 0;
	if (family !== undefined) {
		for (const [name, tag] of FACTS) {
			const value = property(error, name);
			word(tag, typeof value === 'number' ? String(value) : value, MAX_WORD);
		}
		for (const [name, bit] of FLAGS) {
			flags |= property(error, name) === true ? bit : 0;
		}
	}
	return { family: family ?? engine.families.code(familyOf(error)) ?? 0, flags, words };
}

/** The code where it is a word. `DOMException` has a number there, which says less than its name. */
function codeOf(error: unknown): unknown {
	const code = property(error, 'code');
	return typeof code === 'string' ? code : undefined;
}

/** Who reported an error, as its shape shows. */
function familyOf(error: unknown): string {
	const name = property(error, 'name');
	const code = codeOf(error);
	if (property(error, 'isAxiosError') === true || property(error, '__CANCEL__') === true) {
		return 'axios';
	}
	if (typeof code === 'string') {
		return code.startsWith('UND_ERR_') ? 'undici' : 'node';
	}
	if (name === 'AbortError' || name === 'TimeoutError' || isDomException(error)) {
		return 'dom';
	}
	return name === 'TypeError' ? 'fetch' : 'unknown';
}

function isDomException(error: unknown): boolean {
	return typeof DOMException === 'function' && error instanceof DOMException;
}

// Looking at values of any kind.

function isThere<T>(value: T): value is NonNullable<T> {
	return value !== undefined && value !== null;
}

/** A property of anything; a getter that throws has none. */
export function property(value: unknown, name: string): unknown {
	if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
		return undefined;
	}
	try {
		return (value as Record<string, unknown>)[name];
	} catch {
		return undefined;
	}
}
