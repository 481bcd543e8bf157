/** The page as a whole: its address, its visitors, its server. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import { settled, start, text } from './support.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let lab;
before(async () => {
  lab = await start();
});
after(() => lab.leave());

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

describe('the server', () => {
  it('evaluates no text, and nothing else is served', async () => {
    await lab.visit('#view=delays', {}, async (page) => {
      const refused = await page.evaluate(() => {
        const script = document.createElement('script');
        script.textContent = 'globalThis.wasRun = true';
        document.head.append(script);
        return globalThis.wasRun === undefined;
      });
      assert.ok(refused, 'the Content-Security-Policy holds');
      assert.match(lab.faults.splice(-1).join(), /Content Security Policy/, 'and the console says so');
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
