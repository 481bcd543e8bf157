/**
 * One upstream for each dependency that a client talks to.
 *
 * @module
 */

import { RetrywiseError } from './errors.ts';
import type { Policy, Upstream, UpstreamOptions } from './types.ts';
import { ALL, isKept, KeptUpstream } from './upstream.ts';

/** Upstreams kept at once; the one that was not used for longest goes first. */
const MOST = 1000;

/** Upstreams by a key that is told from a request. */
export class Upstreams<Request> {
	readonly #policy: Policy | string | undefined;
	readonly #options: UpstreamOptions;
	readonly #key: (request: Request) => string;
	readonly #byKey = new Map<string, KeptUpstream>();
	/** The only one, where the caller gave it; else the one that checked the policy, until it is used. */
	readonly #given: KeptUpstream | undefined;
	#spare: KeptUpstream | undefined;
	/** The one that was used last: most requests go where the one before went. */
	#last: { readonly key: string; readonly upstream: KeptUpstream } | undefined;

	constructor(
		policy: Policy | string | Upstream | undefined,
		options: UpstreamOptions,
		key: (request: Request) => string,
	) {
		this.#key = key;
		this.#options = options;
		if (isUpstream(policy)) {
			if (!isKept(policy)) {
				throw new RetrywiseError('this upstream was not made by this copy of the package');
			}
			this.#given = policy;
		} else {
			this.#policy = policy;
			// Here, so that a policy that is none is refused at once.
			this.#spare = new KeptUpstream(policy, options, ALL);
		}
	}

	/** The upstream of a request. */
	of(request: Request): KeptUpstream {
		return this.#given ?? this.at(this.#key(request));
	}

	/** The upstream of a key; made when it is first asked for. */
	at(key: string): KeptUpstream {
		if (this.#given !== undefined) {
			return this.#given;
		}
		if (this.#last?.key === key) {
			return this.#last.upstream;
		}
		const upstream = this.#byKey.get(key) ?? this.#new(key);
		// The last one in the map is the one that was used last.
		this.#byKey.delete(key);
		this.#byKey.set(key, upstream);
		this.#last = { key, upstream };
		this.#drop();
		return upstream;
	}

	#new(key: string): KeptUpstream {
		const { name } = this.#options;
		const spare = name === undefined ? undefined : this.#spare;
		this.#spare = undefined;
		return spare ?? new KeptUpstream(this.#policy, { ...this.#options, name: name ?? key }, ALL);
	}

	/** Calls under way keep theirs; its handles are freed when the last of them is gone. */
	#drop(): void {
		if (this.#byKey.size > MOST) {
			const [oldest = ''] = this.#byKey.keys();
			this.#byKey.delete(oldest);
		}
	}
}

/** Whether this is an upstream, not a policy. */
export function isUpstream(value: unknown): value is Upstream {
	return typeof value === 'object' && value !== null && 'begin' in value;
}
