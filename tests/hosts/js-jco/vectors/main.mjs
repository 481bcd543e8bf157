// Answers the vector runner, a line of JSON with a line of JSON, through the component as jco
// transpiles it. It converts names and holds no rule; comparing is the runner's.

import { createInterface } from 'node:readline';
import { Refused } from './documents.mjs';
import { signal } from './signal.mjs';
import { World } from './world.mjs';

/** The machines of `tests/vectors/src/op.rs` that cross this boundary. */
const machines = ['delay', 'engine', 'ledger', 'policy', 'queue', 'state'];

let world;

const ops = {
	hello: () => ({ machines, views: true, isolates: true }),
	signal: ({ input, wall }) => ({ answers: signal(input, wall) }),
	open({ policy, seed }) {
		world?.end();
		world = new World(policy, BigInt(seed));
		return {};
	},
	step: ({ step, at, wall, rng }) => world.step(step, at, wall, rng),
};

for await (const line of createInterface({ input: process.stdin })) {
	let answer;
	try {
		const question = JSON.parse(line);
		answer = ops[question.op](question);
	} catch (error) {
		answer = { refused: error instanceof Refused ? error.message : `it threw ${error.stack}` };
	}
	console.log(JSON.stringify(answer));
}
