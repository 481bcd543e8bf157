/**
 * Scenarios from files: checked, so that a slip of the pen is no expectation that never fails.
 *
 * @module
 */

import { PolicyError, RetrywiseError } from '../errors.ts';
import { validatePolicy } from '../policy.ts';
import type { Expectations, ScenarioFacts } from './scenario.ts';
import { Playbook } from './script.ts';

type Kind = (value: unknown) => boolean;

const isFlag: Kind = (value) => typeof value === 'boolean';
const isText: Kind = (value) => typeof value === 'string';
const isCount: Kind = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isObject: Kind = (value) =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
const isRange: Kind = (value) =>
	isCount(value) ||
	(isObject(value) &&
		Object.entries(value as object).every(
			([name, end]) => ['min', 'max'].includes(name) && isCount(end),
		));
const isLines: Kind = (value) =>
	isObject(value) && Object.values(value as object).every((line) => isText(line) || isFlag(line));

type Field = readonly [kind: Kind, allowed: string];
type Fields = Readonly<Record<string, Field>>;

const WHOLE = 'a whole number from 0 on';
const FLAG = 'true or false';

const FACTS: Fields = {
	name: [isText, 'a text'],
	script: [() => true, 'a script'],
	policy: [isObject, 'a policy'],
	server: [isObject, 'an object'],
	expect: [isObject, 'an object'],
	timeoutMs: [isCount, WHOLE],
	toleranceMs: [isCount, WHOLE],
} satisfies Record<keyof ScenarioFacts, Field>;

const SERVER: Fields = {
	keyHeader: [isText, 'a text'],
	honoursKeys: [isFlag, FLAG],
	protocol: [(value) => value === 'http1' || value === 'http2', '"http1" or "http2"'],
} satisfies Record<keyof NonNullable<ScenarioFacts['server']>, Field>;

const EXPECT: Fields = {
	succeeds: [isFlag, FLAG],
	sameKey: [isFlag, FLAG],
	withinEnvelope: [isFlag, FLAG],
	attempts: [isRange, `${WHOLE}, or an object with min and max`],
	resources: [isCount, WHOLE],
	status: [isCount, 'a status'],
	headers: [isLines, 'texts, true or false by header names'],
} satisfies Record<keyof Expectations, Field>;

/**
 * A scenario from a JSON value; `where` names it in messages.
 *
 * @throws RetrywiseError that says where it is wrong; PolicyError; ScriptError
 */
export function scenarioFacts(value: unknown, where: string): ScenarioFacts {
	check(value, FACTS, where);
	const facts = value as unknown as ScenarioFacts;
	if (facts.script === undefined) {
		throw new RetrywiseError(`${where}.script is missing`);
	}
	if (facts.server !== undefined) {
		check(facts.server, SERVER, `${where}.server`);
	}
	if (facts.expect !== undefined) {
		check(facts.expect, EXPECT, `${where}.expect`);
	}
	if (facts.expect?.withinEnvelope === true && facts.policy === undefined) {
		throw new RetrywiseError(`${where}.expect.withinEnvelope needs a policy`);
	}
	const issues = facts.policy === undefined ? [] : validatePolicy(facts.policy);
	if (issues.length > 0) {
		throw new PolicyError(issues);
	}
	new Playbook(facts.script, facts.server?.protocol);
	return facts;
}

function check(value: unknown, fields: Fields, where: string): void {
	if (!isObject(value)) {
		throw new RetrywiseError(`${where} must be an object`);
	}
	for (const [name, given] of Object.entries(value as object)) {
		const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
		if (field === undefined) {
			const known = Object.keys(fields).join(', ');
			throw new RetrywiseError(`${where} has no field ${JSON.stringify(name)} (known: ${known})`);
		}
		if (!field[0](given)) {
			throw new RetrywiseError(`${where}.${name} must be ${field[1]}`);
		}
	}
}
