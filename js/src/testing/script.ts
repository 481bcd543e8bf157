/**
 * Scripts of the faulty server: what it does with each request, as plain data that also fits a JSON
 * file or a command line.
 *
 * @module
 */

import { validateHeaderName, validateHeaderValue } from 'node:http';
import { RetrywiseError } from '../errors.ts';

/** What goes wrong besides the status. */
export type Fault =
	/** The request is read and never answered, and never processed. */
	| 'hang'
	/** The request is processed and never answered. */
	| 'hang-after'
	/** The connection is reset before the request is processed. */
	| 'reset'
	/** The request is processed, then the connection is reset instead of an answer. */
	| 'reset-after'
	/** The answer promises more bytes than it sends, then the connection ends. */
	| 'truncate'
	/**
	 * The request is processed; the answer contradicts itself about its length, so that no client may
	 * believe it. Over HTTP/1.1 it claims two lengths at once, over HTTP/2 one that its data misses.
	 */
	| 'misframe'
	/** HTTP/1.1: the request is processed; the body of the answer has a chunk size that is no number. */
	| 'bad-chunk'
	/** HTTP/2: the stream is refused (RST_STREAM, REFUSED_STREAM), and the request never processed. */
	| 'refused-stream'
	/** HTTP/2: GOAWAY before the request is processed; its stream is above the last one named. */
	| 'goaway'
	/** HTTP/2: the request is processed, then GOAWAY names its stream and the connection ends unanswered. */
	| 'goaway-after';

/** What is spoken on the connection. */
export type Protocol = 'http1' | 'http2';

/** What the server does with one request. Every field is optional; `{}` answers like a healthy server. */
export interface Step {
	/** The status. Default: 201 for a POST, 200 otherwise. */
	status?: number;
	/** Headers of the answer. */
	headers?: Readonly<Record<string, string | readonly string[]>>;
	/** The body of the answer: text as it is, anything else as JSON. Default: what was created, or the status. */
	body?: unknown;
	/** `Retry-After` in seconds, or any text to be sent as it is. */
	retryAfter?: number | string;
	/** `Retry-After` as an HTTP-date so many seconds after the answer, rounded up to a whole second. */
	retryAfterDate?: number;
	/** `retry-after-ms`, milliseconds. */
	retryAfterMs?: number;
	/** How long the server waits before it does anything, milliseconds. Default: 0. */
	delayMs?: number;
	/** How long a good answer's body comes after its head, milliseconds. Default: 0. */
	bodyDelayMs?: number;
	/** What goes wrong. Default: nothing. */
	fault?: Fault;
	/**
	 * Whether the application acts on the request: a POST creates, a key is remembered. Default: yes
	 * for a status below 400, no for a fault that comes before.
	 */
	processes?: boolean;
	/** How many requests get this step. Default: 1; the last step of a sequence serves all that follow. */
	times?: number;
}

/**
 * A sequence of steps: each request takes the next one, and the last one stays.
 *
 * As a string: items between commas, each a status or a fault, with settings behind semicolons
 * (`delay` in milliseconds; everything else is a header): `"503,503,200"`, `"429;retry-after=1,200"`,
 * `"reset-after,201"`, `"200;delay=500"`.
 */
export type Sequence = string | readonly (Step | number | string)[];

/** Sequences for particular requests; the most particular one serves: key, then route, then default. */
export interface ScriptSet {
	/** For every request that no other sequence serves. Default: a healthy server. */
	default?: Sequence;
	/** By `"METHOD /path"` or `"/path"`; a `*` at the end stands for any ending. */
	routes?: Readonly<Record<string, Sequence>>;
	/** By the value of the key header. */
	keys?: Readonly<Record<string, Sequence>>;
}

/** What the server does: one sequence for all requests, or several. */
export type Script = Sequence | ScriptSet;

/** A script that cannot be understood; the message says where, line by line if in several places. */
export class ScriptError extends RetrywiseError {
	override name: string = 'ScriptError';
}

