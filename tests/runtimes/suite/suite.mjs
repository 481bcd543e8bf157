// The suite: the same tests in every runtime. `api` is the packed package as the runtime imported it,
// `lab` reaches the faulty servers. What runtimes have to agree on, the tests leave in `seen`.
//
// The folder is copied into the project that has the package, and `signals.mjs` of the vectors with it.

import { axiosTests } from './axios.mjs';
import { runTests } from './check.mjs';
import { decisionTests } from './decisions.mjs';
import { fetchTests } from './fetch.mjs';
import { ledgerTests } from './ledger.mjs';
import { waitTests } from './waits.mjs';

/** Runs all of it; the results by area, and the hash of the delays that every runtime must give. */
export async function runSuite(api, lab) {
	const seen = { delays: null };
	const results = [];
	for (const [area, tests] of [
		['decisions', decisionTests(api, lab, seen)],
		['fetch', fetchTests(api, lab)],
		['axios', axiosTests(api, lab)],
		['waits', waitTests(api, lab)],
		['ledger', api.keeping === null ? [] : ledgerTests(api, lab)],
	]) {
		results.push(...(await runTests(tests)).map((result) => ({ area, ...result })));
	}
	return { results, ...seen };
}
