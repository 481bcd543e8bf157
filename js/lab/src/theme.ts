/**
 * Light or dark: as the system says, unless somebody chose.
 *
 * @module
 */

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEPT = 'retrywise-lab-theme';

/** What was chosen before. */
export function initialTheme(): Theme {
	try {
		const kept = localStorage.getItem(KEPT);
		return THEMES.find((theme) => theme === kept) ?? 'auto';
	} catch {
		return 'auto';
	}
}

/** Chooses, and remembers where the browser allows it. */
export function setTheme(theme: Theme): Theme {
	const dark = theme === 'dark' || (theme === 'auto' && systemIsDark().matches);
	document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
	try {
		localStorage.setItem(KEPT, theme);
	} catch {
		// Private windows may keep nothing.
	}
	return theme;
}

/** What the system says. */
export function systemIsDark(): MediaQueryList {
	return matchMedia('(prefers-color-scheme: dark)');
}
