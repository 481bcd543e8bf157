// What somebody reads who has never seen the page: nothing untrue, nothing by halves, and what is wrong
// is said where it stands.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { settled, simulate, start, text, times } from './support.mjs';

let lab;
before(async () => {
  lab = await start();
});
after(() => lab.leave());

const policy = (document) => `policy=${encodeURIComponent(JSON.stringify(document))}`;
const narrow = { viewport: { width: 390, height: 800 } };

describe('the two cards', () => {
  it('show the same two measures, each with its unit', async () => {
    await lab.visit('', {}, async (page) => {
      for (const side of ['hot', 'cool']) {
        const units = await page.locator(`.side-${side} .headline > span`).allInnerTexts();
        assert.deepEqual(units, ['the usual load in the worst second', 'the usual load in the worst 10 s']);
      }
      assert.match(await text(page, '.side-hot .beside'), /^No retry budget bounds/);
      assert.match(await text(page, '.side-cool .beside'), /allows 1\.11× in any 10 s\. A single second may be above/);
    });
  });

  it('name the budget that stands, also where no retry drew on it', async () => {
    await lab.visit('#right=hint&left=breaker', {}, async (page) => {
      const { hint } = simulate('storm');
      assert.equal(hint.window, 1000);
      assert.match(await text(page, '.side-cool .beside'), /^Its budget allows 1\.11× in any 10 s\.$/);
      const row = await page.locator('.policies tr:has([data-policy="hint"]) td').allInnerTexts();
      assert.deepEqual(row.slice(0, 3), ['1.00×', '1.00×', times(hint.bound)]);
    });
    await lab.visit('#seconds=5', {}, async (page) => {
      assert.match(await text(page, '.side-cool .beside'), /^Its budget allows 1\.12× in any 10 s\.$/);
    });
    const tokens = policy({ budget: { kind: 'tokens' } });
    await lab.visit(`#seconds=5&right=yours&${tokens}`, {}, async (page) => {
      assert.match(await text(page, '.side-cool .beside'), /^Its budget \(tokens\) bounds the retries/);
    });
  });

  it('say of each policy how often it tries, and measure a longer window as what it is', async () => {
    const mine = policy({ maxRetries: 1, breaker: null, budget: { windowMs: 20000 } });
    await lab.visit(`#right=yours&${mine}`, {}, async (page) => {
      assert.match(await text(page, '.side-hot .adds'), /again at once\ntries 3 more times at most/);
      assert.match(await text(page, '.side-cool .adds'), /\ntries 1 more time at most$/);
      assert.match(await text(page, '.side-cool .headline + .headline'), /in the worst 20 s/);
      assert.match(await text(page, '[data-policy=yours] >> xpath=../../td[2]'), /in 20 s/);
      assert.doesNotMatch(await text(page, '.lead'), /every client/);
    });
  });

  it('say only what the figures show about the breaker', async () => {
    await lab.visit('', {}, async (page) => {
      const cells = async (row) =>
        (await page.locator(`.breakers tbody tr >> nth=${row} >> td`).allInnerTexts());
      const [load, , recovery] = await cells(0);
      const all = await page.locator('.breakers tbody tr').all();
      const [shorterLoad, , shorter] = await all[2].locator('td').allInnerTexts();
      assert.equal(shorter, 'none failed after it');
      const said = await text(page, '.measure');
      for (const figure of [load, recovery, shorterLoad, shorter]) {
        assert.ok(said.includes(figure), `${figure} in: ${said}`);
      }
      assert.doesNotMatch(said, /price/);
    });
  });
});

describe('the outage', () => {
  it('is told as long as it is inside the storm', async () => {
    await lab.visit('#seconds=12', {}, async (page) => {
      assert.match(await text(page, '.lead'), /503 for 5 s, of which 2 s lie before the end at 12 s/);
    });
    await lab.visit('#seconds=8&rate=1', {}, async (page) => {
      assert.match(await text(page, '.lead'), /^1 call a second reaches .* It never fails here/);
    });
  });
});

describe('a field of the storm', () => {
  it('shows its limits, refuses what is beyond them in its place, and changes nothing', async () => {
    await lab.visit('', {}, async (page) => {
      await page.locator('summary', { hasText: 'Change the storm' }).click();
      const field = page.locator('input[name=seconds]');
      const limits = page.locator('#limits-seconds');
      assert.equal(await limits.innerText(), '1 to 600');
      for (const wrong of ['100000', '-5', '1.5', '']) {
        await field.fill(wrong);
        await field.press('Tab');
        assert.equal(await field.inputValue(), wrong);
        assert.equal(await field.getAttribute('aria-invalid'), 'true');
        assert.match(await limits.innerText(), /from 1 to 600; the storm stays/);
        assert.doesNotMatch(page.url(), /seconds/);
      }
      await field.fill('20');
      assert.equal(await limits.innerText(), '1 to 600');
      await field.press('Tab');
      await page.waitForFunction(() => location.hash.includes('seconds=20'));
    });
  });

  it('is said when an address asks for what is not possible', async () => {
    await lab.visit('#rate=-1&seconds=601', {}, async (page) => {
      const said = await text(page, '.refusals');
      assert.match(said, /rate=-1 \(a whole number from 1 to 100,000\)[^]*seconds=601 .*to 600/);
      assert.equal(await page.inputValue('input[name=seconds]'), '60');
    });
  });
});

