/**
 * Words of the tables, and texts of strangers made harmless.
 *
 * @module
 */

import type { LedgerRecord } from '../../ledger/index.ts';
import type { Language } from '../../types.ts';

const WORDS = {
	en: {
		event: 'event',
		state: 'state',
		attempts: 'attempts',
		status: 'status',
		updated: 'since (UTC)',
		labels: 'labels',
		cause: 'cause',
		question: 'question',
		answer: 'answer',
		created: 'recorded (UTC)',
		due: 'due (UTC)',
		owner: 'worker',
		key: 'key',
		priority: 'priority',
		payload: 'payload',
		value: 'outcome',
		perhaps: 'perhaps done',
		decided: 'decided',
		replaces: 'takes the place of',
		replacedBy: 'replaced by',
		yes: 'yes',
		no: 'no',
		none: 'no such call',
		more: 'more: --cursor',
		'in-progress': 'being sent',
		waiting: 'waiting',
		completed: 'confirmed',
		review: 'in review',
		abandoned: 'abandoned',
		fenced: 'lost its lease',
	},
	ar: {
		event: 'الطلب',
		state: 'الحالة',
		attempts: 'المحاولات',
		status: 'الرد',
		updated: 'منذ (UTC)',
		labels: 'الوسوم',
		cause: 'السبب',
		question: 'السؤال',
		answer: 'الجواب',
		created: 'سُجّل (UTC)',
		due: 'الموعد (UTC)',
		owner: 'العامل',
		key: 'المفتاح',
		priority: 'الأولوية',
		payload: 'المحتوى',
		value: 'النتيجة',
		perhaps: 'ربما نُفّذ',
		decided: 'القرار',
		replaces: 'يحل محل',
		replacedBy: 'حل محله',
		yes: 'نعم',
		no: 'لا',
		none: 'لا يوجد طلب كهذا',
		more: 'للمزيد: ‎--cursor',
		'in-progress': 'قيد الإرسال',
		waiting: 'قيد الانتظار',
		completed: 'مؤكد',
		review: 'قيد المراجعة',
		abandoned: 'متروك',
		fenced: 'انتهى حجزه',
	},
} as const;

/** A word that the tables use. */
export type Word = keyof (typeof WORDS)['en'];

/** A word in a language. */
export function word(lang: Language, name: Word): string {
	return WORDS[lang][name];
}

/** A point in time, to the second; `–` for none. */
export function time(ms: number | null): string {
	return ms === null ? '–' : `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}`;
}

/**
 * A text that a caller or a vendor chose, on one line and without what commands a terminal or
 * changes the order of what is around it.
 */
export function safe(text: string, longest = 200): string {
	const shown = text.replace(
		// But for the two joiners, which Persian and many a family need.
		/[\\\p{Cc}\p{Cs}\p{Co}\u2028\u2029]|(?![\u200c\u200d])\p{Cf}/gu,
		(unit) => (unit === '\\' ? '\\\\' : `\\u{${(unit.codePointAt(0) ?? 0).toString(16)}}`),
	);
	return shown.length > longest ? `${shown.slice(0, longest)}…` : shown;
}

/** Data on one line. */
export function data(value: unknown): string {
	return value === undefined ? '–' : safe(JSON.stringify(value) ?? '–', 1000);
}

/** Labels as they are searched for. */
export function labelled(labels: Readonly<Record<string, string>>): string {
	return Object.entries(labels)
		.map(([name, value]) => `${safe(name)}=${safe(value)}`)
		.join(' ');
}

/** A key shows its ends only: who reads the screen must not be able to use it. */
export function shortKey(key: string | null): string {
	return key === null
		? '–'
		: key.length <= 12
			? '…'
			: `${safe(key.slice(0, 4))}…${safe(key.slice(-4))}`;
}

/** How many attempts were sent, and what the last answer was. */
export function counts({ attempt, status }: LedgerRecord): readonly [string, string] {
	return [String(attempt), status === null ? '–' : String(status)];
}
