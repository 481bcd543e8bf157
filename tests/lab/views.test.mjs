/** What each view shows, in the figures that the command prints. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { settled, simulate, start, text, times } from './support.mjs';

let lab;
before(async () => {
  lab = await start();
});
after(() => lab.leave());

describe('the storm', () => {
  it('is what the page opens with, naive and budget side by side, in figures that the command prints', async () => {
    const reports = simulate('storm');
    await lab.visit('', {}, async (page) => {
      const { naive, budget } = reports;
      const huge = (side) => page.locator(`.side-${side} .huge`).allInnerTexts();
      assert.deepEqual(await huge('hot'), [naive.peak, naive.window].map(times));
      assert.equal((await huge('hot'))[0], '4.00×');
      assert.deepEqual(await huge('cool'), [budget.peak, budget.window].map(times));
      const found = await text(page, '.found');
      for (const figure of [naive.peak, naive.window, budget.window, budget.peak]) {
        assert.ok(found.includes(times(figure)), `${times(figure)} in: ${found}`);
      }
      for (const [name, report] of Object.entries(reports)) {
        const row = page.locator(`.policies tr:has([data-policy="${name}"]) td`);
        const cells = await row.allInnerTexts();
        assert.equal(cells[0], times(report.peak), name);
        assert.equal(cells[1], times(report.window), name);
        assert.equal(cells[4], report.attempts.toLocaleString('en'), name);
        assert.equal(cells[2], report.bound === null ? '–' : times(report.bound), name);
        assert.equal(cells[5], `${(report.success / 10).toFixed(1)}%`, name);
        assert.equal(cells[6], report.refused.toLocaleString('en'), name);
      }
      const shown = page.locator('.side-hot .as-table tbody td:last-child');
      const sent = (await shown.allTextContents()).map((cell) => Number(cell.replace(',', '')));
      assert.deepEqual(sent, reports.naive.seconds.sent.slice(0, sent.length));
      assert.equal(sent.length, 60);
    });
  });

  it('says what the breaker costs and that shorter open times cost less', async () => {
    await lab.visit('', {}, async (page) => {
      const rows = page.locator('.breakers tbody tr');
      const cells = await rows.locator('td:last-child').allInnerTexts();
      assert.equal(cells.length, 4);
      const ms = (cell) => Number.parseFloat(cell) * (cell.endsWith(' ms') ? 1 : 1000);
      assert.ok(ms(cells.at(-1)) < ms(cells[0]), cells.join(' > '));
      assert.match(await text(page, '.measure'), /breaker\.openMs.*breaker\.maxOpenMs/);
    });
  });

  it('plays to its end, pauses, and goes where the slider is put', async () => {
    await lab.visit('#seconds=20&at=12', {}, async (page) => {
      const slider = page.locator('.transport input');
      assert.equal(await slider.inputValue(), '12');
      const end = await slider.getAttribute('max');
      // In one go: on a slow machine the storm may be over before the next question.
      const press = () =>
        page.locator('.play').evaluate((button) => {
          button.click();
          return button.textContent;
        });
      assert.equal(await press(), 'Pause');
      await page.getByRole('button', { name: 'Play again' }).waitFor();
      assert.equal(await slider.inputValue(), end);
      await slider.fill('11');
      assert.equal(await text(page, '.clock'), 'second 11');
      const sent = simulate('storm', '--seconds', '20').naive.seconds.sent[11];
      assert.ok((await text(page, '.side-hot .live')).includes(sent.toLocaleString('en')));
      await page.waitForFunction(() => location.hash.includes('at=11'));
      const twice = await page.locator('.play').evaluate((button) => {
        button.click();
        button.click();
        return button.textContent;
      });
      assert.equal(twice, 'Play');
    });
  });

  it('can be cancelled, keeps what was there, and starts again', async () => {
    await lab.visit('', {}, async (page) => {
      await page.locator('summary', { hasText: 'Change the storm' }).click();
      const rate = page.locator('input[name=rate]');
      await page.locator('input[name=seconds]').fill('600');
      await rate.fill('50000');
      await rate.press('Tab');
      await page.locator('.job progress').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.locator('.job progress').waitFor({ state: 'hidden' });
      assert.match(await text(page, '.job .said'), /Cancelled/);
      assert.equal(await text(page, '.side-hot .huge'), '4.00×');
      await page.locator('input[name=seconds]').fill('20');
      await rate.fill('2000');
      await rate.press('Tab');
      await page.locator('.job .said', { hasText: 'Done.' }).waitFor();
      await settled(page);
      const report = simulate('storm', '--rate', '2000', '--seconds', '20').naive;
      assert.equal(await text(page, '.side-hot .huge'), times(report.peak));
    });
  });

  it('takes the policy of the editor in, beside the others', async () => {
    await lab.visit('#left=yours', {}, async (page) => {
      const row = page.locator('.policies tr:has([data-policy="yours"])');
      assert.equal(await row.count(), 1);
      const before = await text(page, '.side-hot .huge');
      await page.fill('#policy', '{ "maxRetries": 9, "backoff": { "curve": "none" }, "budget": null, "breaker": null }');
      await page.waitForFunction(
        (old) => document.querySelector('.side-hot .huge').textContent !== old,
        before,
      );
      assert.equal(await text(page, '.side-hot .huge'), '10.00×');
    });
  });
});

describe('the policy', () => {
  it('starts from every preset and every tactic, each of them valid', async () => {
    await lab.visit('#view=delays', {}, async (page) => {
      const menu = page.locator('select[name=preset]');
      const groups = await menu.locator('optgroup').count();
      assert.equal(groups, 3);
      const names = (group) => menu.locator(`optgroup >> nth=${group} >> option`).allInnerTexts();
      const all = [...(await names(0)), ...(await names(1)), 'stripe', 'github'];
      assert.ok(all.includes('payments') && all.includes('full jitter'), all.join());
      for (const label of all) {
        await page.fill('#policy', 'x');
        await page.locator('.invalid').first().waitFor();
        await menu.selectOption({ label });
        await page.locator('.valid').waitFor();
      }
    });
  });

  it('shows every issue at once with its place, and goes there', async () => {
    await lab.visit('#view=delays', {}, async (page) => {
      await page.fill(
        '#policy',
        '{\n  "maxRetries": -1,\n  "backoff": { "jitter": "ful" },\n  "tea": 1\n}',
      );
      await page.locator('.issues li').nth(2).waitFor();
      const issues = await page.locator('.issues li').allInnerTexts();
      assert.match(issues.join('\n'), /line 2, column 3\s+.*maxRetries/);
      assert.match(issues.join('\n'), /line 3, column 16\s+.*jitter/);
      assert.match(issues.join('\n'), /line 4, column 3\s+.*tea/);
      assert.equal(await page.getAttribute('#policy', 'aria-invalid'), 'true');
      await page.locator('.place').nth(1).click();
      const help = await text(page, '.help');
      assert.match(help, /backoff\.jitter[^]*"decorrelated"[^]*default "full"/);
      await page.fill('#policy', '{ "maxRetries": ');
      await page.locator('.issues li', { hasText: 'not a JSON document' }).waitFor();
    });
  });

  it('can be taken away as a file', async () => {
    await lab.visit('#view=delays', {}, async (page) => {
      await page.fill('#policy', '{ "maxRetries": 2 }');
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download' }).click(),
      ]);
      assert.equal(file.suggestedFilename(), 'retry-policy.json');
      assert.equal(readFileSync(await file.path(), 'utf8'), '{ "maxRetries": 2 }\n');
    });
  });
});

describe('delays and calls', () => {
  it('bands follow the policy, a row for each retry', async () => {
    const policy = '{"maxRetries":4,"backoff":{"baseMs":100,"jitter":"none"}}';
    await lab.visit(`#view=delays&policy=${encodeURIComponent(policy)}`, {}, async (page) => {
      const rows = await page.locator('.result tbody tr').allInnerTexts();
      assert.equal(rows.length, 4);
      assert.match(rows[3].replaceAll(/\s+/g, ' '), /^4 800 ms 800 ms 800 ms 800 ms 1\.5 s$/);
      await page.fill('#policy', '{ "maxRetries": 0 }');
      await page.getByText('This policy does not retry.').waitFor();
    });
  });

  it('a call is told attempt by attempt, with the reason that the core gives', async () => {
    await lab.visit('#view=call', {}, async (page) => {
      const reasons = () =>
        page.locator('.row').evaluateAll((rows) => rows.map((row) => row.dataset.reason));
      assert.deepEqual(await reasons(), ['backoff', 'backoff', 'ok']);
      await page.selectOption('select[name=scripts]', '429;retry-after=3,200');
      await page.locator('[data-reason=server-hint]').waitFor();
      assert.match(
        await text(page, '[data-reason=server-hint] .why'),
        /^Attempt 2 follows in 3000 ms; the server asked for 3000 ms\.$/,
      );
      await page.locator('[data-reason=server-hint] summary').click();
      const steps = page.locator('[data-reason=server-hint] .how li');
      assert.match(await steps.first().innerText(), /^is it a failure\? pass/);
      assert.match(await steps.last().innerText(), /^send it again server-hint/);
      await page.fill('input[name=script]', 'hang');
      await page.selectOption('select[name=method]', 'POST');
      await page.locator('[data-reason=unsafe-to-repeat]').waitFor();
      await page.fill('input[name=script]', 'goaway,reset-after');
      await page.locator('[data-reason=backoff] + [data-reason=unsafe-to-repeat]').waitFor();
      assert.match(await text(page, '.lead'), /serve --http2 --script "goaway,reset-after"/);
      await page.fill('input[name=script]', '503,tea');
      await page.locator('#script-problem', { hasText: '"tea" is neither a status nor' }).waitFor();
    });
  });
});

describe('the AWS experiment', () => {
  it('answers for every number of writers and every strategy, as the command does', async () => {
    const rows = simulate('contest', '--clients', '100', '--runs', '5');
    await lab.visit('#view=aws&runs=5', {}, async (page) => {
      await page.locator('summary', { hasText: 'As a table' }).click();
      assert.equal(await page.locator('.result tbody tr').count(), 95);
      const full = rows.find(({ strategy }) => strategy === 'full');
      const mean = Math.round(full.calls.mean).toLocaleString('en');
      const row = page.locator('.result tbody tr', { hasText: /^100\s*full jitter/ });
      assert.match((await row.innerText()).replaceAll(/\s+/g, ' '), new RegExp(`full jitter ${mean} `));
      assert.ok((await text(page, '.found')).includes(mean));
    });
  });
});
