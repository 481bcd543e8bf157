// jco's output in Node. RETRYWISE_JCO names its folder.

import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

const folder = pathToFileURL(`${process.env.RETRYWISE_JCO}/`);
const { instantiate } = await import(new URL('retrywise.js', folder));

/** The component's interfaces, by their names. */
export const component = await instantiate(
	async (name) => WebAssembly.compile(await readFile(new URL(name, folder))),
	{},
);
