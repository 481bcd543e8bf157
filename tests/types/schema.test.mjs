// The JSON Schema that editors use, beside the core that decides what a policy is.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import Ajv2020 from 'ajv/dist/2020.js';

const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');
const schema = JSON.parse(read('../../js/schema/policy.schema.json'));
const holds = new Ajv2020({ strict: true, allErrors: true }).compile(schema);

/** Every policy document of the vectors, with what the core says of it. */
const documents = read('../vectors/policies.jsonl')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
  .flatMap(({ id, steps }) => steps.filter(({ op }) => op === 'policy').map((step) => ({ id, ...step })))
  .filter(({ document }) => typeof document === 'object' && document !== null);

/** What a schema cannot say, and so leaves to the core: what two fields say together … */
const TOGETHER = ['contradiction'];
/** … decimals beyond the last one, and fields of a kind that another layer may have stated. */
const BEYOND = [
  { backoff: { factor: 1.0001 } },
  { backoff: { jitterRatio: 0.00001 } },
  { budget: { ratio: 0.00001 } },
  { breaker: { failures: 3 } },
];

test('the schema is a valid one, without a keyword that a strict reader does not know', () => {
  assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema');
  assert.ok(documents.length > 500, `${documents.length} documents`);
});

test('the schema accepts every policy that the core accepts', () => {
  const valid = documents.filter(({ expect }) => expect.valid);
  const refused = valid.filter(({ document }) => !holds(document));
  assert.ok(valid.length > 100);
  assert.deepEqual(refused.map(({ id, document }) => [id, JSON.stringify(document)]), []);
});

test('the schema refuses what the core refuses, but for what no schema can say', () => {
  const invalid = documents.filter(
    ({ expect }) => !expect.valid && expect.issues.some(({ kind }) => !TOGETHER.includes(kind)),
  );
  const accepted = invalid.map(({ document }) => document).filter((document) => holds(document));
  assert.ok(invalid.length > 100);
  assert.deepEqual(accepted, BEYOND);
});
