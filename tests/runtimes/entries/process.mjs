// Node, Deno, Bun: `process.mjs DOOR [nowasm] [undefined]`. The last line is what happened.

import { openLab } from './lab.mjs';
import { runSuite } from './suite.mjs';

const [door, ...words] = process.argv.slice(2);
if (words.includes('undefined')) {
	// Node's own fetch is made of WebAssembly: it takes its part before there is none any more.
	await fetch(door);
	delete globalThis.WebAssembly;
}
const { api } = await import(words.includes('nowasm') ? './api-nowasm.mjs' : './api.mjs');
console.log(JSON.stringify(await runSuite(api, openLab(door))));
