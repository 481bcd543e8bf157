// A program on the component as jco transpiles it, for the suite of the hosts:
// `node main.mjs URL METHOD POLICY SEED [KEY]` prints a line for each verdict, then how it ended.
// RETRYWISE_JCO names the folder with jco's output.

import { component } from './component.mjs';
import { withRetry } from './retrying.mjs';

const [url, method, policy, seed, key] = process.argv.slice(2);
const retrying = withRetry(fetch, component, policy, {
	seed,
	onVerdict({ tag, val }) {
		const { delay, facts } = tag === 'retry' ? val : { delay: 0, facts: val };
		console.log(tag, facts.reason.name, facts.attempt, String(delay));
	},
});
try {
	const response = await retrying(url, { method, headers: key ? { 'idempotency-key': key } : {} });
	console.log('status', response.status);
} catch {
	console.log('error');
}
