/**
 * The words of the package. Durations end in `Ms` and are whole milliseconds.
 *
 * @module
 */

export type { Breaker, Budget, Policy } from './policy-document.ts';
export type * from './types/call.ts';
export type * from './types/classify.ts';
export type * from './types/outcome.ts';
export type * from './types/upstream.ts';
export type * from './types/verdict.ts';
export type * from './types/words.ts';
