/**
 * The ledger as callers have it.
 *
 * @module
 */

import { RetrywiseError } from '../errors.ts';
import { drawSeed, randomBytes, sleep, throwIfAborted } from '../host.ts';
import type { Language, Upstream } from '../types.ts';
import { ALL, KeptUpstream } from '../upstream.ts';
import { Books } from './books.ts';
import {
	type LedgerRecord,
	type LedgerTerms,
	ledgerTerms,
	type ReviewItem,
	renderTrail,
	reviewItem,
	type TrailEntry,
} from './core.ts';
import { guarded } from './guarded.ts';
import type {
	Decision,
	Ledger,
	LedgerCall,
	LedgerOptions,
	ListOptions,
	Page,
	PageOptions,
	PurgeOptions,
	RecoverOptions,
	ReviewOptions,
	RunResult,
	Send,
	ShownCall,
} from './options.ts';
import { fingerprintOf, payloadFrom, payloadOf } from './payload.ts';
import { recovered } from './recovery.ts';
import { type Order, Run, type Shared } from './run.ts';
import { dueOf, type Labels, type LedgerStore, type StoredCall, type StoreQuery } from './store.ts';
import { AT_ONCE, type Turning, type TurningLedger } from './turning.ts';

/**
 * A ledger: one record for each call, asked before every attempt, so that nothing is sent twice.
 * One ledger stands for one dependency: it has one budget, breaker and limiter.
 *
 * @throws {PolicyError} with everything that is wrong with the policy
 * @throws {LoadError} where the host forbids WebAssembly
 */
export function createLedger(options: LedgerOptions): Ledger {
	return new KeptLedger(options);
}

const PAGE = 50;
const CONCURRENCY = 4;
const MOST = 1000;
const MANY = Number.MAX_SAFE_INTEGER;

class KeptLedger implements TurningLedger {
	readonly #store: LedgerStore;
	readonly #terms: LedgerTerms;
	readonly #books: Books;
	readonly #shared: Shared;

