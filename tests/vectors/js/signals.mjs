// What a line of signals.jsonl asks, through the public interface of the package. It converts names
// and holds no rule. No runtime's own modules: the suite of tests/runtimes carries it everywhere.

/** The vector asks for something that has no answer. */
export class Refused extends Error {}

/** Answers signals with these functions of the package; without `methodFacts`, nothing about methods alone. */
export function signalAnswers({ classify, retryHint, createUpstream, methodFacts = () => ({}) }) {
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

	return signal;
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

/** An outcome of a vector as the package takes it. */
export function outcome({ status, headers, body, error, committed, durationMs }) {
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
