/**
 * Where a URL leads to.
 *
 * @module
 */

/** Scheme, host and port of a URL; empty for the page's own origin, and for what is no URL. */
export function origin(url: string): string {
	if (url !== last.url && !beginsAsLast(url)) {
		last = { url, begin: beginOf(url), origin: read(url) };
	}
	return last.origin;
}

/** What was read last: requests come in runs. */
let last: {
	readonly url: string | undefined;
	/** Up to the path; empty where it is not written out. */
	readonly begin: string;
	readonly origin: string;
} = { url: undefined, begin: '', origin: '' };

function beginsAsLast(url: string): boolean {
	const { begin } = last;
	return begin !== '' && url.startsWith(begin) && isEnd(url.charCodeAt(begin.length));
}

/** `scheme://host:port` as it is written; empty for a URL that leaves something of it to the page. */
function beginOf(url: string): string {
	return /^[a-z][a-z\d+\-.]*:\/\/[^/?#\\\s]+(?=[/?#]|$)/i.exec(url)?.[0] ?? '';
}

/** Whether a host ends before this unit: the path begins, the query, the fragment, or nothing follows. */
function isEnd(unit: number): boolean {
	return unit === 0x2f || unit === 0x3f || unit === 0x23 || Number.isNaN(unit);
}

function read(url: string): string {
	try {
		const page = (globalThis as { location?: { href?: string } }).location?.href;
		const { origin, protocol, host } = new URL(url, page);
		return origin === 'null' ? `${protocol}//${host}` : origin;
	} catch {
		return '';
	}
}