	constructor({ store, policy = {}, clock, owner, lookup, onTransition, seed }: LedgerOptions) {
		const upstream = new KeptUpstream(
			policy,
			{
				name: 'ledger',
				...(clock !== undefined && { clock }),
				...(seed !== undefined && { seed }),
			},
			ALL,
		);
		this.#store = guarded(store);
		this.#terms = ledgerTerms(policy);
		this.#books = new Books(this.#store, this.#terms, onTransition);
		this.#shared = {
			books: this.#books,
			upstream,
			lookup,
			owner: () => `${owner ?? 'run'}/${unique()}`,
			background: (ms, ended) => clock?.background?.(ms, ended) ?? sleep(ms, ended, true),
			now: () => Math.floor(upstream.clock.wall()),
			isIdempotent: (method) => {
				const { methods, wasm } = upstream.engine;
				return (wasm.method_facts(methods.code(method) ?? 0) & IDEMPOTENT) !== 0;
			},
		};
	}

	get upstream(): Upstream {
		return this.#shared.upstream;
	}

	run<T>(call: LedgerCall, send: Send<T>): Promise<RunResult<T>> {
		return this.runWith(call, send);
	}

	async runWith<T>(call: LedgerCall, send: Send<T>, ticket?: number): Promise<RunResult<T>> {
		return new Run(this.#shared, { ...(await this.#order(call)), ticket }, send).result();
	}

	async submit(call: LedgerCall): Promise<LedgerRecord> {
		return new Run(this.#shared, await this.#order(call), () => {}).submitted();
	}

	recover<T>(send: Send<T>, options?: RecoverOptions<T>): Promise<readonly RunResult<T>[]> {
		return this.recoverIn(AT_ONCE, send, options);
	}

	async recoverIn<T>(
		{ isTaken, turn }: Turning,
		send: Send<T>,
		{ limit, concurrency = CONCURRENCY, signal, leaseMs, onProgress }: RecoverOptions<T> = {},
	): Promise<readonly RunResult<T>[]> {
		const start = this.#shared.now();
		return recovered({
			due: (most) => this.#store.due(start, most),
			isTaken,
			run: (stored) => {
				const { record, facts } = stored;
				const { id, key, fingerprint } = record;
				const order = { id, key, fingerprint, facts, dueAt: undefined, leaseMs, signal };
				const about = { event: id, priority: facts.priority, dueAt: dueOf(record), signal };
				return turn(about, (ticket) => new Run(this.#shared, { ...order, ticket }, send).result());
			},
			limit: limit === undefined ? Number.POSITIVE_INFINITY : checked('limit', limit, MANY),
			concurrency: checked('concurrency', concurrency),
			signal,
			onProgress,
		});
	}

	async purge({ before, signal }: PurgeOptions): Promise<number> {
		checked('before', before, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER);
		for (let gone = 0; ; ) {
			throwIfAborted(signal);
			const part = await this.#store.purge(before, MOST);
			gone += part;
			if (part < MOST) {
				return gone;
			}
		}
	}

	find(labels: Labels, options: PageOptions = {}): Promise<Page<ShownCall>> {
		return this.list({ ...options, labels });
	}

	async list({ state, cause, ...rest }: ListOptions = {}): Promise<Page<ShownCall>> {
		const query = { ...(state !== undefined && { state }), ...(cause !== undefined && { cause }) };
		return this.#page(query, rest, shown);
	}

	async show(event: string): Promise<ShownCall | null> {
		const stored = await this.#store.get(event);
		return stored === null ? null : shown(stored);
	}

	async trail(event: string, lang?: Language): Promise<string | null> {
		const stored = await this.#store.get(event);
		if (stored === null) {
			return null;
		}
		const { id, key } = stored.record;
		const entries = await this.#store.trail(event);
		return renderTrail({ id, key, labels: stored.facts.labels, entries }, lang);
	}

	entries(event: string): Promise<readonly TrailEntry[]> {
		return this.#store.trail(event);
	}

	async review({
		cause,
		lang,
		...rest
	}: ReviewOptions = {}): Promise<Page<ReviewItem & { readonly labels: Labels }>> {
		const query = { state: 'review', ...(cause !== undefined && { cause }) } as const;
		return this.#page(query, rest, ({ record, facts }) => ({
			...(reviewItem(record, lang) as ReviewItem),
			labels: facts.labels,
		}));
	}

	async resolve(event: string, decision: Decision): Promise<LedgerRecord> {
		const { action, by, why, newEvent, newKey } = decision;
		if (newEvent !== undefined) {
			checkText('newEvent', newEvent);
		}
		const answer = await this.#books.change(event, async (stored) => {
			const hasKey = stored?.record.key != null;
			const isNew = action === 'retry-new-key' && stored !== null;
			const newId = newEvent ?? (isNew ? await this.#nextId(event) : undefined);
			const key = newKey ?? (hasKey && newId !== undefined ? this.#terms.keyOf(newId) : undefined);
			const more = isNew &&
				newId !== undefined && { newId, ...(key !== undefined && { newKey: key }) };
			const asked = this.#books.ask(
				stored,
				{ op: 'resolve', action, by, why, ...more },
				this.#shared.now(),
			);
			if (asked.result !== 'ok') {
				throw new RetrywiseError(`${JSON.stringify(event)} cannot be resolved: ${asked.problem}`);
			}
			if (newEvent !== undefined && isNew && (await this.#store.get(newEvent)) !== null) {
				throw new RetrywiseError(`${JSON.stringify(newEvent)} is in the ledger already`);
			}
			return [asked];
		});
		return answer.created?.record ?? (answer.record as LedgerRecord);
	}

	[Symbol.dispose](): void {
		this.#terms[Symbol.dispose]();
		this.#shared.upstream[Symbol.dispose]();
	}

	/** What is asked for, checked and in the form that is kept. */
	async #order(call: LedgerCall): Promise<Order> {
		const { event: id, priority = 0, dueAt, leaseMs, signal, method = 'POST' } = call;
		checkText('event', id);
		const labels = checkedLabels(call.labels);
		const payload = payloadFrom(call.payload);
		const fingerprint = await fingerprintOf(payload);
		const key = call.key === undefined ? this.#terms.keyOf(id) : call.key;
		const idempotent = call.idempotent ?? null;
		const facts = { payload: payload.text, labels, priority, method, idempotent };
		return { id, key, fingerprint, facts, dueAt, leaseMs, signal };
	}

	/** The event, with the first number that is free. */
	async #nextId(event: string): Promise<string> {
		const [, stem = event, last] = /^(.*)#(\d{1,9})$/s.exec(event) ?? [];
		for (let number = Number(last ?? 1) + 1; ; number += 1) {
			const id = `${stem}#${number}`;
			if ((await this.#store.get(id)) === null) {
				return id;
			}
		}
	}

	async #page<T>(
		query: Pick<StoreQuery, 'state' | 'cause'>,
		{ labels, limit = PAGE, cursor }: PageOptions & { labels?: Labels },
		show: (call: StoredCall) => T,
	): Promise<Page<T>> {
		const wanted = checkedLabels(labels);
		const most = checked('limit', limit);
		const after = placeOf(cursor);
		const found = await this.#store.list({
			...query,
			labels: wanted,
			...(after !== undefined && { after }),
			limit: most + 1,
		});
		const calls = found.slice(0, most);
		const last = found.length > most ? calls.at(-1)?.record : undefined;
		const next = last === undefined ? null : `${last.createdAt}:${last.id}`;
		return { items: calls.map(show), next };
	}
}

/** The bit of `method_facts`. */
const IDEMPOTENT = 2;

function shown({ record, facts, outcome }: StoredCall): ShownCall {
	const { labels, priority } = facts;
	const [payload, value] = [payloadOf(facts.payload), payloadOf(outcome)];
	return { event: record.id, record, payload, labels, priority, value };
}

/** The place behind which a page begins. */
function placeOf(cursor: string | null | undefined): StoreQuery['after'] {
	if (cursor === undefined || cursor === null) {
		return undefined;
	}
	const [, createdAt, id] = /^(-?\d+):(.+)$/s.exec(cursor) ?? [];
	if (createdAt === undefined || id === undefined) {
		throw new RangeError('cursor is not the `next` of a page');
	}
	return { createdAt: Number(createdAt), id };
}

function checked(what: string, value: number, most: number = MOST, least = 1): number {
	if (Number.isInteger(value) && value >= least && value <= most) {
		return value;
	}
	const bounds = `a whole number from ${least} to ${most}`;
	throw new RangeError(`${what} is ${String(value)}: it must be ${bounds}`);
}

/** Labels in composed form, so that what looks the same is found. */
function checkedLabels(labels: Labels = {}): Labels {
	const checked: [string, string][] = [];
	for (const [name, value] of Object.entries(labels)) {
		checkText('a label', name);
		checkText(`label ${name}`, value);
		checked.push([name.normalize('NFC'), value.normalize('NFC')]);
	}
	return Object.fromEntries(checked);
}

/** Text that every store can keep: without NUL, and without halves of characters. */
function checkText(what: string, text: unknown): void {
	if (typeof text !== 'string' || /[\0\p{Cs}]/u.test(text)) {
		throw new TypeError(`${what} must be text without NUL and lone surrogates`);
	}
}

function unique(): string {
	const bytes = randomBytes(16);
	return bytes === null
		? `${drawSeed()}${drawSeed()}`
		: Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
