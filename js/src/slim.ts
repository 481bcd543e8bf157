/**
 * The same without a module inside: give it one before the first use.
 *
 * @module
 */

export { initialize } from './entrypoints/slim.ts';
export * from './index.ts';
