/**
 * `retrywise/dispatch`: calls that wait for their turn, by priority and due time, so many at once,
 * and none while the upstream lets none through.
 *
 * @module
 */

export { createDispatcher } from './dispatcher.ts';
export {
	DispatcherClosed,
	DispatcherFull,
	isDispatcherClosed,
	isDispatcherFull,
} from './errors.ts';
export type * from './options.ts';
