/**
 * What the page shows, as the address says it: whoever opens the same address sees the same.
 *
 * @module
 */

/** The languages of the page. */
export type Lang = 'en' | 'ar';

/** The pages of the lab. */
export const VIEWS = ['storm', 'delays', 'call', 'aws'] as const;
export type View = (typeof VIEWS)[number];

/** The policies of the storm, each with one thing more than the one before it. */
export const TACTICS = [
	'naive',
	'fixed',
	'exponential',
	'full-jitter',
	'budget',
	'breaker',
	'hint',
] as const;
/** The policy in the editor. */
export const YOURS = 'yours';
/** What the attempts of the delays may end with. */
export const CLASSES = ['transient', 'throttled'] as const;
/** What the one call may be. */
export const METHODS = ['GET', 'PUT', 'DELETE', 'POST', 'PATCH'] as const;

/** The terms of a storm, with the default, the least and the most of each. */
export const TERMS = {
	retries: [3, 0, 100],
	clients: [10, 1, 100_000],
	rate: [1000, 1, 100_000],
	seconds: [60, 1, 600],
	capacity: [1200, 1, 1_000_000],
	queue: [600, 0, 1_000_000],
	downFromMs: [10_000, 0, 600_000],
	downForMs: [5000, 0, 600_000],
	seed: [1, 0, 4_294_967_295],
} as const;
export type Term = keyof typeof TERMS;

/** Everything that an address can say. */
export interface State {
	view: View;
	lang: Lang;
	/** The text in the editor. */
	policy: string;
	/** The policies of the storm that stand side by side. */
	left: string;
	right: string;
	/** The second that the storm is shown at; null is its end. */
	at: number | null;
	storm: Record<Term, number>;
	/** What the attempts of the delays end with. */
	class: string;
	/** What the server of the one call does. */
	script: string;
	method: string;
	key: string;
	/** Runs of each point of the contest. */
	runs: number;
	/** What an address asked for that is not possible; the usual value stands instead. */
	refused: readonly Refused[];
}

/** A number of an address that is out of its range. */
export interface Refused {
	readonly name: string;
	readonly value: string;
	readonly least: number;
	readonly most: number;
}

/** The standard policy, written out where people look first. */
export const FIRST_POLICY = `{
  "maxRetries": 5,
  "backoff": {
    "baseMs": 500,
    "capMs": 30000,
    "jitter": "full"
  }
}`;

/** Where only some texts have a meaning. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
	left: [...TACTICS, YOURS],
	right: [...TACTICS, YOURS],
	class: CLASSES,
	method: METHODS,
};

const TEXTS = ['policy', 'left', 'right', 'class', 'script', 'method', 'key'] as const;

function defaults(): State {
	const terms = Object.entries(TERMS).map(([name, [value]]) => [name, value]);
	return {
		view: 'storm',
		lang: navigator.language.toLowerCase().startsWith('ar') ? 'ar' : 'en',
		policy: FIRST_POLICY,
		left: 'naive',
		right: 'budget',
		at: null,
		storm: Object.fromEntries(terms) as Record<Term, number>,
		class: 'transient',
		script: '503,503,200',
		method: 'GET',
		key: '',
		runs: 20,
		refused: [],
	};
}

/** What the part of an address after its `#` says; what it leaves out or gets wrong is default. */
export function parse(hash: string): State {
	const given = new URLSearchParams(hash.replace(/^#/, ''));
	const state = defaults();
	const view = given.get('view');
	state.view = VIEWS.find((known) => known === view) ?? state.view;
	const lang = given.get('lang');
	state.lang = lang === 'ar' || lang === 'en' ? lang : state.lang;
	for (const name of TEXTS) {
		const text = given.get(name);
		if (text !== null && (KNOWN[name]?.includes(text) ?? true)) {
			state[name] = text;
		}
	}
	const refused: Refused[] = [];
	const number = <T>(name: string, usual: T, least: number, most: number): T | number => {
		const text = given.get(name);
		if (text === null) {
			return usual;
		}
		const found = whole(text, least, most);
		if (found === null) {
			refused.push({ name, value: text, least, most });
		}
		return found ?? usual;
	};
	for (const [name, [value, least, most]] of Object.entries(TERMS)) {
		state.storm[name as Term] = number(name, value, least, most);
	}
	state.at = number('at', null, 0, 3600);
	state.runs = number('runs', state.runs, 1, 1000);
	state.refused = refused;
	return state;
}

/** The other way: only what is not default, and the language. */
export function format(state: State): string {
	const usual = defaults();
	const said = new URLSearchParams();
	const say = (name: string, value: unknown, left: unknown): void => {
		if (value !== left) {
			said.set(name, String(value));
		}
	};
	say('view', state.view, usual.view);
	said.set('lang', state.lang);
	for (const name of TEXTS) {
		say(name, state[name], usual[name]);
	}
	for (const name of Object.keys(TERMS) as Term[]) {
		say(name, state.storm[name], usual.storm[name]);
	}
	say('at', state.at, null);
	say('runs', state.runs, usual.runs);
	return `#${said}`;
}

/** A whole number in its range; null for anything else. */
export function whole(text: string, least: number, most: number): number | null {
	const value = /^\d{1,10}$/.test(text.trim()) ? Number(text) : Number.NaN;
	return value >= least && value <= most ? value : null;
}
