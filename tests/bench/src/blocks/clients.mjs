/**
 * What a request costs that succeeds at once, against a client whose network is a function.
 *
 * @module
 */

import axios from 'axios';
import axiosRetry from 'axios-retry';
import { attach, createUpstream, withRetry } from './ours.mjs';

const URL = 'https://api.example.com/orders';

const each = (send) => async (count) => {
	for (let i = 0; i < count; i += 1) {
		await send();
	}
};

const answering = () =>
	axios.create({
		adapter: async (config) => ({ status: 200, statusText: 'OK', data: '', headers: {}, config, request: {} }),
	});

/** What a call asks of the module, by itself: may it be sent, and what came of it. */
function deciding() {
	const upstream = createUpstream();
	const request = { method: 'GET' };
	return () => {
		const { call } = upstream.begin(request);
		return (outcome) => call.settle(outcome);
	};
}

/** A client whose requests pass `before` on their way, and nothing on their way back. */
function passing(before) {
	const client = answering();
	client.interceptors.request.use(before, undefined, { synchronous: true });
	client.interceptors.response.use((response) => response);
	return client;
}

/** An adapter of one's own for each request, which waits for the one that was there. */
const shelled = (sending, sent) => (config) => {
	const { adapter } = config;
	config.adapter = async (config) => {
		sending?.(config);
		const response = await adapter(config);
		sent?.(config);
		return response;
	};
	return config;
};

const LAYER = 'x-retry-layer';
const named = ({ headers }) => {
	headers[LAYER] = '1';
};
const unnamed = ({ headers }) => {
	delete headers[LAYER];
};

function plugin() {
	const clients = {
		plain: answering(),
		empty: passing((config) => config),
		shell: passing(shelled()),
		header: passing(shelled(named, unnamed)),
		peer: answering(),
		ours: answering(),
	};
	const begin = deciding();
	const decided = async () => {
		const settle = begin();
		const response = await clients.plain.get(URL);
		settle({ status: response.status, headers: response.headers });
		return response;
	};
	axiosRetry(clients.peer, { retries: 3 });
	attach(clients.ours, {});
	return {
		name: 'axios with an in-memory adapter, success',
		ours: 'retrywise attach()',
		targets: { 'plain axios': 1.05, 'axios-retry': 1 },
		asynchronous: true,
		contestants: {
			'retrywise attach()': each(() => clients.ours.get(URL)),
			'plain axios': each(() => clients.plain.get(URL)),
			'axios-retry': each(() => clients.peer.get(URL)),
			'floor: two empty interceptors': each(() => clients.empty.get(URL)),
			'floor: and an adapter that awaits': each(() => clients.shell.get(URL)),
			'floor: and a header, set and deleted': each(() => clients.header.get(URL)),
			'floor: plain axios, begin and settle': each(decided),
		},
	};
}

function wrapper() {
	// A new answer each time: one that is met again would be remembered already.
	const plain = async () => new Response('ok');
	const ours = withRetry(plain, {});
	const bare = async (url) => await plain(url);
	const begin = deciding();
	const decided = async (url) => {
		const settle = begin();
		const response = await plain(url);
		settle({ status: response.status });
		return response;
	};
	let kept = 0;
	const read = async (url) => {
		const response = await plain(url);
		response.headers.forEach((value) => {
			kept += value.length;
		});
		return response;
	};
	return {
		name: 'fetch wrapper, in-memory fetch, success',
		ours: 'retrywise withRetry()',
		targets: { 'plain function': 1.1 },
		asynchronous: true,
		contestants: {
			'retrywise withRetry()': each(() => ours(URL)),
			'plain function': each(() => plain(URL)),
			'floor: a function around it': each(() => bare(URL)),
			'floor: one that begins and settles': each(() => decided(URL)),
			'floor: one that reads the headers': each(() => read(URL)),
		},
	};
}

export const blocks = [plugin, wrapper];
