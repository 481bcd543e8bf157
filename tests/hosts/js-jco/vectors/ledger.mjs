// The ledger of a trace: its records by key, as the store of a host keeps them.

import { component } from '../component.mjs';
import { big, small } from './documents.mjs';

const { ledger } = component;

/** The ops of the ledger. */
export const LEDGER = new Set(['claim', 'renew', 'complete', 'fail', 'ambiguous', 'release', 'resolve', 'get']);

export class Records {
	#kept = new Map();

	/** Plays one op. A trace writes the wall clock into `at`. */
	play(policy, op, args, at) {
		const record = this.#kept.get(args.key);
		if (op === 'get') {
			return record === undefined ? { state: 'absent' } : stands(ledger.read(record).state);
		}
		const successor = `${args.key}#2`;
		const answer = ledger.apply(policy, record, event(op, args, successor), at);
		if (answer.created !== undefined) {
			this.#kept.set(successor, answer.created.kept.document);
		}
		if (answer.kept === undefined) {
			this.#kept.delete(args.key);
		} else {
			this.#kept.set(args.key, answer.kept.document);
		}
		return said(answer.reply);
	}
}

function event(op, args, successor) {
	const { key, attempt, status, fingerprint, owner } = args;
	const lease = big(args.leaseMs);
	const flags = { rateLimited: false, maybeProcessed: false, sustainedThrottling: false };
	const ending = { attempt, status, due: big(args.dueAt), ...flags };
	const values = {
		claim: { call: { id: key, key, fingerprint }, owner, lease },
		renew: { attempt, lease },
		complete: { attempt, status },
		fail: ending,
		ambiguous: ending,
		release: attempt,
		resolve: { action: action(args.action, successor), by: args.by, why: args.why },
	};
	return { tag: op, val: values[op] };
}

function action(tag, successor) {
	return tag === 'retry-new-key' ? { tag, val: { id: successor, key: successor } } : { tag };
}

function said({ tag, val }) {
	switch (tag) {
		case 'start':
			return { result: tag, attempt: val.attempt, renewInMs: small(val.renewIn) };
		case 'in-progress':
			return { result: tag, retryInMs: small(val) };
		case 'done':
			return { result: 'ok', renewInMs: small(val) };
		default:
			return { result: tag };
	}
}

function stands({ tag, val }) {
	return { state: tag, cause: tag === 'review' ? val : null };
}
