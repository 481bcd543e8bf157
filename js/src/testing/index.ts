/**
 * Proving what a retry policy does: a scripted faulty server on real sockets.
 *
 * @module
 */

export type { Resource } from './application.ts';
export {
	type Fault,
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
