// An edge runtime as Next has it.

import { api } from './api.mjs';
import { openLab } from './lab.mjs';
import { runSuite } from './suite.mjs';

addEventListener('fetch', (event) => {
	const door = new URL(event.request.url).searchParams.get('url');
	event.respondWith(runSuite(api, openLab(door)).then((found) => Response.json(found)));
});
