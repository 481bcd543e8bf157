// Node, Deno, Bun: `process.mjs DOOR`. The last line is what happened.

import { api } from './api.mjs';
import { openLab } from './lab.mjs';
import { runSuite } from './suite.mjs';

const [door] = process.argv.slice(2);
console.log(JSON.stringify(await runSuite(api, openLab(door))));