/** The facts by which a request finds its sequence. */
export interface Wanted {
	method: string;
	path: string;
	key: string | undefined;
}

/** A script in progress: every sequence knows how far it is. */
export class Playbook {
	readonly #default: Playhead;
	readonly #routes: readonly (readonly [pattern: string, playhead: Playhead])[];
	readonly #keys: ReadonlyMap<string, Playhead>;

	/** @throws ScriptError when `script` cannot be understood, or has a fault that `protocol` has not. */
	constructor(script: Script, protocol: Protocol = 'http1') {
		const set: ScriptSet = isSequence(script) ? { default: script } : script;
		if (typeof set !== 'object' || set === null) {
			throw new ScriptError(`a script is a text, a list or an object, not ${JSON.stringify(set)}`);
		}
		refuseStrangers(set, ['default', 'routes', 'keys'], 'script');
		this.#default = new Playhead(set.default ?? [{}], 'default', protocol);
		this.#routes = Object.entries(set.routes ?? {}).map(([pattern, sequence]) => {
			return [
				pattern,
				new Playhead(sequence, `routes[${JSON.stringify(pattern)}]`, protocol),
			] as const;
		});
		this.#keys = new Map(
			Object.entries(set.keys ?? {}).map(([key, sequence]) => {
				return [key, new Playhead(sequence, `keys[${JSON.stringify(key)}]`, protocol)] as const;
			}),
		);
	}

	/** The step for this request; its sequence moves on. */
	next(wanted: Wanted): Step {
		const byKey = wanted.key === undefined ? undefined : this.#keys.get(wanted.key);
		const byRoute = this.#routes.find(([pattern]) => matches(pattern, wanted))?.[1];
		return (byKey ?? byRoute ?? this.#default).next();
	}
}

/** The steps of a sequence, checked. */
export function parseSequence(
	sequence: Sequence,
	where = 'script',
	protocol: Protocol = 'http1',
): readonly Step[] {
	if (!isSequence(sequence)) {
		throw new ScriptError(
			`${where}: a sequence is a text or a list, not ${JSON.stringify(sequence)}`,
		);
	}
	const isText = typeof sequence === 'string';
	const items = isText ? sequence.split(',') : sequence;
	const problems: ScriptError[] = [];
	const steps = items.map((item, index): Step => {
		try {
			// In a text there is nothing to index: its steps are counted as people count.
			const place = isText ? `${where}, step ${index + 1}` : `${where}[${index}]`;
			return parseStep(item, place, protocol);
		} catch (error) {
			if (!(error instanceof ScriptError)) {
				throw error;
			}
			problems.push(error);
			return {};
		}
	});
	const [first, ...others] = problems;
	if (first !== undefined) {
		throw others.length === 0
			? first
			: new ScriptError(problems.map(({ message }) => message).join('\n'));
	}
	if (steps.length === 0) {
		throw new ScriptError(`${where} has no step`);
	}
	return steps;
}

/** One sequence and how far it is. */
class Playhead {
	readonly #steps: readonly Step[];
	#index = 0;
	#served = 0;

	constructor(sequence: Sequence, where: string, protocol: Protocol) {
		this.#steps = parseSequence(sequence, where, protocol);
	}

	next(): Step {
		const step = this.#steps[this.#index] ?? {};
		this.#served += 1;
		if (this.#served >= (step.times ?? 1) && this.#index < this.#steps.length - 1) {
			this.#index += 1;
			this.#served = 0;
		}
		return step;
	}
}

const FAULTS: readonly string[] = [
	'hang',
	'hang-after',
	'reset',
	'reset-after',
	'truncate',
	'misframe',
	'bad-chunk',
	'refused-stream',
	'goaway',
	'goaway-after',
] satisfies Fault[];

/** Faults that only one protocol has. */
const ONLY: Partial<Record<Fault, Protocol>> = {
	'bad-chunk': 'http1',
	'refused-stream': 'http2',
	goaway: 'http2',
	'goaway-after': 'http2',
};

