/**
 * Connections that break while nobody uses them.
 *
 * @module
 */

/** Whatever tells of its errors by an event. */
export interface Teller {
	on?(event: 'error', listener: (error: Error) => void): unknown;
}

/** Those that have their listener, however many stores they serve. */
const heard = new WeakSet<object>();

/**
 * Listens, so that a connection that broke while it was idle does not end the process: whoever
 * uses it next hears of it.
 */
export function hear(client: Teller): void {
	if (!heard.has(client)) {
		heard.add(client);
		client.on?.('error', () => {});
	}
}
