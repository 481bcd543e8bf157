/**
 * `retrywise serve`: the scripted faulty server, for clients in any language.
 *
 * @module
 */

import { existsSync } from 'node:fs';
import { type Script, startFaultyServer } from '../testing/index.ts';
import { read } from './files.ts';
import { exit, type Output, UsageError } from './output.ts';

/** Serves until the process is asked to end (SIGINT, SIGTERM), or `stop` is aborted. */
export async function serve(
	options: {
		readonly script: string;
		readonly port: number;
		readonly host: string;
		readonly http2?: boolean;
		readonly json?: boolean;
		readonly stop?: AbortSignal;
	},
	output: Output,
): Promise<number> {
	const { port, host } = options;
	const script = scriptOf(options.script);
	const protocol = options.http2 ? 'http2' : 'http1';
	const server = await startFaultyServer({ script, port, host, protocol });
	output.out(options.json ? `${JSON.stringify({ url: server.url })}\n` : `${server.url}\n`);
	await new Promise<void>((resolve) => {
		for (const signal of ['SIGINT', 'SIGTERM'] as const) {
			process.once(signal, () => resolve());
		}
		options.stop?.addEventListener('abort', () => resolve(), { once: true });
	});
	await server.close();
	return exit.ok;
}

/** A file of JSON, or the short form itself. */
function scriptOf(text: string): Script {
	if (!existsSync(text)) {
		return text;
	}
	try {
		return JSON.parse(read(text)) as Script;
	} catch (error) {
		throw new UsageError(`${text}: ${error instanceof Error ? error.message : error}`);
	}
}
