/** `retrywise simulate`: tables, numbers for programs, pictures. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { file, folder, run } from './support/cli.mjs';

describe('retrywise simulate', () => {
	it('shows the four times, and what the budget makes of it', async () => {
		const { out } = await run('simulate', 'storm');
		assert.match(out, /naive +\S+ +4\.00×/);
		assert.match(out, /budget .*1\.11× +1\.11×/);
		const { out: text } = await run('simulate', 'storm', '--json');
		const { naive, budget } = JSON.parse(text);
		assert.equal(naive.peak, 4000);
		assert.equal(budget.withinBudget, true);
		assert.ok(budget.window <= budget.bound);
	});

	it('writes a table for spreadsheets, of one policy', async () => {
		const policy = file('one.json', '{ "maxRetries": 0, "breaker": null }');
		const { out } = await run('simulate', 'storm', '--policy', policy, '--csv', '--seconds', '20');
		const [heading, first] = out.split('\r\n');
		assert.equal(heading, 'policy,second,asked,sent,granted,succeeded,failed,refused');
		assert.match(first, /,0,1000,1000,0,989,0,0$/);
	});

	it('repeats the published contest and the layers', async () => {
		const exact = [
			'simulate',
			'contest',
			'--clients',
			'10',
			'--deviation-us',
			'0',
			'--runs',
			'1',
			'--json',
		];
		const rows = JSON.parse((await run(...exact)).out);
		assert.deepEqual(
			rows.slice(0, 2).map(({ strategy, calls, timeMs }) => [strategy, calls.mean, timeMs.mean]),
			[
				['none', 55, 400],
				['exponential', 55, 4950],
			],
		);
		const layers = await run('simulate', 'layers', '--calls', '1', '--json');
		assert.deepEqual(JSON.parse(layers.out), { sent: [3, 9] });
	});
});

describe('retrywise simulate --svg', () => {
	it('draws the same figures, and says what it needs', async () => {
		for (const [name, mark, count] of [
			['storm', 'naive', 7],
			['contest', 'decorrelated', 2],
			['layers', 'layer 2', 1],
		]) {
			const path = join(folder, `${name}.svg`);
			const { code, problem } = await run('simulate', name, '--svg', path, '--json');
			assert.equal(code, 0, problem);
			const svg = readFileSync(path, 'utf8');
			assert.match(svg, /^<svg[^>]* xmlns="http:\/\/www.w3.org\/2000\/svg"/);
			assert.equal(svg.split(`>${mark}<`).length - 1, name === 'storm' ? 1 : count, name);
		}
		const nowhere = await run('simulate', 'layers', '--svg', join(folder, 'no', 'such.svg'));
		assert.equal(nowhere.code, 2);
	});
});
