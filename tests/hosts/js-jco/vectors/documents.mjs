// Documents of the vectors as records of the contract, and back.

/** The vector asks for something that has no answer. */
export class Refused extends Error {}

const utf8 = new TextEncoder();

/** A whole number of a document as the contract has it; none where there is none. */
export const big = (value) => (value === undefined || value === null ? undefined : BigInt(value));

/** The other way round. */
export const small = (value) => (value === undefined ? null : Number(value));

/** What a function of the contract gives or fails with: `{ ok }` or `{ error }`. */
export function attempted(run) {
	try {
		return { ok: run() };
	} catch (error) {
		if (error.payload === undefined) {
			throw error;
		}
		return { error: error.payload };
	}
}

export function request({ method = 'GET', key, headers, replayableBody = true }) {
	return { method, key, headers: lines(headers), replayableBody, priority: 0, nested: false };
}

export function outcome({ status, headers, body = {}, error, committed = false, durationMs }) {
	const errors = [];
	for (let link = error; link && errors.length < 8; link = link.cause) {
		errors.push(transportError(link));
	}
	const answered = status !== undefined && status !== null;
	const codes = {
		code: text(body.code),
		policy: text(body.policy),
		problemType: text(body.problem_type),
		retryDelay: text(body.retry_delay),
		retryAfterS: text(body.retry_after_s),
	};
	return {
		response: answered ? { status, headers: lines(headers), body: codes } : undefined,
		errors,
		committed,
		duration: big(durationMs),
	};
}

/** The families of the contract: who is none of them is any other client. */
const FAMILIES = new Set(
	`node undici axios fetch dom http2 http3 wasi-http python-urllib3 python-requests python-httpx python-aiohttp
	go java reqwest dotnet curl grpc`.split(/\s+/),
);

function transportError({ family = 'unknown', type, stream_id, last_stream_id, ...rest }) {
	const texts = ['code', 'name', 'message', 'syscall', 'phase', 'op', 'rcode', 'frame', 'progress'];
	return {
		family: FAMILIES.has(family) ? family : 'unknown',
		...Object.fromEntries(texts.map((name) => [name, text(rest[name])])),
		kind: text(type),
		streamId: big(stream_id),
		lastStreamId: big(last_stream_id),
		temporary: rest.temporary === true,
		notFound: rest.not_found === true,
		reused: rest.reused === true || rest.reused === 'reused',
	};
}

export function classification({ class: of, delivery }) {
	return { class: of, delivery: delivery.replaceAll('-', '_') };
}

export function verdict({ tag, val }) {
	const { delay, facts } = tag === 'retry' ? val : { delay: 0n, facts: val };
	const { attempt, reason, hint, transition: change, stale } = facts;
	return {
		verdict: tag,
		attempt,
		delayMs: Number(delay),
		reason: reason.name,
		hintMs: small(hint?.delay),
		hintSource: hint?.source.name ?? null,
		...classification(facts.classification),
		transition: change === undefined ? null : `${change.from}->${change.to}`,
		stale,
	};
}

export function refused({ tag, val }) {
	if (tag === 'too-many') {
		return { admitted: false, reason: `more than ${val}` };
	}
	return admission(tag === 'over' ? val.refusal : val);
}

function admission({ reason, retryIn }) {
	return { admitted: false, reason: reason.name, retryInMs: small(retryIn) };
}

function lines(headers = []) {
	return headers.map(([name, value]) => ({ name, value: utf8.encode(value) }));
}

/** A string, or a number by its text: body codes are both. */
function text(value) {
	return value === undefined || value === null ? undefined : String(value);
}
