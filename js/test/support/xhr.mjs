/**
 * As much of XMLHttpRequest as axios uses, over real sockets. Import it before axios, which looks
 * once whether there is one.
 */

import { request } from 'node:http';

class FakeXMLHttpRequest {
	static DONE = 4;
	readyState = 0;
	status = 0;
	statusText = '';
	response = '';
	responseText = '';
	responseURL = '';
	responseType = '';
	timeout = 0;
	onloadend = null;
	onabort = null;
	onerror = null;
	ontimeout = null;
	#method;
	#url;
	#headers = {};
	#received = {};
	#sent;
	#timer;

	open(method, url) {
		[this.#method, this.#url] = [method, url];
		this.readyState = 1;
	}

	setRequestHeader(name, value) {
		this.#headers[name] = value;
	}

	getAllResponseHeaders() {
		return Object.entries(this.#received)
			.map(([name, value]) => `${name}: ${value}\r\n`)
			.join('');
	}

	addEventListener() {}

	send(body) {
		this.#sent = request(this.#url, { method: this.#method, headers: this.#headers, agent: false });
		if (this.timeout > 0) {
			this.#timer = setTimeout(() => this.#end('ontimeout'), this.timeout);
		}
		this.#sent.on('error', () => this.#end('onerror'));
		this.#sent.on('response', async (response) => {
			const chunks = [];
			response.on('error', () => this.#end('onerror'));
			response.on('data', (chunk) => chunks.push(chunk));
			response.on('end', () => {
				this.status = response.statusCode;
				this.statusText = response.statusMessage;
				this.#received = response.headers;
				this.responseURL = this.#url;
				this.responseText = Buffer.concat(chunks).toString();
				this.response = this.responseText;
				this.#end('onloadend');
			});
		});
		this.#sent.end(body ?? undefined);
	}

	abort() {
		this.#end('onabort');
	}

	#end(event) {
		clearTimeout(this.#timer);
		if (this.readyState === 4) {
			return;
		}
		this.readyState = 4;
		if (event !== 'onloadend') {
			this.#sent?.destroy();
		}
		this[event]?.({ type: event.slice(2), target: this });
	}
}

globalThis.XMLHttpRequest = FakeXMLHttpRequest;
