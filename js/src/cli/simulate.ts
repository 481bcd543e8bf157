/**
 * `retrywise simulate storm|contest|layers`: the experiments of the core, printed.
 *
 * @module
 */

import { simulator as load } from '../simulator/load.ts';
import type { ContestRow, StormReport } from '../simulator/simulator.ts';
import { read } from './files.ts';
import { csv, exit, json, type Output, sparkline, table } from './output.ts';
import { contestChart, layersChart, stormChart, writeSvg } from './svg.ts';

/** How the answer is written. */
export type Format = 'table' | 'csv' | 'json';

const TACTICS = ['naive', 'fixed', 'exponential', 'full-jitter', 'budget', 'breaker', 'hint'];

/** The storm under every tactic, or under one policy. */
export async function storm(
	options: { policy?: string; terms: Record<string, unknown>; format: Format; svg?: string },
	output: Output,
): Promise<number> {
	const simulator = load();
	const { terms, policy, format } = options;
	const ask = (more: object): StormReport =>
		simulator.ask<StormReport>({ experiment: 'storm', ...terms, ...more });
	const reports: [string, StormReport][] =
		policy === undefined
			? TACTICS.map((tactic) => [tactic, ask({ tactic })])
			: [[policy, ask({ policy: read(policy) })]];
	if (options.svg !== undefined) {
		const outage = { fromMs: Number(terms['downFromMs']), forMs: Number(terms['downForMs']) };
		await writeSvg(options.svg, stormChart(reports, outage));
	}
	if (format === 'json') {
		output.out(json(Object.fromEntries(reports)));
	} else if (format === 'csv') {
		const series = ['asked', 'sent', 'granted', 'succeeded', 'failed', 'refused'];
		const rows = reports.flatMap(([name, { seconds }]) =>
			(seconds['sent'] ?? []).map((_, second) => [
				name,
				second,
				...series.map((of) => seconds[of]?.[second] ?? 0),
			]),
		);
		output.out(csv(['policy', 'second', ...series], rows));
	} else {
		output.out(
			table(
				['policy', 'outage', 'peak', 'window', 'bound', 'success', 'refused', 'recovery'],
				reports.map(([name, report]) => [
					name,
					times(report.outage),
					times(report.peak),
					times(report.window),
					report.bound === null ? '–' : times(report.bound),
					`${(report.success / 10).toFixed(1)}%`,
					String(report.refused),
					report.recoveryMs === null ? '–' : `${report.recoveryMs} ms`,
				]),
			),
		);
		output.out('\nattempts a second\n');
		const top = Math.max(...reports.flatMap(([, { seconds }]) => seconds['sent'] ?? []));
		const width = Math.max(...reports.map(([name]) => name.length));
		for (const [name, { seconds }] of reports) {
			output.out(`${name.padEnd(width)}  ${sparkline(seconds['sent'] ?? [], top)}\n`);
		}
		output.out(LEGEND);
	}
	return exit.ok;
}

const LEGEND = `
outage    attempts while the server was down, by the calls begun then
peak      the second with the most attempts; it may be above the bound of a window, since what the
          good seconds before it saved may be spent at once
window    the worst window of the budget (without one, the worst 10 s): calls and the retries granted
          to them, by calls; 1 + ratio + reserve ÷ calls is what a budget allows (bound)
recovery  how long after the outage the last call still failed; a breaker pays here for the load it
          spares: a shorter breaker.openMs or breaker.maxOpenMs recovers sooner
`;

/** The AWS experiment. */
export async function contest(
	options: { terms: Record<string, unknown>; format: Format; svg?: string },
	output: Output,
): Promise<number> {
	const { rows } = load().ask<{ rows: readonly ContestRow[] }>({
		experiment: 'occ',
		...options.terms,
	});
	if (options.svg !== undefined) {
		await writeSvg(options.svg, contestChart(rows));
	}
	if (options.format === 'json') {
		output.out(json(rows));
		return exit.ok;
	}
	const headings = ['strategy', 'clients', 'runs', 'calls', 'calls sd', 'ms', 'ms sd'];
	const cells = rows.map(({ strategy, clients, runs, calls, timeMs }) =>
		[strategy, clients, runs, calls.mean, calls.sd, timeMs.mean, timeMs.sd].map(String),
	);
	output.out(options.format === 'csv' ? csv(headings, cells) : table(headings, cells));
	return exit.ok;
}

/** Retries in layers. */
export async function layers(
	options: { terms: Record<string, unknown>; format: Format; svg?: string },
	output: Output,
): Promise<number> {
	const { sent } = load().ask<{ sent: readonly number[] }>({
		experiment: 'layers',
		...options.terms,
	});
	if (options.svg !== undefined) {
		await writeSvg(options.svg, layersChart(sent));
	}
	if (options.format === 'json') {
		output.out(json({ sent }));
		return exit.ok;
	}
	const rows = sent.map((requests, layer) => [String(layer + 1), String(requests)]);
	const headings = ['layer', 'sent'];
	output.out(options.format === 'csv' ? csv(headings, rows) : table(headings, rows));
	return exit.ok;
}

function times(thousandths: number): string {
	return `${(thousandths / 1000).toFixed(2)}×`;
}
