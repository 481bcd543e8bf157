// A `fetch` that repeats what the policy lets it repeat, on the component as jco transpiles it. It
// reads clocks, sleeps and sends; the component decides. Nothing of Node's own is used.

const now = () => BigInt(Math.floor(performance.now()));
const wall = () => BigInt(Date.now());
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, Number(ms)));
const utf8 = { encoder: new TextEncoder(), decoder: new TextDecoder() };

/**
 * Wraps a `fetch`. A final bad status resolves with its response, a final failure rejects with the
 * last error, a call that may not begin rejects with the component's own error (`payload`).
 *
 * `component` is what `instantiate` gave, `policy` a JSON document, `seed` 0 to 2^53 − 1.
 */
export function withRetry(fetch, component, policy, { seed = draw(), onVerdict = () => {} } = {}) {
	const { Policy } = component.policy;
	const { Upstream } = component.upstream;
	const parsed = Policy.parse(policy);
	const upstream = new Upstream(parsed, BigInt(seed));
	return async (url, init = {}) => {
		const call = upstream.begin(request(init, parsed.generatesKeys()), now(), wall());
		try {
			for (;;) {
				const { response, error } = await attempt(fetch, url, init, call);
				const outcome = response ? answered(response) : failed(error);
				const verdict = call.settle(outcome, now(), wall());
				onVerdict(verdict);
				if (verdict.tag !== 'retry' || !(await mayGoOn(call, verdict.val.delay))) {
					if (response) {
						return response;
					}
					throw error;
				}
				await response?.body?.cancel();
			}
		} finally {
			call.end(now());
		}
	};
}

function request({ method = 'GET', headers, body }, generatesKeys) {
	return {
		method,
		headers: lines(new Headers(headers)),
		// A stream can be read once; everything else is sent again as it is.
		replayableBody: !(body instanceof ReadableStream),
		entropy: generatesKeys ? crypto.getRandomValues(new Uint8Array(16)) : undefined,
		priority: 0,
		nested: false,
	};
}

async function attempt(fetch, url, init, call) {
	const headers = new Headers(init.headers);
	for (const { name, value } of call.headers()) {
		headers.set(name, utf8.decoder.decode(value));
	}
	const left = call.timeout(now());
	const limits = [init.signal, left === undefined ? undefined : AbortSignal.timeout(Number(left))];
	const signal = AbortSignal.any(limits.filter((limit) => limit));
	try {
		return { response: await fetch(url, { ...init, headers, signal }) };
	} catch (error) {
		return { error };
	}
}

/** Waits, then asks; whether the next attempt may be sent. */
async function mayGoOn(call, delay) {
	for (let left = delay; left !== undefined; ) {
		await sleep(left);
		try {
			call.resume(now());
			return true;
		} catch ({ payload }) {
			left = payload.tag === 'later' ? payload.val.retryIn : undefined;
		}
	}
	return false;
}

const answered = ({ status, headers }) => ({
	response: { status, headers: lines(headers), body: {} },
	errors: [],
	committed: false,
});

/** The error and what caused it, the outermost first. */
function failed(error) {
	const errors = [];
	for (let link = error; link instanceof Error && errors.length < 8; link = link.cause) {
		const { code, name, message, syscall } = link;
		const known = typeof code === 'string' ? code : undefined;
		const flags = { temporary: false, notFound: false, reused: false };
		errors.push({ family: family(link, known), code: known, name, message, syscall, ...flags });
	}
	return { errors, committed: false };
}

function family(error, code) {
	if (error instanceof DOMException) {
		return 'dom';
	}
	if (code === undefined) {
		return 'fetch';
	}
	return code.startsWith('UND_ERR_') ? 'undici' : 'node';
}

const lines = (headers) => [...headers].map(([name, value]) => ({ name, value: utf8.encoder.encode(value) }));

function draw() {
	const [high, low] = crypto.getRandomValues(new Uint32Array(2));
	return (high % 2 ** 21) * 2 ** 32 + low;
}
