/**
 * How figures are written. Nothing is computed here: the core's numbers get their unit.
 *
 * @module
 */

import type { Lang } from './state.ts';

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const NONE = '–';
/** Figures stay as they are in code and headers; only their units are translated. */
const LOCALES: Readonly<Record<Lang, string>> = { en: 'en', ar: 'ar-u-nu-latn' };
const UNITS: Readonly<Record<Lang, readonly [ms: string, s: string, min: string]>> = {
	en: ['ms', 's', 'min'],
	ar: ['ملّي ث', 'ث', 'د'],
};

let lang: Lang = 'en';
let plurals = new Intl.PluralRules('en');

/** The language of units and of counted things from now on. */
export function speak(spoken: Lang): void {
	lang = spoken;
	plurals = new Intl.PluralRules(LOCALES[spoken]);
}

/** Sentences by the plural that a number asks for (Unicode CLDR); `other` serves where one is missing. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** The sentence for so many. */
export function plural(forms: Plural, count: number): string {
	return (count === 0 ? forms.zero : undefined) ?? forms[plurals.select(count)] ?? forms.other;
}

/** `4.00×`, of thousandths. */
export function times(thousandths: number | null): string {
	return thousandths === null ? NONE : `${(thousandths / 1000).toFixed(2)}×`;
}

/** `99.5%`, of thousandths. */
export function percent(thousandths: number): string {
	return `${(thousandths / 10).toFixed(1)}%`;
}

/** `12,345`. */
export function count(value: number): string {
	return whole.format(value);
}

/** `850 ms`, `5 s`, `1.25 s`, `12.5 s`, `4 min 10 s`. */
export function span(ms: number | null): string {
	if (ms === null) {
		return NONE;
	}
	const [milliseconds, s, min] = UNITS[lang];
	if (ms < 1000) {
		return `${whole.format(ms)} ${milliseconds}`;
	}
	const seconds = ms / 1000;
	if (seconds < 120) {
		return `${Number(seconds.toFixed(seconds < 10 ? 2 : 1))} ${s}`;
	}
	const minutes = Math.floor(seconds / 60);
	return `${whole.format(minutes)} ${min} ${Math.floor(seconds % 60)} ${s}`;
}

/** `4k` on an axis. */
export function short(value: number): string {
	return value >= 10_000 ? `${whole.format(value / 1000)}k` : whole.format(value);
}
