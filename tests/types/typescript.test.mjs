// What users write, compiled against the built package by each TypeScript that is supported.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const js = fileURLToPath(new URL('../../js/', import.meta.url));
const { devDependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const compilers = Object.keys(devDependencies).filter((name) => name.startsWith('typescript-'));

/** As strict as a user can be, and nothing that 5.4 does not know. */
const OPTIONS = {
  target: 'ES2022',
  lib: ['ES2023', 'ESNext.Disposable', 'DOM', 'DOM.Iterable'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  skipLibCheck: false,
  noEmit: true,
};

/**
 * Every complaint about the package or about the code that uses it. Other packages' declarations
 * are looked at too, since `skipLibCheck` would hide ours with theirs; what they get wrong is theirs.
 */
async function complaints(compiler, module) {
  const folder = mkdtempSync(join(tmpdir(), 'retrywise-types-'));
  try {
    const config = join(folder, 'tsconfig.json');
    const compilerOptions = { ...OPTIONS, ...module, typeRoots: [join(js, 'node_modules/@types')] };
    // They lie in the package's folder, so its name leads to its own `exports`.
    writeFileSync(config, JSON.stringify({ compilerOptions, include: [join(js, 'test/types/*.ts')] }));
    const tsc = [join(here, 'node_modules', compiler, 'bin/tsc'), '--pretty', 'false', '-p', config];
    const told = await run(process.execPath, tsc, { cwd: js, maxBuffer: 1 << 26 }).catch((error) => error);
    assert.equal(told.stderr ?? '', '');
    const lines = told.stdout.split('\n').filter((line) => /^\S.*error TS\d+/.test(line));
    assert.ok(told.code === undefined || lines.length > 0, `the compiler broke: ${told.stdout}`);
    return lines.filter((line) => !/^(\.\.\/)*node_modules\//.test(line));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const NODE = { module: 'nodenext', moduleResolution: 'nodenext' };
const BUNDLER = { module: 'esnext', moduleResolution: 'bundler' };

test('the package is built', () => {
  assert.ok(existsSync(join(js, 'dist/node/index.d.ts')), 'cargo xtask build makes js/dist');
});

for (const [at, compiler] of compilers.entries()) {
  test(`${compiler} takes the package's types as Node finds them`, async () => {
    assert.deepEqual(await complaints(compiler, NODE), []);
  });
  // Bundlers find the same files by another road: the oldest and the newest compiler show it.
  if (at === 0 || at === compilers.length - 1) {
    test(`${compiler} takes the package's types as bundlers find them`, async () => {
      assert.deepEqual(await complaints(compiler, BUNDLER), []);
    });
  }
}
