/**
 * The package as this tree has built it: for every runtime the same files, whatever condition of the
 * package it would choose, so that one program has one copy.
 *
 * @module
 */

const built = (name) => import(new URL(`../../../../js/dist/node/${name}.js`, import.meta.url));

export const { createUpstream, retry } = await built('index');
export const { attach } = await built('axios');
export const { withRetry } = await built('fetch');
export const { delaysOf } = await built('internal');

/** A clock that stands: reading the host's is not what is compared. */
export const clock = { now: () => 0, wall: () => 1_768_478_400_000 };
