/**
 * What a request costs that succeeds at once, against a client whose network is a function.
 *
 * @module
 */

import axios from 'axios';
import axiosRetry from 'axios-retry';
import { attach, withRetry } from './ours.mjs';

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

function plugin() {
	const clients = { plain: answering(), empty: answering(), peer: answering(), ours: answering() };
	clients.empty.interceptors.request.use((config) => config, undefined, { synchronous: true });
	clients.empty.interceptors.response.use((response) => response);
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
		},
	};
}

function wrapper() {
	// A new answer each time: one that is met again would be remembered already.
	const plain = async () => new Response('ok');
	const ours = withRetry(plain, {});
	const bare = async (url) => await plain(url);
	return {
		name: 'fetch wrapper, in-memory fetch, success',
		ours: 'retrywise withRetry()',
		targets: { 'plain function': 1.1 },
		asynchronous: true,
		contestants: {
			'retrywise withRetry()': each(() => ours(URL)),
			'plain function': each(() => plain(URL)),
			'floor: a function around it': each(() => bare(URL)),
		},
	};
}

export const blocks = [plugin, wrapper];
