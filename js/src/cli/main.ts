#!/usr/bin/env node
/**
 * `retrywise`, the command.
 *
 * @module
 */

import { run } from './program.ts';

process.exitCode = await run(process.argv.slice(2), {
	out: (text) => process.stdout.write(text),
	error: (text) => process.stderr.write(text),
	colours: process.stdout.isTTY === true && !process.env['NO_COLOR'],
});