describe('a policy that is not valid', () => {
  it('is said at the top, in its card and in its row, with no figure of zero', async () => {
    await lab.visit(`#right=yours&policy=${encodeURIComponent('{ "maxRetries": -1 }')}`, {}, async (page) => {
      assert.match(await text(page, '.storm > .invalid'), /not valid yet/);
      const card = await text(page, '.side-cool');
      assert.match(card, /not valid yet/);
      assert.doesNotMatch(card, /sent 0/);
      const row = page.locator('.policies tr:has([data-policy=yours])');
      assert.match(await row.innerText(), /not computed/);
      await page.locator('.storm > .invalid a').click();
      assert.equal(await page.evaluate(() => document.activeElement.id), 'policy');
      await page.fill('#policy', '{ "maxRetries": 1 }');
      await page.locator('.side-cool .huge').first().waitFor();
      assert.equal(await text(page, '.storm > .invalid'), '');
    });
  });

  it('lists its issues in the order of its lines', async () => {
    await lab.visit('#view=delays', {}, async (page) => {
      await page.fill('#policy', '{\n  "tea": 1,\n  "maxRetries": -1,\n  "sugar": 2\n}');
      await page.locator('.issues li').nth(2).waitFor();
      const places = await page.locator('.issues .place').allInnerTexts();
      assert.deepEqual(places, [2, 3, 4].map((line) => `line ${line}, column 3`));
    });
  });
});

describe('the editor', () => {
  it('tells what a field means and what the whole policy is, and names the preset that stands there', async () => {
    await lab.visit('#view=delays', {}, async (page) => {
      const menu = page.locator('select[name=preset]');
      await menu.selectOption({ label: 'interactive' });
      await page.locator('.valid').waitFor();
      assert.equal(await menu.locator('option:checked').innerText(), 'interactive');
      await page.locator('.effective pre', { hasText: '"deadlineMs": 3000' }).waitFor({ state: 'attached' });
      await page.locator('.effective summary').click();
      const whole = JSON.parse(await text(page, '.effective pre'));
      assert.equal(whole.maxRetries, 2);
      assert.equal(whole.breaker.openMs, 5000);
      await page.fill('#policy', '{ "backoff": { "factor": 3 } }');
      assert.equal(await menu.inputValue(), '');
      await page.locator('#policy').evaluate((area) => area.setSelectionRange(18, 18));
      await page.locator('#policy').press('ArrowRight');
      assert.match(await text(page, '.help'), /How many times longer each wait/);
    });
  });

  it('remarks where a budget doubles the calls', async () => {
    await lab.visit(`#view=delays&${policy({ budget: { ratio: 7 } })}`, {}, async (page) => {
      assert.match(await text(page, '.allowed.warn'), /allows 8\.01× the calls in any 10 s.*protects nobody/);
      await page.fill('#policy', '{}');
      await page.locator('.allowed:not(.warn)', { hasText: '1.11×' }).waitFor();
    });
  });
});

describe('one call', () => {
  it('keeps a bad script apart from the last good one, and lists all that is wrong with it', async () => {
    await lab.visit('#view=call', {}, async (page) => {
      await page.fill('input[name=script]', '503,,banana');
      await page.locator('#script-problem', { hasText: 'banana' }).waitFor();
      const said = await text(page, '#script-problem');
      assert.match(said, /step 2: an empty step[^]*step 3: "banana"/);
      assert.equal(await page.getAttribute('input[name=script]', 'aria-invalid'), 'true');
      assert.ok(await page.locator('.result.stale').count());
      await page.fill('input[name=script]', '200');
      await page.locator('.result:not(.stale)').waitFor();
      assert.equal(await page.getAttribute('input[name=script]', 'aria-invalid'), 'false');
    });
  });

  it('numbers the steps of a decision one by one and says in words what they rest on', async () => {
    await lab.visit('#view=call', {}, async (page) => {
      await page.locator('.how summary').first().click();
      const steps = page.locator('.how').first().locator('li');
      const numbers = await steps.evaluateAll((items) => items.map((item) => item.value));
      assert.deepEqual(numbers, Array.from({ length: 14 }, (_, index) => index + 1));
      const all = await page.locator('.how').first().innerText();
      assert.match(all, /left in it: 10/);
      assert.doesNotMatch(all, /Thousandths|basis none|signal status/);
    });
  });

  it('points to the field that says the server honours keys', async () => {
    await lab.visit('#view=call&method=POST&key=abc', {}, async (page) => {
      assert.match(await text(page, '.pointer'), /"idempotency": \{ "honoured": true \}/);
      await page.fill('#policy', '{ "idempotency": { "honoured": true } }');
      await page.locator('[data-reason=backoff]').first().waitFor();
      assert.equal(await page.locator('.pointer').count(), 0);
    });
  });

  it('has a legend and a scale for its bars', async () => {
    await lab.visit('#view=call', {}, async (page) => {
      assert.match(await text(page, '.scale .legend'), /went well[^]*failed[^]*wait/);
      assert.match(await text(page, '.axis'), /^0 ms/);
    });
  });
});

