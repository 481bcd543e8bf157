// The js binding of the vector runner: answers one line of JSON with one line, through the public
// interface of the built package. It converts names and holds no rule; comparing is the runner's.

import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

// From inside the package its own name leads through its `exports`, as it does for its users.
const require = createRequire(new URL('../../../js/package.json', import.meta.url));

// A trace gives no random bits, so neither does this host: keys are given or missing.
Object.defineProperty(globalThis, 'crypto', { value: undefined });

const { classify, createUpstream, isPolicyError, retryHint, validatePolicy } = require('retrywise');
const { delaysOf, ledgerTerms, methodFacts, rngState, setRngState } = require('retrywise/internal');

/** The machines of `src/op.rs` that this package has. */
const MACHINES = ['delay', 'engine', 'ledger', 'policy'];

/** The ops of the ledger. */
const LEDGER = new Set(['claim', 'complete', 'fail', 'ambiguous', 'release', 'resolve', 'get']);

/** The trace that is being played. */
let world;

const ops = {
	hello: () => ({ machines: MACHINES, views: true, isolates: true }),
	signal: ({ input, wall }) => ({ answers: signal(input, wall) }),
	open: ({ policy, seed }) => {
		world = new World(policy, seed);
		return {};
	},
	step: ({ step, at, wall, rng }) => world.step(step, at, wall, rng),
};

function answer(line) {
	try {
		const question = JSON.parse(line);
		return ops[question.op](question);
	} catch (error) {
		if (error instanceof Refused) {
			return { refused: error.message };
		}
		// A rule that throws is a finding about the package, not about this host.
		return { refused: `it threw ${error.stack}` };
	}
}

/** The vector asks for something that has no answer. */
class Refused extends Error {}

/** One upstream on a clock that the steps move. */
class World {
	#at = 0;
	#wall = Number.NaN;
	#calls = new Map();
	#delays = new Map();
	#latest = '';
	#records = new Map();
	#terms;
	#upstream;

	constructor(policy, seed) {
		const clock = { now: () => this.#at, wall: () => this.#wall };
		try {
			this.#upstream = createUpstream(JSON.stringify(policy), { seed: 0, clock });
			this.#terms = ledgerTerms(JSON.stringify(policy));
		} catch (error) {
			throw isPolicyError(error) ? new Refused(`the policy is invalid: ${error.message}`) : error;
		}
		this.#set(seed);
	}

	step({ op, args }, at, wall, rng) {
		this.#at = at;
		this.#wall = wall ?? Number.NaN;
		if (rng !== null) {
			this.#set(rng);
		}
		const answers = this.#play(op, args);
		const { high, low } = rngState(this.#upstream);
		return { answers, rng: ((BigInt(high) << 32n) | BigInt(low)).toString() };
	}

	#play(op, args) {
		if (op === 'policy') {
			return judge(args.document);
		}
		if (op === 'view') {
			const { breaker: state, retryInMs, budget: balance } = this.#upstream.view();
			return { state, retryInMs, balance };
		}
		if (op === 'isolate' || op === 'reset') {
			this.#upstream[op]();
			return {};
		}
		if (op === 'delay') {
			return this.#delaysOf(args.call ?? '').next(args.retry, args.class, args.hintMs);
		}
		if (LEDGER.has(op)) {
			return this.#ledger(op, args);
		}
		if (op === 'begin') {
			const begun = this.#upstream.begin(args.request);
			if (begun.admitted) {
				this.#latest = args.call;
				this.#calls.set(args.call, begun.call);
			}
			return admission(begun);
		}
		const call = this.#calls.get(args.call ?? this.#latest);
		if (call === undefined) {
			throw new Refused(`no call ${args.call} was admitted`);
		}
		switch (op) {
			case 'settle':
				return verdict(call.settle(outcome(args.outcome)));
			case 'resume':
				return resumption(call.resume());
			case 'cancel':
				return verdict(call.cancel());
			case 'end':
				call.end();
				return {};
			default:
				throw new Refused(`this host does not know ${op}`);
		}
	}

	/** One event of the ledger. A trace writes the wall clock into `at`. */
	#ledger(op, { key, ...rest }) {
		const record = this.#records.get(key) ?? null;
		if (op === 'get') {
			return { state: record?.state ?? 'absent', cause: record?.cause ?? null };
		}
		const call = op === 'claim' ? { id: key, key } : {};
		const successor = `${key}#2`;
		const renewed = rest.action === 'retry-new-key' ? { newId: successor, newKey: successor } : {};
		const answer = this.#terms.apply(record, { op, ...call, ...rest, ...renewed }, this.#at);
		this.#records.set(key, answer.record);
		if (answer.created !== undefined) {
			this.#records.set(successor, answer.created.record);
		}
		const { result, attempt = null, retryInMs = null } = answer;
		return { result, attempt, retryInMs };
	}

