/** The SQLite drivers that are there: libsql from the lock file, `node:sqlite` where Node has it. */

import { createRequire } from 'node:module';

import { sqliteStore } from 'retrywise/ledger';

const require = createRequire(import.meta.url);

export const DRIVERS = {
	libsql: (file) => new (require('libsql'))(file),
	...(hasSqlite() && {
		'node:sqlite': (file) => new (process.getBuiltinModule('node:sqlite').DatabaseSync)(file),
	}),
};

function hasSqlite() {
	const { emitWarning } = process;
	// Node 22 warns that it is experimental.
	process.emitWarning = () => {};
	try {
		return process.getBuiltinModule?.('node:sqlite') !== undefined;
	} finally {
		process.emitWarning = emitWarning;
	}
}

/** For a worker's process: the store at an address that a test made. */
export function open({ driver, file }) {
	return sqliteStore(DRIVERS[driver](file));
}
