import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import { settled, simulate, start } from './support.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let lab;
before(async () => {
  lab = await start();
});
after(async () => {
  assert.equal(await lab.stop(), 0, 'SIGTERM ends the server well');
});

const text = (page, selector) => page.locator(selector).first().innerText();
const times = (thousandths) => `${(thousandths / 1000).toFixed(2)}×`;

describe('the storm', () => {
  it('is what the page opens with, naive and budget side by side, in figures that the command prints', async () => {
    const reports = simulate('storm');
    await lab.visit('', {}, async (page) => {
      assert.equal(await text(page, '.side-hot .huge'), times(reports.naive.peak));
      assert.equal(await text(page, '.side-hot .huge'), '4.00×');
      assert.equal(await text(page, '.side-cool .huge'), times(reports.budget.window));
      const found = await text(page, '.found');
      for (const figure of [reports.naive.peak, reports.budget.window, reports.budget.peak]) {
        assert.ok(found.includes(times(figure)), `${times(figure)} in: ${found}`);
      }
      for (const [name, report] of Object.entries(reports)) {
        const row = page.locator(`.policies tr:has([data-policy="${name}"]) td`);
        const cells = await row.allInnerTexts();
        assert.equal(cells[1], report.attempts.toLocaleString('en'), name);
        assert.equal(cells[2], times(report.peak), name);
        assert.equal(cells[4], report.bound === null ? '–' : times(report.bound), name);
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
      const rows = page.locator('h2 ~ .scroll:last-of-type tbody tr');
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
      await page.locator('.job').waitFor({ state: 'hidden' });
      assert.match(await text(page, '#status'), /Cancelled/);
      assert.equal(await text(page, '.side-hot .huge'), '4.00×');
      await page.locator('input[name=seconds]').fill('20');
      await rate.fill('2000');
      await rate.press('Tab');
      await page.waitForFunction(() => document.querySelector('#status').textContent === 'Done.');
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
      assert.match(rows[3].replaceAll(/\s+/g, ' '), /^4 800 ms 800 ms 800 ms 800 ms 1\.5 s 100\.0%/);
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

describe('the address', () => {
  it('holds all that is seen: whoever opens it sees the same', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const first = await lab.open('', { permissions });
    await first.click('nav a:has-text("One call")');
    await first.fill('#policy', '{ "extends": "payments", "maxRetries": 2 }');
    await first.fill('input[name=script]', '503,reset,201');
    await first.selectOption('select[name=method]', 'POST');
    await first.fill('input[name=key]', 'order-7');
    await first.click('button[name=lang]');
    await first.locator('html[dir=rtl]').waitFor();
    await first.click('button[name=share]');
    const shared = await first.evaluate(() => navigator.clipboard.readText());
    await settled(first);
    const seen = await text(first, '.result');
    await first.context().close();
    await lab.visit(new URL(shared).hash, {}, async (page) => {
      assert.equal(await text(page, '.result'), seen);
      assert.equal(await page.getAttribute('html', 'dir'), 'rtl');
      assert.equal(await page.inputValue('#policy'), '{ "extends": "payments", "maxRetries": 2 }');
      assert.equal(await page.inputValue('input[name=key]'), 'order-7');
      await page.goBack();
    });
  });

  it('whatever it says, the page opens', async () => {
    const odd = '#view=tea&rate=-1&seconds=99999999999&at=x&left=nobody&class=%00&policy=%7B&lang=xx';
    const page = await lab.open(odd);
    await page.locator('.invalid').first().waitFor();
    assert.equal(await page.inputValue('input[name=rate]'), '1000');
    await page.context().close();
  });

  it('goes back and forth with the browser', async () => {
    await lab.visit('', {}, async (page) => {
      await page.click('nav a:has-text("Delays")');
      await page.locator('main[data-view=delays] h1').waitFor();
      await page.goBack();
      await page.locator('main[data-view=storm] h1').waitFor();
      await settled(page);
    });
  });
});

describe('everybody', () => {
  it('gets through by keyboard alone', async () => {
    await lab.visit('', {}, async (page) => {
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
      await page.keyboard.press('Enter');
      assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H1');
      const reach = async (selector) => {
        for (let presses = 0; presses < 40; presses++) {
          await page.keyboard.press('Tab');
          if (await page.evaluate((wanted) => document.activeElement.matches(wanted), selector)) {
            return;
          }
        }
        assert.fail(`${selector} is not reached by Tab`);
      };
      await reach('.play');
      await page.keyboard.press('Space');
      assert.match(await text(page, '.play'), /Pause|Play again/);
      if ((await text(page, '.play')) === 'Pause') {
        await page.keyboard.press('Space');
      }
      await reach('.transport input');
      await page.keyboard.press('Home');
      assert.equal(await text(page, '.clock'), 'second 0');
      await page.keyboard.press('ArrowRight');
      assert.equal(await text(page, '.clock'), 'second 1');
      await reach('#policy');
      await page.locator('nav a').nth(1).focus();
      await page.keyboard.press('Enter');
      await page.locator('main[data-view=delays] h1').waitFor();
      assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-current')), 'page');
    });
  });

  it('reads it from right to left in Arabic, the reasons as well', async () => {
    await lab.visit('#view=call&lang=ar', {}, async (page) => {
      assert.equal(await page.getAttribute('html', 'lang'), 'ar');
      assert.match(await text(page, 'h1'), /\p{Script=Arabic}/u);
      assert.match(await text(page, '[data-reason=ok] .why'), /^نجحت المحاولة 3/);
      const box = (selector) => page.locator(selector).boundingBox();
      const [brand, tools] = [await box('.brand'), await box('header .tools')];
      assert.ok(brand.x > tools.x, 'the name stands on the right');
    });
  });

  it('sees it on a narrow screen without moving it sideways', async () => {
    for (const lang of ['en', 'ar']) {
      const narrow = { viewport: { width: 390, height: 800 } };
      await lab.visit(`#view=call&runs=1&lang=${lang}`, narrow, async (page) => {
        for await (const view of everyView(page)) {
          const [wide, screen] = await page.evaluate(() => [
            document.documentElement.scrollWidth,
            document.documentElement.clientWidth,
          ]);
          assert.ok(wide <= screen, `${lang}, ${view}: ${wide} of ${screen}`);
        }
      });
    }
  });

  it('who wants no motion gets whole seconds', async () => {
    await lab.visit('#seconds=20&at=17', { reducedMotion: 'reduce' }, async (page) => {
      await page.click('.play');
      await page.getByRole('button', { name: 'Play again' }).waitFor();
    });
  });

  for (const [name, hash, options] of [
    ['light', '', {}],
    ['dark', '', { colorScheme: 'dark' }],
    ['Arabic', 'lang=ar', {}],
  ]) {
    it(`finds nothing in the way: axe, ${name}`, async () => {
      await lab.visit(`#view=call&runs=1&${hash}`, { ...options, script: axe }, async (page) => {
        const dark = (await page.getAttribute('html', 'data-theme')) === 'dark';
        assert.equal(dark, options.colorScheme === 'dark');
        for await (const view of everyView(page)) {
          const { violations, passes } = await page.evaluate(async () => {
            const found = await globalThis.axe.run();
            return { violations: found.violations, passes: found.passes.length };
          });
          assert.deepEqual(
            violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 120))]),
            [],
            view,
          );
          assert.ok(passes > 20, `only ${passes} rules looked at ${view}`);
        }
      });
    });
  }

  it('a choice of colours holds over the next visit', async () => {
    await lab.visit('#view=delays', {}, async (page) => {
      await page.selectOption('select[name=theme]', 'dark');
      await page.reload();
      await page.waitForSelector('#view h1');
      assert.equal(await page.getAttribute('html', 'data-theme'), 'dark');
    });
  });
});

describe('the whole visit', () => {
  it('left no error in the console, asked nobody else, and evaluated no text', async () => {
    assert.deepEqual(lab.faults, []);
    await lab.visit('#view=delays', {}, async (page) => {
      const refused = await page.evaluate(() => {
        const script = document.createElement('script');
        script.textContent = 'globalThis.wasRun = true';
        document.head.append(script);
        return globalThis.wasRun === undefined;
      });
      assert.ok(refused, 'the Content-Security-Policy holds');
    });
    const notFound = await fetch(new URL('/../package.json', lab.url));
    assert.equal(notFound.status, 404);
    assert.equal((await fetch(lab.url, { method: 'POST' })).status, 405);
  });
});

/** Goes through the views by their links, and stays at each until it is looked at. */
async function* everyView(page) {
  for (let index = 0; index < 4; index++) {
    const link = page.locator('nav a').nth(index);
    const view = new URLSearchParams((await link.getAttribute('href')).slice(1)).get('view') ?? 'storm';
    await link.click();
    await page.locator(`main[data-view=${view}] h1`).waitFor();
    await settled(page);
    yield view;
  }
}
