// Installs the oracles, lets each answer in our vector format, replays the answers on the native
// core, and holds what differs against the table of known differences.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const top = join(here, '../..');
const out = join(top, 'target/differential');
const cargo = process.env.CARGO ?? 'cargo';
/** What the program in rust/ can be asked for. */
const RUST = ['backon', 'smithy', 'tower'];
const LIMIT = { timeout: 10 * 60_000, maxBuffer: 1 << 28, encoding: 'utf8' };

/** The Python of a virtual environment that holds exactly what requirements.txt says. */
function python() {
  const venv = join(out, 'venv');
  const bin = join(venv, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const wanted = readFileSync(join(here, 'requirements.txt'), 'utf8');
  const stamp = join(venv, 'installed.txt');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    const system = process.platform === 'win32' ? 'python' : 'python3';
    execFileSync(system, ['-m', 'venv', venv], LIMIT);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    execFileSync(bin, [...pip, '-r', join(here, 'requirements.txt')], LIMIT);
    writeFileSync(stamp, wanted);
  }
  return bin;
}

/** The program of the Rust oracles, built. */
function rust() {
  const manifest = ['--manifest-path', join(here, 'rust/Cargo.toml'), '--target-dir', join(out, 'rust')];
  execFileSync(cargo, ['build', '--quiet', '--locked', ...manifest], LIMIT);
  return join(out, 'rust/debug', process.platform === 'win32' ? 'retrywise-differential.exe' : 'retrywise-differential');
}

/** What each oracle answered, written to a file of its own. */
function answers() {
  const folder = join(here, 'oracles');
  const files = readdirSync(folder).sort().filter((name) => /\.(py|mjs)$/.test(name) && !name.startsWith('lines.'));
  const interpreter = python();
  const compiled = rust();
  const program = (name) => {
    if (name.endsWith('.py')) return [interpreter, join(folder, name)];
    return [process.execPath, join(folder, name)];
  };
  const programs = files.map((name) => [name, ...program(name)]);
  for (const name of RUST) programs.push([`${name}.rs`, compiled, name]);
  return programs.map(([name, command, argument]) => {
    const text = execFileSync(command, [argument], { ...LIMIT, cwd: folder });
    const file = join(out, name.replace(/\.\w+$/, '.jsonl'));
    writeFileSync(file, text);
    return { name, file, ids: text.trim().split('\n').map((line) => JSON.parse(line).id) };
  });
}

/** Every mismatch of a file: id → sentences. */
function replay(file) {
  const runner = ['run', '--quiet', '--package', 'retrywise-vectors', '--'];
  const done = spawnSync(cargo, [...runner, '--binding', 'native', file], { ...LIMIT, cwd: top });
  if (done.error !== undefined || (done.status !== 0 && done.status !== 1)) {
    throw new Error(`the vector runner broke: ${done.error ?? done.stderr}`);
  }
  const wrong = new Map();
  for (const line of done.stdout.split('\n').filter((text) => text.startsWith('FAIL '))) {
    const [, id, what] = /^FAIL native \S+ ([^\s:]+): (.*)$/.exec(line) ?? [null, '?', line];
    wrong.set(id, [...(wrong.get(id) ?? []), what]);
  }
  const counted = /(\d+) passed, (\d+) failed\s*$/.exec(done.stdout);
  return { wrong, total: counted === null ? 0 : Number(counted[1]) + Number(counted[2]) };
}

mkdirSync(out, { recursive: true });
// Each entry: `rows`, a pattern that whole ids match; `reason`, why both are right or ours is kept.
const known = JSON.parse(readFileSync(join(here, 'known.json'), 'utf8'));
const seen = new Map(known.map((entry) => [entry, 0]));
let passed = 0;
let failed = 0;
const fail = (text) => {
  failed += 1;
  console.log(`FAIL ${text}`);
};
for (const { name, file, ids } of answers()) {
  const { wrong, total } = replay(file);
  if (total !== ids.length || new Set(ids).size !== total) {
    fail(`${name}: ${ids.length} rows were written, ${total} replayed; ids have to be unique`);
  }
  let explained = 0;
  for (const id of ids) {
    const entry = known.find(({ rows }) => new RegExp(`^(?:${rows})$`).test(id));
    const sentences = wrong.get(id);
    if (sentences !== undefined && entry === undefined) {
      fail(`${id}: ${sentences.join('; ')}`);
    } else if (sentences === undefined && entry !== undefined) {
      fail(`${id}: known as different (${entry.reason}), but equal now: take it off the table`);
    } else {
      passed += 1;
      if (entry !== undefined) {
        explained += 1;
        seen.set(entry, seen.get(entry) + 1);
      }
    }
  }
  for (const id of wrong.keys()) {
    if (!ids.includes(id)) fail(`${name}: ${wrong.get(id).join('; ')}`);
  }
  console.log(`${name}: ${total} rows, ${explained} differ for a known reason`);
}
for (const [{ rows, reason }, count] of seen) {
  if (count === 0) fail(`no row matches ${rows} of the known differences`);
  else console.log(`  ${count} × ${rows}: ${reason}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
