/**
 * `retrywise lab`: the lab page, from this machine to this machine.
 *
 * @module
 */

import { createReadStream, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exit, type Output, UsageError } from './output.ts';

/** The page is for whoever sits here. */
const HOST = '127.0.0.1';

const TYPES: Readonly<Record<string, string>> = {
	'.css': 'text/css; charset=utf-8',
	'.html': 'text/html; charset=utf-8',
	'.js': 'text/javascript; charset=utf-8',
	'.md': 'text/plain; charset=utf-8',
	'.svg': 'image/svg+xml',
	'.wasm': 'application/wasm',
};

/** Serves until the process is asked to end (SIGINT, SIGTERM), or `stop` is aborted. */
export async function lab(
	options: { readonly port: number; readonly json?: boolean; readonly stop?: AbortSignal },
	output: Output,
): Promise<number> {
	const files = pages(fileURLToPath(new URL('../../lab/dist/', import.meta.url)));
	const server = createServer((request, response) => {
		const { pathname } = new URL(request.url ?? '/', `http://${HOST}`);
		const file = files.get(pathname);
		if (file === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) {
			response.writeHead(file === undefined ? 404 : 405, { 'content-type': 'text/plain' });
			response.end(file === undefined ? 'not found\n' : 'GET and HEAD only\n');
			return;
		}
		response.writeHead(200, {
			'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
			'cache-control': 'no-cache',
			'x-content-type-options': 'nosniff',
		});
		if (request.method === 'HEAD') {
			response.end();
			return;
		}
		createReadStream(file)
			.on('error', () => response.destroy())
			.pipe(response);
	});
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(options.port, HOST, resolve);
	});
	const { port } = server.address() as AddressInfo;
	const url = `http://${HOST}:${port}/`;
	output.out(options.json ? `${JSON.stringify({ url })}\n` : `${url}\n`);
	await new Promise<void>((resolve) => {
		for (const signal of ['SIGINT', 'SIGTERM'] as const) {
			process.once(signal, () => resolve());
		}
		options.stop?.addEventListener('abort', () => resolve(), { once: true });
	});
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
	return exit.ok;
}

/** Every file by the path that asks for it: nothing else can be asked for. */
function pages(folder: string): ReadonlyMap<string, string> {
	const found = new Map<string, string>();
	try {
		for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
			if (entry.isFile()) {
				const file = join(entry.parentPath ?? entry.path, entry.name);
				found.set(`/${relative(folder, file).split(sep).join('/')}`, file);
			}
		}
	} catch {
		// Said below.
	}
	const start = found.get('/index.html');
	if (start === undefined) {
		throw new UsageError('the lab page was not built: cargo xtask build');
	}
	return found.set('/', start);
}
