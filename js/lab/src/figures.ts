/**
 * How figures are written. Nothing is computed here: the core's numbers get their unit.
 *
 * @module
 */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const NONE = '–';

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
	if (ms < 1000) {
		return `${whole.format(ms)} ms`;
	}
	const seconds = ms / 1000;
	if (seconds < 120) {
		return `${Number(seconds.toFixed(seconds < 10 ? 2 : 1))} s`;
	}
	const minutes = Math.floor(seconds / 60);
	return `${whole.format(minutes)} min ${Math.floor(seconds % 60)} s`;
}

/** `4k` on an axis. */
export function short(value: number): string {
	return value >= 10_000 ? `${whole.format(value / 1000)}k` : whole.format(value);
}
