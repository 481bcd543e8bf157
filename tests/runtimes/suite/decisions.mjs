// What needs no socket: meanings, hints, delays, policies, sentences.

import { equal, ok } from './check.mjs';
import { quickClock } from './lab.mjs';
import { signalAnswers } from './signals.mjs';

const JITTERS = ['full', 'equal', 'decorrelated', 'polly-v2', 'proportional'];

export const decisionTests = ({ core }, lab, seen) => [
	[
		'every signal of the table means what the table says',
		async () => {
			const answersOf = signalAnswers(core);
			const wrong = [];
			const lines = await lab.signals();
			for (const { id, input, now, expect } of lines) {
				const answers = answersOf(input, now);
				for (const [name, wanted] of Object.entries(expect)) {
					// Facts about a method alone are not part of the package's interface.
					if (name in answers && answers[name] !== wanted) {
						wrong.push(`${id}: ${name} is ${answers[name]}, not ${wanted}`);
					}
				}
			}
			ok(lines.length > 500, `the table has ${lines.length} lines only`);
			ok(wrong.length === 0, `${wrong.length} differ: ${wrong.slice(0, 5).join('; ')}`);
		},
	],
	[
		'one seed gives the same thousand delays',
		() => {
			const hash = new Hash();
			let count = 0;
			for (const jitter of JITTERS) {
				const policy = { maxRetries: 10, backoff: { jitter }, breaker: null, budget: null };
				const upstream = core.createUpstream(policy, { seed: 20_261_201, clock: quickClock() });
				for (let call = 0; call < 20; call++) {
					const { call: begun } = upstream.begin();
					for (let retry = 0; retry < 10; retry++) {
						const { kind, delayMs } = begun.settle({ status: 503 });
						equal(kind, 'retry');
						hash.add(delayMs);
						begun.resume();
						count += 1;
					}
					begun.end();
				}
			}
			equal(count, 1000);
			seen.delays = hash.text();
		},
	],
	[
		'without a seed two upstreams wait differently',
		() => {
			const delays = () => {
				const { call } = core
					.createUpstream({ backoff: { baseMs: 1_000_000_000, capMs: 10_000_000_000 } })
					.begin();
				return call.settle({ status: 503 }).delayMs;
			};
			ok(
				new Set([delays(), delays(), delays()]).size > 1,
				'three upstreams drew one and the same delay',
			);
		},
	],
	[
		'everything that is wrong with a policy is said at once',
		() => {
			const fields = core.validatePolicy({ maxRetries: -1, nonsense: 1 }).map(({ field }) => field);
			equal(fields.sort(), ['maxRetries', 'nonsense']);
			let thrown;
			try {
				core.createUpstream({ maxRetries: -1 });
			} catch (error) {
				thrown = error;
			}
			ok(core.isPolicyError(thrown), 'no PolicyError was thrown');
		},
	],
	[
		'a reason is a sentence, in English and in Arabic',
		() => {
			const { call } = core.createUpstream({}, { seed: 1 }).begin();
			const verdict = call.settle({ status: 404 });
			equal(verdict.reason, 'permanent');
			ok(/[a-z]/.test(verdict.explain()), verdict.explain());
			ok(/[\u0600-\u06ff]/.test(verdict.explain('ar')), verdict.explain('ar'));
		},
	],
	[
		'many upstreams at once make the memory grow, and none forgets',
		() => {
			const made = [];
			for (let index = 0; index < 400; index++) {
				const upstream = core.createUpstream({ maxRetries: 3 + (index % 7) }, { seed: index });
				made.push([upstream, upstream.begin({ method: 'POST', key: `order-${index}` }).call]);
			}
			for (const [index, [upstream, call]] of made.entries()) {
				equal(call.key, `order-${index}`);
				equal(call.settle({ status: 429, headers: { 'retry-after': '1' } }).hintMs, 1000);
				call.end();
				upstream[Symbol.dispose ?? Symbol.for('Symbol.dispose')]?.();
			}
		},
	],
];

/** 64 bits of two FNV-1a hashes over decimal numbers: spread, not secrecy. */
class Hash {
	#high = 0x811c9dc5;
	#low = 0x2f0b4c47;

	add(number) {
		for (const character of `${number},`) {
			const unit = character.charCodeAt(0);
			this.#high = Math.imul(this.#high ^ unit, 0x01000193);
			this.#low = Math.imul(this.#low ^ unit, 0x01000193);
		}
	}

	text() {
		return [this.#high, this.#low]
			.map((word) => (word >>> 0).toString(16).padStart(8, '0'))
			.join('');
	}
}