describe('what came of a button', () => {
  it('is said beside it', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    await lab.visit('', { permissions }, async (page) => {
      await page.click('button[name=share]');
      const said = page.locator('.share .said', { hasText: 'copied' });
      await said.waitFor();
      const [button, box] = [await page.locator('button[name=share]').boundingBox(), await said.boundingBox()];
      assert.ok(box.y - (button.y + button.height) < 20, 'right under the button');
    });
  });

  it('is told as it is when the first computation is cancelled, and can be computed again', async () => {
    const page = await lab.open('#view=aws&runs=1000');
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.match(await text(page, '.job .said'), /not everything is computed/);
    assert.equal(await page.locator('.result > *').count(), 0);
    await page.selectOption('select[name=runs]', '5');
    await settled(page);
    await page.locator('.job .said', { hasText: 'Done.' }).waitFor();
    await page.context().close();
  });
});

describe('a narrow screen', () => {
  it('has room for the slider, shows worst second and window first, and says that a table goes on', async () => {
    await lab.visit('', narrow, async (page) => {
      const slider = await page.locator('.transport input').boundingBox();
      assert.ok(slider.width > 250, `${slider.width} px`);
      const window = await page.locator('.policies tbody tr:first-child td >> nth=1').boundingBox();
      assert.ok(window.x + window.width <= 390, `ends at ${window.x + window.width} px`);
      assert.ok(await page.locator('.policies .more').isVisible());
      assert.equal(await page.getAttribute('.policies .scroll', 'tabindex'), '0');
    });
  });

  it('makes no stop of the keyboard of a table that has room', async () => {
    await lab.visit('#view=delays', {}, async (page) => {
      assert.equal(await page.getAttribute('.result .scroll', 'tabindex'), null);
      assert.ok(await page.locator('.result .more').isHidden());
    });
  });
});

describe('charts', () => {
  it('say the values under the pointer', async () => {
    await lab.visit('', {}, async (page) => {
      const plot = await page.locator('.side-hot .u-over').boundingBox();
      const length = simulate('storm').naive.seconds.sent.findLastIndex((n) => n > 0) + 1;
      await page.mouse.move(plot.x + (plot.width * 12) / (length - 1), plot.y + 40);
      await page.locator('.side-hot .legend.pointed').waitFor();
      const legend = (await text(page, '.side-hot .legend')).replaceAll(/\s+/g, ' ');
      assert.match(legend, /attempts sent 4,000 calls 1,000 .*seconds 12/);
    });
  });
});

describe('Arabic', () => {
  it('leaves no English in its own words, and marks what the core says in English', async () => {
    await lab.visit('#lang=ar&view=delays', {}, async (page) => {
      await page.locator('#policy').evaluate((area) => area.setSelectionRange(0, 0));
      await page.locator('#policy').press('Home');
      assert.match(await text(page, '.help'), /هي السياسة القياسية/);
      assert.match(await text(page, '.result tbody td'), /^500 ملّي ث$/);
      await page.fill('#policy', '{ "maxRetries": -1 }');
      const issue = page.locator('.issues li [lang=en]');
      await issue.waitFor();
      assert.equal(await issue.getAttribute('dir'), 'ltr');
      const stray = await page.evaluate(() => {
        const found = [];
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
          const inside = node.parentElement.closest('[lang=en], [dir=ltr], textarea, option, code, script');
          if (inside === null && /[A-Za-z]{5,}/.test(node.data)) {
            found.push(node.data);
          }
        }
        return found;
      });
      assert.deepEqual(stray, []);
    });
  });
});

describe('the link to the content', () => {
  it('moves nothing when it is reached', async () => {
    await lab.visit('', {}, async (page) => {
      const top = () => page.locator('.brand').boundingBox();
      const before = await top();
      await page.keyboard.press('Tab');
      assert.deepEqual(await top(), before);
    });
  });
});
