// Cloudflare's workerd, through miniflare: the suite in a Worker whose WebAssembly is imported as a
// module, and a Durable Object that shares one upstream among requests.

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Miniflare } from 'miniflare';
import { withEsbuild } from '../harness/bundle.mjs';

const require = createRequire(import.meta.url);

/** Runs it all; workerd needs no network but loopback. */
export async function workerd({ project, lab, report, isWanted }) {
	const name = `workerd ${require('workerd/package.json').version}`;
	if (!isWanted(name)) {
		return;
	}
	let miniflare;
	try {
		await withEsbuild(project, 'worker', 'worker', {
			conditions: ['workerd', 'worker', 'browser'],
			external: ['cloudflare:workers'],
			// As Wrangler does: the file is put beside the script, and the import leads there.
			loader: { '.wasm': 'copy' },
			assetNames: '[name]',
		});
		carriesNothing(readFileSync(project.at('worker/worker.js'), 'utf8'));
		miniflare = new Miniflare({
			modulesRoot: project.at('worker'),
			modules: modulesIn(project.at('worker')),
			compatibilityDate: '2026-04-01',
			cf: false,
			durableObjects: { DEPENDENCY: { className: 'Dependency', useSQLite: true } },
		});
		const ask = async (path, url) => {
			const response = await miniflare.dispatchFetch(
				`http://worker${path}?url=${encodeURIComponent(url)}`,
			);
			return response.json();
		};
		report.add(`${name}, WebAssembly as a module`, await ask('/suite', lab.door));
		report.add(`${name}, shared`, { results: await shared(lab, ask) });
	} catch (error) {
		report.broke(name, error);
	} finally {
		// One that did not start says so once more.
		await miniflare?.dispose().catch(() => {});
	}
}

/** The script first, then what it imports. */
function modulesIn(folder) {
	const modules = readdirSync(folder)
		.filter((name) => name.endsWith('.wasm'))
		.map((name) => ({ type: 'CompiledWasm', path: join(folder, name) }));
	return [{ type: 'ESModule', path: join(folder, 'worker.js') }, ...modules];
}

function carriesNothing(code) {
	if (/AGFzbQEAAAA/.test(code)) {
		throw new Error('the Worker carries a module of its own inside its code');
	}
}

/** What the requests to a Worker share, and what they do not. */
async function shared(lab, ask) {
	const results = [];
	const test = async (name, run) => {
		try {
			await run();
			results.push({ area: 'shared', name, error: null });
		} catch (error) {
			results.push({ area: 'shared', name, error: String(error.stack) });
		}
	};
	const same = (found, wanted) => {
		if (JSON.stringify(found) !== JSON.stringify(wanted)) {
			throw new Error(`found ${JSON.stringify(found)}, wanted ${JSON.stringify(wanted)}`);
		}
	};
	await test('a fetch wrapped at the top level serves requests', async () => {
		const server = await lab.faulty('200');
		same(await ask('/alone', server.url), { status: 200 });
	});
	await test('a Durable Object shares one breaker among requests', async () => {
		const server = await lab.faulty('503');
		const seen = [];
		for (let request = 0; request < 5; request++) {
			seen.push((await ask('/shared', server.url)).status);
		}
		same(seen, [503, 503, 503, 'breaker-open', 'breaker-open']);
		same(server.requests.length, 3);
	});
	return results;
}