const FIELDS: readonly string[] = [
	'status',
	'headers',
	'body',
	'retryAfter',
	'retryAfterDate',
	'retryAfterMs',
	'delayMs',
	'bodyDelayMs',
	'fault',
	'processes',
	'times',
] satisfies (keyof Step)[];

function parseStep(item: Step | number | string, where: string, protocol: Protocol): Step {
	const step = typeof item === 'object' && item !== null ? item : parseShort(String(item), where);
	refuseStrangers(step, FIELDS, where);
	const { status, fault, times } = step;
	if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status <= 999)) {
		throw new ScriptError(`${where}: a status is a whole number from 200 to 999, not ${status}`);
	}
	if (fault !== undefined && !FAULTS.includes(fault)) {
		throw new ScriptError(`${where}: unknown fault ${fault} (known: ${FAULTS.join(', ')})`);
	}
	const only = fault && ONLY[fault];
	if (only !== undefined && only !== protocol) {
		throw new ScriptError(
			`${where}: the fault ${fault} is for ${only}, and the server speaks ${protocol}`,
		);
	}
	if (times !== undefined && !(Number.isInteger(times) && times >= 1)) {
		throw new ScriptError(`${where}: times is a whole number from 1 on, not ${times}`);
	}
	for (const name of ['delayMs', 'bodyDelayMs', 'retryAfterDate', 'retryAfterMs'] as const) {
		const value = step[name];
		if (value !== undefined && !(Number.isFinite(value) && value >= 0)) {
			throw new ScriptError(`${where}: ${name} is a number from 0 on, not ${value}`);
		}
	}
	for (const [name, value] of Object.entries(step.headers ?? {})) {
		checkHeader(name, value, where);
	}
	if (typeof step.retryAfter === 'string') {
		checkHeader('retry-after', step.retryAfter, where);
	}
	return step;
}

function checkHeader(name: string, value: string | readonly string[], where: string): void {
	try {
		validateHeaderName(name);
		for (const line of [value].flat()) {
			validateHeaderValue(name, line);
		}
	} catch (error) {
		throw new ScriptError(`${where}: the header ${JSON.stringify(name)} cannot be sent`, {
			cause: error,
		});
	}
}

/** `429;retry-after=1;delay=20` */
function parseShort(text: string, where: string): Step {
	const [what = '', ...settings] = text.split(';').map((part) => part.trim());
	const step: Step = {};
	if (/^\d{3}$/.test(what)) {
		step.status = Number(what);
	} else if (FAULTS.includes(what)) {
		step.fault = what as Fault;
	} else {
		const found = what === '' ? 'an empty step' : JSON.stringify(what);
		throw new ScriptError(`${where}: ${found} is neither a status nor one of ${FAULTS.join(', ')}`);
	}
	const headers: Record<string, string> = {};
	for (const setting of settings) {
		const at = setting.indexOf('=');
		if (at < 1) {
			throw new ScriptError(`${where}: ${JSON.stringify(setting)} is not name=value`);
		}
		const name = setting.slice(0, at).trim();
		const value = setting.slice(at + 1).trim();
		if (name === 'delay') {
			step.delayMs = Number(value);
		} else {
			headers[name] = value;
		}
	}
	if (Object.keys(headers).length > 0) {
		step.headers = headers;
	}
	return step;
}

function isSequence(script: unknown): script is Sequence {
	return typeof script === 'string' || Array.isArray(script);
}

function matches(pattern: string, { method, path }: Wanted): boolean {
	const space = pattern.indexOf(' ');
	if (space > 0 && pattern.slice(0, space).toUpperCase() !== method) {
		return false;
	}
	const wanted = pattern.slice(space + 1);
	return wanted.endsWith('*') ? path.startsWith(wanted.slice(0, -1)) : path === wanted;
}

function refuseStrangers(value: object, known: readonly string[], where: string): void {
	const stranger = Object.keys(value).find((name) => !known.includes(name));
	if (stranger !== undefined) {
		throw new ScriptError(
			`${where}: unknown field ${JSON.stringify(stranger)} (known: ${known.join(', ')})`,
		);
	}
}
