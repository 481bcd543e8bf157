// Loads jco's output where there is nothing of Node: a realm with the language, WebAssembly and the
// text coders, as every browser has them. An import of any module fails.
// `node --experimental-vm-modules browser.mjs`; RETRYWISE_JCO names the folder with jco's output.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import vm from 'node:vm';

const folder = process.env.RETRYWISE_JCO;
const context = vm.createContext({ TextDecoder, TextEncoder });
const source = readFileSync(`${folder}/retrywise.js`, 'utf8');
const module = new vm.SourceTextModule(source, { context, identifier: 'retrywise.js' });
await module.link((specifier) => {
	throw new Error(`it imports ${specifier}`);
});
await module.evaluate();
assert.equal(vm.runInContext('typeof process + typeof require + typeof Buffer', context), 'undefined'.repeat(3));

const { Module } = vm.runInContext('WebAssembly', context);
const compile = (name) => new Module(readFileSync(`${folder}/${name}`));
const { policy, upstream } = await module.namespace.instantiate(compile, {});
const one = new upstream.Upstream(policy.Policy.parse('{"backoff":{"jitter":"none"}}'), 7n);
const request = { method: 'GET', headers: [], replayableBody: true, priority: 0, nested: false };
const call = one.begin(request, 0n, undefined);
const response = { status: 503, headers: [], body: {} };
const verdict = call.settle({ response, errors: [], committed: false }, 10n, undefined);
assert.deepEqual([verdict.tag, verdict.val.delay, verdict.val.facts.reason.name], ['retry', 500n, 'backoff']);
console.log('it loads and decides without an API of Node');
