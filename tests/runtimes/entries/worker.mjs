// Cloudflare Workers: the suite, and a dependency that all requests share.

import { DurableObject } from 'cloudflare:workers';
import { api } from './api.mjs';
import { openLab } from './lab.mjs';
import { runSuite } from './suite.mjs';

// At the top level, where a Worker may draw no random numbers, start no timer and compile nothing.
const send = api.fetching.withRetry(api.fetch, { maxRetries: 0 });

/** One upstream for every request that names it, wherever it comes in. */
export class Dependency extends DurableObject {
	#send = api.fetching.withRetry(api.fetch, {
		maxRetries: 0,
		breaker: { kind: 'consecutive', failures: 3, openMs: 60_000 },
	});

	async status(url) {
		try {
			return (await this.#send(url)).status;
		} catch (error) {
			return api.core.isRetryRefused(error) ? error.reason : String(error);
		}
	}
}

export default {
	async fetch(request, env) {
		const { pathname, searchParams } = new URL(request.url);
		const url = searchParams.get('url');
		if (pathname === '/suite') {
			return Response.json(await runSuite(api, openLab(url)));
		}
		if (pathname === '/alone') {
			return Response.json({ status: (await send(url)).status });
		}
		const dependency = env.DEPENDENCY.get(env.DEPENDENCY.idFromName('payments'));
		return Response.json({ status: await dependency.status(url) });
	},
};
