// What a line of signals.jsonl asks.

import { component } from '../component.mjs';
import { big, classification, outcome, request, small } from './documents.mjs';

const { classify, policy: policies, upstream } = component;

/** Every answer that the input has. */
export function signal(input, wall) {
	const { method, profile, idempotency_key: keySent = false } = input;
	const answers = method === undefined ? {} : { ...classify.method(method) };
	let seen;
	if (input.class !== undefined) {
		Object.assign(answers, { class: input.class, delivery: input.delivery });
		seen = outcome(standIn(input.class, input.delivery));
	} else if ((input.status ?? input.error ?? null) !== null) {
		seen = outcome(input);
		const found = classify.classify(seen, { profile, keySent, wall: big(wall) });
		Object.assign(answers, classification(found.classification));
		answers.delay_ms = small(found.hint?.delay);
	} else {
		return answers;
	}
	if (method !== undefined) {
		const known = policies.profiles().includes(profile) ? profile : null;
		answers.retry = isRetried({ profile: known, idempotency: { honoured: keySent } }, method, keySent, seen);
	}
	return answers;
}

/** The decision, attempts and budget aside: what the first settle of a call says. */
function isRetried(document, method, keySent, seen) {
	const policy = policies.Policy.parse(JSON.stringify(document));
	const one = new upstream.Upstream(policy, 0n);
	const call = one.begin(request({ method, key: keySent ? 'key' : undefined }), 0n, undefined);
	return call.settle(seen, 0n, undefined).tag === 'retry';
}

/** An outcome of this class and delivery; `not_processed` rests on more than a status. */
function standIn(of, delivery) {
	const error = (family, code) => ({ error: { family, code } });
	const known = {
		success: { status: 200 },
		'transient processed': { status: 404, headers: [['x-should-retry', 'true']] },
		'transient not_processed': error('node', 'ECONNREFUSED'),
		transient: error('node', 'ECONNRESET'),
		'throttled not_processed': { status: 503, headers: [['proxy-status', 'edge; error=connection_limit_reached']] },
		throttled: error('http2', 'ENHANCE_YOUR_CALM'),
		'permanent not_processed': error('node', 'CERT_HAS_EXPIRED'),
		permanent: { status: 404 },
		cancelled: { error: { family: 'dom', name: 'AbortError' } },
	};
	return known[`${of} ${delivery}`] ?? known[of];
}
