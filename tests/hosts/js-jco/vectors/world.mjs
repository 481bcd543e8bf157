// The trace that is being played, on a clock that the steps move.

import { component } from '../component.mjs';
import { attempted, big, outcome, Refused, refused, request, small, verdict } from './documents.mjs';
import { LEDGER, Records } from './ledger.mjs';

const { dispatch, policy: policies, upstream } = component;

/** At this time everything is due. */
const END = 2n ** 53n - 1n;

export class World {
	#policy;
	#upstream;
	#calls = new Map();
	#latest = '';
	#delays = new Map();
	#saved = new Map();
	#records = new Records();
	#queue = new dispatch.Dispatch(1, 1_000_000, undefined);
	#names = [];

	constructor(policy, seed) {
		this.#policy = parsed(policy);
		this.#upstream = new upstream.Upstream(this.#policy, 0n);
		this.#upstream.setRandomState(seed);
	}

	step({ op, args }, at, wall, rng) {
		if (rng !== null) {
			this.#upstream.setRandomState(BigInt(rng));
		}
		const [now, then] = [BigInt(at), big(wall)];
		const answers = LEDGER.has(op)
			? this.#records.play(this.#policy, op, args, now)
			: this.#play(op, args, now, then);
		// A loaded generator is another one: no draw of the trace was spent.
		return op === 'load' ? { answers } : { answers, rng: String(this.#upstream.randomState()) };
	}

	/** Drops what the trace held, calls before their upstream. */
	end() {
		for (const resource of [...this.#calls.values(), this.#upstream, this.#policy, this.#queue]) {
			resource[Symbol.dispose]();
		}
	}

	#play(op, args, now, wall) {
		switch (op) {
			case 'policy': {
				const issues = policies.validate(JSON.stringify(args.document));
				return { valid: issues.length === 0, issues: issues.map(({ field, kind }) => ({ field, kind: kind.name })) };
			}
			case 'view': {
				const { breaker, budgetThousandths: left } = this.#upstream.view(now);
				const balance = left === undefined ? null : Number(left) / 1000;
				return { state: breaker?.state ?? null, retryInMs: small(breaker?.retryIn), balance };
			}
			case 'isolate':
			case 'reset':
				this.#upstream[op]();
				return {};
			case 'delay':
				return this.#delay(args);
			case 'push':
				this.#queue.add(BigInt(this.#names.length), args.priority ?? 0, big(args.dueAt), now);
				this.#names.push(args.id);
				return {};
			case 'pop': {
				const { tag, val } = this.#queue.next(END);
				return { id: tag === 'start' && this.#queue.done(val) ? this.#names[Number(val)] : null };
			}
			case 'save':
				this.#saved.set(args.as, this.#upstream.save(now, wall));
				return {};
			case 'load': {
				const before = this.#upstream;
				this.#upstream = new upstream.Upstream(this.#policy, 0n);
				this.#upstream.load(this.#saved.get(args.from), now, wall);
				before[Symbol.dispose]();
				return {};
			}
			case 'reconfigure': {
				const before = this.#policy;
				this.#policy = parsed(args.document);
				this.#upstream.setPolicy(this.#policy, now);
				before[Symbol.dispose]();
				return {};
			}
			case 'begin':
				return this.#begin(args, now, wall);
			default:
				return this.#event(op, args, now, wall);
		}
	}

	#begin({ call: name, request: asked }, now, wall) {
		const { ok, error } = attempted(() => this.#upstream.begin(request(asked), now, wall));
		if (error !== undefined) {
			return refused(error);
		}
		this.#latest = name;
		this.#calls.get(name)?.[Symbol.dispose]();
		this.#calls.set(name, ok);
		return { admitted: true };
	}

	#event(op, args, now, wall) {
		const call = this.#calls.get(args.call ?? this.#latest);
		if (call === undefined) {
			throw new Refused(`no call ${args.call} was admitted`);
		}
		switch (op) {
			case 'settle':
				return verdict(call.settle(outcome(args.outcome), now, wall));
			case 'resume': {
				const { error } = attempted(() => call.resume(now));
				const over = error?.tag === 'over';
				return error === undefined ? { admitted: true, over } : { ...refused(error), over };
			}
			case 'cancel':
				return verdict(call.cancel(now));
			case 'end':
				call.end(now);
				return {};
			default:
				throw new Refused(`this host does not know ${op}`);
		}
	}

	#delay({ retry, class: of = 'transient', hintMs, call = '' }) {
		const state = this.#delays.get(call) ?? { polly: 0n };
		const { tag, val } = this.#upstream.delay(retry, of, big(hintMs), state);
		this.#delays.set(call, tag === 'chosen' ? val.state : val);
		return tag === 'chosen'
			? { delayMs: Number(val.delay), reason: val.reason.name }
			: { delayMs: null, reason: 'hint-too-long' };
	}
}

function parsed(document) {
	const { ok, error } = attempted(() => policies.Policy.parse(JSON.stringify(document)));
	if (error !== undefined) {
		throw new Refused(`the policy is invalid: ${JSON.stringify(error)}`);
	}
	return ok;
}
