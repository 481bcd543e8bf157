/**
 * The cases, told to a runner: its `test` and `expect`, its fake timers, and the package as that
 * runner loads it.
 */

const WAIT = 30_000;
const POLICY = { maxRetries: 2, backoff: { jitter: 'none', baseMs: WAIT, capMs: WAIT } };

module.exports = function cases({ test, expect, timers, axios, axiosRetry, attach, retry, withRetry, testing }) {
	const { envelopeOf, runScenario, ScenarioFailed, virtualClock } = testing;

	/** Runs `body` on fake timers; real ones come back whatever happens. */
	const faked = (name, body) =>
		test(name, async () => {
			timers.fake();
			try {
				await body();
			} finally {
				timers.real();
			}
		});

	/** Something that fails `times` times, and how often it was asked. */
	const failing = (times, fail, succeed) => {
		const make = async (...args) => {
			make.asked += 1;
			return make.asked <= times ? fail(...args) : succeed(...args);
		};
		make.asked = 0;
		return make;
	};
	const away = () => {
		throw Object.assign(new Error('away'), { status: 503 });
	};

	/** Twice away, and it is asked again exactly when its wait is over. */
	const waitsExactly = async (source, done) => {
		await timers.advance(0);
		expect(source.asked).toBe(1);
		await timers.advance(WAIT - 1);
		expect(source.asked).toBe(1);
		await timers.advance(1);
		expect(source.asked).toBe(2);
		await timers.advance(WAIT);
		expect(source.asked).toBe(3);
		return done;
	};

	faked('retry waits by fake timers', async () => {
		const make = failing(2, away, () => 'there');
		expect(await waitsExactly(make, retry(make, POLICY))).toBe('there');
	});

	faked('withRetry waits by fake timers', async () => {
		const send = failing(2, () => new Response(null, { status: 503 }), () => new Response('there'));
		const done = withRetry(send, POLICY)('http://127.0.0.1/');
		expect(await (await waitsExactly(send, done)).text()).toBe('there');
	});

	/** An axios client without a network. */
	const clientOf = (source) =>
		axios.create({
			adapter: async (config) => {
				const status = await source();
				const answer = { status, statusText: '', headers: {}, data: '', config, request: {} };
				if (status >= 400) {
					throw new axios.AxiosError('away', 'ERR_BAD_RESPONSE', config, {}, answer);
				}
				return answer;
			},
		});

	faked('attach waits by fake timers', async () => {
		const source = failing(2, () => 503, () => 200);
		const client = clientOf(source);
		attach(client, POLICY);
		expect((await waitsExactly(source, client.get('/'))).status).toBe(200);
	});

	faked('the drop-in for axios-retry waits by fake timers', async () => {
		const source = failing(2, () => 503, () => 200);
		const client = clientOf(source);
		axiosRetry(client, { retries: 2, retryDelay: () => WAIT });
		expect((await waitsExactly(source, client.get('/'))).status).toBe(200);
	});

	faked('an attempt timeout passes by fake timers', async () => {
		const hanging = (_, { signal }) =>
			new Promise((_, reject) => {
				signal.addEventListener('abort', () => reject(signal.reason));
			});
		const send = failing(1, hanging, () => new Response('there'));
		const policy = { attemptTimeoutMs: 5000, backoff: { jitter: 'none', baseMs: 100 } };
		const done = withRetry(send, policy)('http://127.0.0.1/');
		await timers.advance(4999);
		expect(send.asked).toBe(1);
		await timers.advance(101);
		expect(send.asked).toBe(2);
		expect(await (await done).text()).toBe('there');
	});

	faked('a deadline is measured by the faked clock', async () => {
		const make = failing(9, away);
		const policy = { ...POLICY, deadlineMs: WAIT + 10_000 };
		const done = retry(make, policy).catch((error) => error.message);
		await timers.advance(WAIT);
		expect(make.asked).toBe(2);
		// The second wait would end after the deadline: nobody sleeps first.
		expect(await done).toBe('away');
	});

	test('a virtual clock needs no fake timers', async () => {
		const clock = virtualClock();
		const make = failing(2, away, () => 'there');
		expect(await retry(make, POLICY, { clock })).toBe('there');
		expect(clock.slept).toEqual([WAIT, WAIT]);
	});

	test('a scenario proves a call on real sockets', async () => {
		const policy = { idempotency: { honoured: true } };
		const report = await runScenario({
			script: '503,429;retry-after=30,reset-after,201',
			policy,
			request: { method: 'POST', path: '/orders', body: '{}', key: 'order-1' },
			expect: { attempts: 4, resources: 1, status: 201, headers: { 'idempotency-key': 'order-1' } },
		});
		const [{ waits }] = report.calls;
		expect(waits[1].waitedMs).toBe(WAIT);
		const failures = [{ status: 503 }, { status: 429, headers: [['retry-after', '30']] }];
		expect(waits[0].allowed).toEqual(envelopeOf(policy, failures).waits[0]);
	});

	test('a scenario that fails fails the test, with its report', async () => {
		const scenario = { script: '503,200', policy: {}, expect: { attempts: 1 } };
		const error = await runScenario(scenario).catch((thrown) => thrown);
		expect(error).toBeInstanceOf(ScenarioFailed);
		expect(error.message).toMatch(/attempts: expected 1, found 2/);
	});
};
