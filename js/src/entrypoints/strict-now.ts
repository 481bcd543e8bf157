/** Where the module is a file of its own, or the caller brings it: strict mode is at hand. */
export { strict } from '../axios/strict.ts';
