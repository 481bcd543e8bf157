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
	const committed = outcome.committed === true ? COMMITTED : 0;
	if (isThere(outcome.status)) {
		const { status, headers, body, codes } = outcome;
		encodeParts(engine, headers, body, codes, places);
		return { flags: committed | ANSWERED, status: numberOf(status), error: 0 };
	}
	const thrown = outcome.error;
	if (!isThere(thrown)) {
		return { flags: committed, status: 0, error: 0 };
	}
	const response = responseOf(thrown);
	if (response === undefined) {
		return { flags: committed, status: 0, error: encodeError(engine, thrown) };
	}
	const { status, headers, data } = response;
	encodeParts(engine, headers, outcome.body ?? data, outcome.codes, places);
	return { flags: committed | ANSWERED, status, error: 0 };
}

/** Writes an answer into the input; its status. */
export function encodeAnswer(engine: Engine, answer: AnswerFacts, places: Places): number {
	engine.input.clear();
	encodeParts(engine, answer.headers, answer.body, answer.codes, places);
	return numberOf(answer.status);
}

function encodeParts(
	engine: Engine,
	headers: unknown,
	body: unknown,
	codes: AnswerFacts['codes'],
	places: Places,
): void {
	if (isThere(headers)) {
		encodeHeaders(engine, headers);
	}
	if (isThere(codes) || (typeof body === 'object' && body !== null && places.length > 0)) {
		encodeBody(engine.input, body, codes, places);
	}
}

/** The answer that an error carries. */
interface Carried {
	readonly status: number;
	readonly headers: unknown;
	readonly data: unknown;
}

function responseOf(thrown: unknown): Carried | undefined {
	try {
		const { response } = thrown as { response?: Carried };
		return typeof response?.status === 'number' ? response : undefined;
	} catch {
		return undefined;
	}
}

function numberOf(status: unknown): number {
	return typeof status === 'number' ? status : 0;
}

// Headers.

/** The lines that the module reads, by id, or by name where ids ran out. */
function encodeHeaders(engine: Engine, headers: unknown): void {
	forEachHeader(headers, headerIds(engine).write);
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
	if (typeof headers !== 'object' || headers === null) {
		return;
	}
	const has = headers as {
		forEach?: (visit: (value: unknown, name: unknown) => void) => void;
		[Symbol.iterator]?: () => Iterator<unknown>;
	};
	if (Array.isArray(headers)) {
		for (const pair of headers) {
			visitLines(property(pair, '0'), property(pair, '1'), visit);
		}
	} else if (typeof has.forEach === 'function' && typeof has[Symbol.iterator] === 'function') {
		// `Headers`, `Map`. `AxiosHeaders` is iterable too, but keeps its lines as properties.
		has.forEach((value, name) => {
			visitLines(name, value, visit);
		});
	} else {
		for (const name of Object.keys(headers)) {
			visitLines(name, (headers as Record<string, unknown>)[name], visit);
		}
	}
}

/** One line, or each of several that came under one name. */
function visitLines(
	name: unknown,
	value: unknown,
	visit: (name: string, value: unknown) => void,
): void {
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
}

const BY_NAME = 255;

/** The ids of header names, asked for once each. */
class HeaderIds {
	readonly #engine: Engine;
	readonly #ids = new Map<string, number>();

	constructor(engine: Engine) {
		this.#engine = engine;
	}

	/** Writes a line that the module reads. Bound once, so that no answer makes a function. */
	readonly write = (name: string, value: unknown): void => {
		const id = this.idOf(name);
		if (id === 0) {
			return;
		}
		const text = typeof value === 'number' ? String(value) : value;
		if (typeof text !== 'string') {
			return;
		}
		if (id === BY_NAME) {
			this.#engine.input.namedHeader(name, text);
		} else {
			this.#engine.input.header(id, text);
		}
	};

	/** The number that stands for a name; 0 where the module does not read it. */
	idOf(name: string): number {
		return this.#ids.get(name) ?? this.#ask(name);
	}