	/** The delays of a call, which remember the one before. */
	#delaysOf(call) {
		if (!this.#delays.has(call)) {
			this.#delays.set(call, delaysOf(this.#upstream));
		}
		return this.#delays.get(call);
	}

	#set(state) {
		const bits = BigInt(state);
		setRngState(this.#upstream, Number(bits >> 32n), Number(bits & 0xffffffffn));
	}
}

function judge(document) {
	const issues = validatePolicy(JSON.stringify(document)).map(({ field, kind }) => ({ field, kind }));
	return { valid: issues.length === 0, issues };
}

function admission({ admitted, reason = null, retryInMs = null }) {
	return { admitted, reason, retryInMs };
}

function resumption({ over = false, ...resumed }) {
	return { ...admission(resumed), over };
}

function verdict({ kind, class: of, transition: change, ...rest }) {
	const { attempt, delayMs, reason, hintMs, hintSource, delivery, stale } = rest;
	const transition = change === null ? null : `${change.from}->${change.to}`;
	const facts = { attempt, delayMs, reason, hintMs, hintSource, delivery, transition, stale };
	return { verdict: kind, class: of, ...facts };
}

/** Every answer that the input has. */
function signal(input, wall) {
	const answers = {};
	const { method, profile, idempotency_key: keySent = false } = input;
	if (method !== undefined) {
		Object.assign(answers, methodFacts(method));
	}
	if (input.class !== undefined) {
		answers.retry = isRetried(method, keySent, outcomeOf(input));
		return { ...answers, class: input.class, delivery: input.delivery };
	}
	if (input.status === undefined && input.error === undefined) {
		return answers;
	}
	const seen = outcome(input);
	const facts = classify(seen, { wall, keySent, ...(profile && { profile }) });
	const hint = retryHint(seen, { wall, ...(profile && { profile }) });
	answers.class = facts.class;
	answers.delivery = facts.delivery;
	answers.delay_ms = hint?.hintMs ?? null;
	if (method !== undefined) {
		answers.retry = isRetried(method, keySent, seen, profile);
	}
	return answers;
}

/** The decision, attempts and budget aside: what the first settle of a call says. */
function isRetried(method, honoured, seen, profile = null) {
	const upstream = createUpstream({ profile, idempotency: { honoured } }, { seed: 0 });
	const { call } = upstream.begin({ method, ...(honoured && { key: 'key' }) });
	return call.settle(seen).kind === 'retry';
}

/**
 * Outcomes that the package takes for a class and a delivery given directly. `not_processed` counts
 * as proven there, so each of those rests on more than a status.
 */
const OUTCOMES = [
	{ status: 200 },
	{ status: 404 },
	{ status: 404, headers: { 'x-should-retry': 'true' } },
	{ status: 503, headers: { 'proxy-status': 'edge; error=connection_limit_reached' } },
	{ error: { family: 'node', code: 'ECONNREFUSED', syscall: 'connect' } },
	{ error: { family: 'node', code: 'ECONNRESET' } },
	{ error: { family: 'node', code: 'CERT_HAS_EXPIRED' } },
	{ error: { family: 'http2', code: 'ENHANCE_YOUR_CALM' } },
	{ error: { family: 'dom', name: 'AbortError' } },
];

function outcomeOf(input) {
	const found = OUTCOMES.find((candidate) => {
		const facts = classify(candidate, { wall: null });
		return facts.class === input.class && facts.delivery === input.delivery && facts.basis !== 'status';
	});
	if (found === undefined) {
		throw new Refused(`no outcome of this package is ${input.class} and ${input.delivery}`);
	}
	return found;
}

/** An outcome of a vector as the package takes it. */
function outcome({ status, headers, body, error, committed, durationMs }) {
	return {
		...(status !== undefined && { status }),
		headers: headers ?? [],
		...(body !== undefined && { codes: renamed(body, CODES) }),
		...(error !== undefined && { error: transport(error) }),
		...(committed !== undefined && { committed }),
		...(durationMs !== undefined && { durationMs }),
	};
}

const CODES = { problem_type: 'problemType', retry_delay: 'retryDelay', retry_after_s: 'retryAfterS' };

const FACTS = { type: 'kind', stream_id: 'streamId', last_stream_id: 'lastStreamId', not_found: 'notFound' };

function transport({ cause, reused, ...error }) {
	return {
		...renamed(error, FACTS),
		...(reused !== undefined && { reused: reused === true || reused === 'reused' }),
		...(cause !== undefined && { cause: transport(cause) }),
	};
}

function renamed(object, names) {
	return Object.fromEntries(Object.entries(object).map(([name, value]) => [names[name] ?? name, value]));
}

for await (const line of createInterface({ input: process.stdin })) {
	console.log(JSON.stringify(answer(line)));
}
