/**
 * One upstream for each dependency that an instance talks to.
 *
 * @module
 */

import type { InternalAxiosRequestConfig } from 'axios';
import { RetrywiseError } from '../errors.ts';
import type { Policy, Upstream, UpstreamOptions } from '../types.ts';
import { ALL, isKept, KeptUpstream } from '../upstream.ts';

/** How upstreams are told apart. */
export type UpstreamKey = (config: InternalAxiosRequestConfig) => string;

/** Upstreams kept at once; the one that was not used for longest goes first. */
const MOST = 1000;

export class Upstreams {
	readonly #policy: Policy | string | undefined;
	readonly #options: UpstreamOptions;
	readonly #key: UpstreamKey;
	readonly #byKey = new Map<string, KeptUpstream>();
	/** The only one, where the caller gave it; else the one that checked the policy, until it is used. */
	readonly #given: KeptUpstream | undefined;
	#spare: KeptUpstream | undefined;

	constructor(
		policy: Policy | string | Upstream | undefined,
		options: UpstreamOptions,
		key: UpstreamKey | undefined,
	) {
		this.#key = key ?? originOf;
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
	of(config: InternalAxiosRequestConfig): KeptUpstream {
		return this.#given ?? this.at(this.#key(config));
	}

	/** The upstream of a key; made when it is first asked for. */
	at(key: string): KeptUpstream {
		const known = this.#given ?? this.#byKey.get(key);
		const upstream = known ?? this.#new(key);
		if (this.#given === undefined) {
			// The last one in the map is the one that was used last.
			this.#byKey.delete(key);
			this.#byKey.set(key, upstream);
			this.#drop();
		}
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
		const [oldest] = this.#byKey.keys();
		if (this.#byKey.size > MOST && oldest !== undefined) {
			this.#byKey.delete(oldest);
		}
	}
}

function isUpstream(value: unknown): value is Upstream {
	return typeof value === 'object' && value !== null && 'begin' in value;
}

/** Scheme, host and port of where a request goes; a socket's path; empty for the page's own origin. */
export function originOf(config: InternalAxiosRequestConfig): string {
	const { url = '', baseURL, socketPath } = config;
	if (typeof socketPath === 'string') {
		return `unix:${socketPath}`;
	}
	const isAbsolute = /^([a-z][a-z\d+\-.]*:)?\/\//i.test(url);
	const base = isAbsolute && config.allowAbsoluteUrls !== false ? url : (baseURL ?? url);
	try {
		const page = (globalThis as { location?: { href?: string } }).location?.href;
		const { origin, protocol, host } = new URL(base, page);
		return origin === 'null' ? `${protocol}//${host}` : origin;
	} catch {
		return '';
	}
}