	#ask(name: string): number {
		const { input, wasm } = this.#engine;
		// The question goes through the buffer in which the lines before this one stand.
		const before = input.written();
		const id = input.document(name) ? wasm.header_id(input.length) >>> 0 : 0;
		input.restore(before);
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

function encodeBody(
	input: Input,
	body: unknown,
	codes: AnswerFacts['codes'],
	places: Places,
): void {
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
	if (typeof body === 'object' && body !== null) {
		for (const [tag, pointer] of places) {
			put(tag, at(body, pointer));
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

/** One error of a chain, as far as it is read; a word that it lacks is empty. */
interface Link {
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

/** The number of an error that was met before, else 0 with the error in the input. */
function encodeError(engine: Engine, thrown: unknown): number {
	const links: Link[] = [];
	let error = thrown;
	let place: Met | undefined = metErrors(engine);
	while (isThere(error) && links.length < MAX_DEPTH) {
		const link = linkOf(engine, error);
		links.push(link);
		place = place && after(place, link);
		error = link.cause;
	}
	return place?.number ?? intern(engine, links);
}

/**
 * Errors that were met before, as a tree of their words: a look-up for each word, whose hash the
 * engine keeps with it, and no text put together.
 */
interface Met {
	number?: number;
	readonly next: Map<string | number, Met>;
}

const metOf = new WeakMap<Engine, Met>();

function metErrors(engine: Engine): Met {
	let met = metOf.get(engine);
	if (met === undefined) {
		met = { next: new Map() };
		metOf.set(engine, met);
	}
	return met;
}

/** Where the words of a link lead to. */
function after(place: Met, link: Link): Met | undefined {
	const { code, name, message, syscall, facts } = link;
	let met = place.next.get(headOf(link))?.next.get(code)?.next.get(name)?.next.get(message);
	met = met?.next.get(syscall);
	for (const fact of facts) {
		met = met?.next.get(factKey(fact));
	}
	return met;
}

function headOf({ family, flags, facts }: Link): number {
	return (family * 8 + flags) * 16 + facts.length;
}

function factKey([tag, text]: readonly [tag: number, text: string]): string {
	return `${tag} ${text}`;
}

/** Has the module keep an error; 0 where it keeps no more, and then the error is in the input. */
function intern(engine: Engine, links: readonly Link[]): number {
	const { input, wasm } = engine;
	for (const { family, flags, code, name, message, syscall, facts } of links) {
		input.error(family, flags);
		const words = [
			[tag.code, code],
			[tag.name, name],
			[tag.message, message],
			[tag.syscall, syscall],
			...facts,
		] as const;
		for (const [tag, text] of words) {
			if (text !== '') {
				input.text(tag, text);
			}
		}
	}
	const number = wasm.error_intern(input.length) >>> 0;
	if (number !== 0) {
		// The module keeps so many and no more, so this tree is bounded too.
		let place = metErrors(engine);
		for (const link of links) {
			const { code, name, message, syscall, facts } = link;
			for (const word of [headOf(link), code, name, message, syscall, ...facts.map(factKey)]) {
				let next = place.next.get(word);
				if (next === undefined) {
					next = { next: new Map() };
					place.next.set(word, next);
				}
				place = next;
			}
		}
		place.number = number;
		input.clear();
	}
	return number;
}

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

const NO_FACTS: Link['facts'] = [];

function linkOf(engine: Engine, error: unknown): Link {
	if (typeof error !== 'object' || error === null) {
		// `throw 'failed'` and its like.
		const message = word(error, MAX_MESSAGE);
		const family = engine.families.code('unknown') ?? 0;
		const words = { code: '', name: '', message, syscall: '' };
		// A function may carry a cause.
		const cause = typeof error === 'function' ? causeOf(readOf(error)) : undefined;
		return { family, flags: 0, ...words, facts: NO_FACTS, cause };
	}
	const read = readOf(error);
	const stated = typeof read.family === 'string' ? engine.families.code(read.family) : undefined;
	return {
		family: stated ?? engine.families.code(familyOf(error, read)) ?? 0,
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
function familyOf(error: object, { name, code, isAxiosError, __CANCEL__ }: Read): string {
	if (isAxiosError === true || __CANCEL__ === true) {
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
