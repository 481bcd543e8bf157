// A browser and the page, as `retrywise lab` serves it; everything that goes wrong on it is kept.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const MAIN = fileURLToPath(new URL('../../js/dist/cli/main.js', import.meta.url));
const ARGS = [
  '--disable-background-networking',
  '--no-first-run',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
];

/** What the command prints about the same parameters. */
export function simulate(...args) {
  const text = execFileSync(process.execPath, [MAIN, 'simulate', ...args, '--json'], {
    encoding: 'utf8',
    timeout: 60_000,
    maxBuffer: 1 << 26,
  });
  return JSON.parse(text);
}

/** Serves the page, starts the browser. */
export async function start() {
  const server = spawn(process.execPath, [MAIN, 'lab', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise((resolve, reject) => {
    server.once('exit', (code) => reject(new Error(`retrywise lab ended with ${code}`)));
    createInterface(server.stdout).once('line', (line) => resolve(JSON.parse(line).url));
  });
  const browser = await chromium.launch({ executablePath: program(), args: ARGS });
  return new Lab(server, browser, url);
}

class Lab {
  /** Messages of the consoles, errors of the pages, requests to elsewhere. */
  faults = [];
  #server;
  #browser;

  constructor(server, browser, url) {
    this.#server = server;
    this.#browser = browser;
    this.url = url;
  }

  /**
   * A page of its own at this address; `options` are those of a context of Playwright. The `script`
   * runs before the page's own, which the Content-Security-Policy would refuse as a part of it.
   */
  async open(hash = '', { script, ...options } = {}) {
    const context = await this.#browser.newContext({
      locale: 'en-GB',
      viewport: { width: 1280, height: 900 },
      ...options,
    });
    context.setDefaultTimeout(60_000);
    if (script !== undefined) {
      await context.addInitScript(script);
    }
    const page = await context.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) {
        this.faults.push(`console: ${message.text()}`);
      }
    });
    page.on('pageerror', (error) => this.faults.push(`error: ${error.message}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(this.url) && !request.url().startsWith('blob:')) {
        this.faults.push(`request to ${request.url()}`);
      }
    });
    page.on('response', (response) => {
      if (response.status() >= 400) {
        this.faults.push(`${response.status()} for ${response.url()}`);
      }
    });
    await page.goto(`${this.url}${hash}`);
    await page.waitForSelector('#view h1');
    return page;
  }

  /** Opens, waits for the end of what is computed, hands over, closes. */
  async visit(hash, options, look) {
    const page = await this.open(hash, options);
    try {
      await settled(page);
      await look(page);
    } finally {
      await page.context().close();
    }
  }

  /**
   * The end of a visit: no error in the console, nothing asked of anybody else, and a server that
   * ends well when somebody at a terminal ends it.
   */
  async leave() {
    await this.#browser.close();
    const ended = new Promise((resolve) => this.#server.once('exit', resolve));
    this.#server.kill('SIGTERM');
    assert.equal(await ended, 0, 'SIGTERM ends the server well');
    assert.deepEqual(this.faults, []);
  }
}

/** The text of the first element that matches. */
export const text = (page, selector) => page.locator(selector).first().innerText();

/** What the view shows is there. */
export async function settled(page) {
  await page.waitForFunction(
    () =>
      document.querySelector('.policies, .result table, .waterfall') !== null &&
      document.querySelector('.job[data-busy]') === null,
  );
}

/** `4.00×`, of thousandths. */
export const times = (thousandths) => `${(thousandths / 1000).toFixed(2)}×`;

function program() {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of names) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // The next one.
      }
    }
  }
  throw new Error(`none of ${names.join(', ')} is on the search path`);
}
