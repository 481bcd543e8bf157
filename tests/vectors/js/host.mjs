// The js binding of the vector runner: answers one line of JSON with one line, through the public
// interface of the built package. It converts names and holds no rule; comparing is the runner's.

import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { outcome, Refused, signalAnswers } from './signals.mjs';

// From inside the package its own name leads through its `exports`, as it does for its users.
const require = createRequire(new URL('../../../js/package.json', import.meta.url));

// A trace gives no random bits, so neither does this host: keys are given or missing.
Object.defineProperty(globalThis, 'crypto', { value: undefined });

// The build in plain JavaScript has its own copy of everything, so its own internals too.
const isPlain = process.argv.includes('--nowasm');
const { createUpstream, isPolicyError, validatePolicy, ...asks } = require(
	isPlain ? 'retrywise/nowasm' : 'retrywise',
);
const { delaysOf, ledgerTerms, methodFacts, rngState, setRngState } = require(
	isPlain ? './dist/nowasm/internal.cjs' : 'retrywise/internal',
);
const signal = signalAnswers({ ...asks, createUpstream, methodFacts });

/** The machines of `src/op.rs` that this package has. */
const MACHINES = ['delay', 'engine', 'ledger', 'policy'];

/** The ops of the ledger. */
const LEDGER = new Set(['claim', 'renew', 'complete', 'fail', 'ambiguous', 'release', 'resolve', 'get']);

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
		const { result, attempt = null, retryInMs = null, renewInMs = null } = answer;
		return { result, attempt, retryInMs, renewInMs };
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

// Lines that came together are answered together: a write each would be most of a long trace's time.
let said = '';
createInterface({ input: process.stdin }).on('line', (line) => {
	if (said === '') {
		setImmediate(() => {
			process.stdout.write(said);
			said = '';
		});
	}
	said += `${JSON.stringify(answer(line))}\n`;
});
