/**
 * Proving what a retry policy does: a scripted faulty server on real sockets, a clock that a test
 * moves, and scenarios with expectations.
 *
 * @module
 */

export type { Resource } from './application.ts';
export { type VirtualClock, type VirtualClockOptions, virtualClock } from './clock.ts';
export { scenarioFacts } from './facts.ts';
export type { Check, JudgedCall, JudgedWait, Report } from './judge.ts';
export { type Bounds, type Envelope, envelopeOf, type FailedAttempt } from './questions.ts';
export { recordTrace, type Trace, type TraceStep } from './recorder.ts';
export { formatReport, type Paint } from './report.ts';
export {
	type Expectations,
	playScenario,
	runScenario,
	type Scenario,
	type ScenarioContext,
	type ScenarioFacts,
	ScenarioFailed,
	type ScenarioRequest,
} from './scenario.ts';
export {
	type Fault,
	type Protocol,
	type Script,
	ScriptError,
	type ScriptSet,
	type Sequence,
	type Step,
} from './script.ts';
export {
	type FaultyServer,
	type FaultyServerOptions,
	type LoggedRequest,
	startFaultyServer,
} from './server.ts';
