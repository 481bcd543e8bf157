/** The faulty server over HTTP/2, and under TLS, asked by real clients. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, constants } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { classify } from 'retrywise';
import { ScriptError, startFaultyServer } from 'retrywise/testing';
import { retrywise } from 'retrywise/undici';
import { Agent, H2CClient, request } from 'undici';

async function serving(t, options) {
	const server = await startFaultyServer({ protocol: 'http2', ...options });
	t.after(() => server.close());
	return server;
}

/** One connection with Node's own client, and what it saw. */
function client(t, url, options) {
	const session = connect(url, options);
	const away = [];
	session.on('goaway', (code, last) => away.push({ code, last }));
	session.on('error', () => {});
	t.after(() => session.destroy());
	const send = (method = 'POST', headers = {}) =>
		new Promise((resolve) => {
			const stream = session.request({ ':method': method, ':path': '/orders', ...headers });
			let status;
			let body = '';
			let error = null;
			stream.on('response', (head) => {
				status = head[':status'];
			});
			stream.setEncoding('utf8');
			stream.on('data', (text) => {
				body += text;
			});
			stream.on('error', (thrown) => {
				error = thrown;
			});
			stream.on('close', () =>
				resolve({ status, body, error, code: stream.rstCode, id: stream.id }),
			);
			stream.end(method === 'POST' ? '{"amount":5}' : undefined);
		});
	return { session, send, away };
}

test('statuses, headers, bodies and keys are the same over HTTP/2', async (t) => {
	const server = await serving(t, { script: '503;retry-after=3,201' });
	const { send } = client(t, server.url);
	const key = { 'idempotency-key': 'order-1' };
	assert.equal((await send('POST', key)).status, 503);
	const created = await send('POST', key);
	assert.deepEqual([created.status, JSON.parse(created.body)], [201, { id: 1 }]);
	const again = await send('POST', key);
	assert.deepEqual(JSON.parse(again.body), { id: 1 });
	assert.equal(server.resources.length, 1);
	assert.deepEqual(
		server.requests.map((r) => [r.key, r.attempt, r.status, r.replayed, r.path]),
		[
			['order-1', 1, 503, false, '/orders'],
			['order-1', 2, 201, false, '/orders'],
			['order-1', 3, 201, true, '/orders'],
		],
	);
	assert.equal(server.requests[0].answerHeaders['retry-after'], '3');
});

test('a refused stream was not processed, and its connection goes on', async (t) => {
	const server = await serving(t, { script: 'refused-stream,201' });
	const { send } = client(t, server.url);
	const refused = await send();
	assert.equal(refused.code, constants.NGHTTP2_REFUSED_STREAM);
	assert.equal(server.resources.length, 0);
	const { delivery, basis } = classify({ error: refused.error });
	assert.deepEqual([delivery, basis], ['not_processed', 'protocol']);
	assert.equal((await send()).status, 201);
});

test('GOAWAY before processing names an earlier stream, GOAWAY after it names this one', async (t) => {
	const server = await serving(t, { script: 'goaway,goaway-after,201' });
	const before = client(t, server.url);
	const lost = await before.send();
	assert.equal(lost.status, undefined);
	assert.equal(before.away.length, 1);
	assert.ok(before.away[0].last < lost.id, JSON.stringify(before.away));
	assert.equal(server.resources.length, 0);
	const after = client(t, server.url);
	const unanswered = await after.send();
	assert.equal(unanswered.status, undefined);
	assert.equal(after.away[0].last, unanswered.id);
	assert.equal(server.resources.length, 1);
	assert.equal((await client(t, server.url).send()).status, 201);
});

test('resets, truncated and misframed answers fail over HTTP/2 too', async (t) => {
	const script = 'reset,reset-after,truncate,misframe,201';
	const server = await serving(t, { script });
	const seen = [];
	for (let n = 0; n < 5; n += 1) {
		const { status, error } = await client(t, server.url).send();
		seen.push([status, error !== null]);
	}
	assert.deepEqual(seen.slice(0, 3), [
		[undefined, true],
		[undefined, true],
		[201, true],
	]);
	assert.equal(seen[3][1], true, 'a length that the data misses is an error of the protocol');
	assert.deepEqual(seen[4], [201, false]);
	assert.deepEqual(
		server.requests.map((r) => r.processed),
		[false, true, true, true, true],
	);
});

test("undici's client under a policy comes through refusals and GOAWAYs", async (t) => {
	const server = await serving(t, { script: 'refused-stream,goaway,503,201' });
	const plain = new H2CClient(server.url);
	t.after(() => plain.destroy());
	const policy = { maxRetries: 5, backoff: { baseMs: 1, capMs: 2 } };
	const dispatcher = plain.compose(retrywise(policy));
	const answer = await request(`${server.url}/orders`, {
		dispatcher,
		method: 'PUT',
		body: '{"amount":5}',
	});
	assert.equal(answer.statusCode, 201);
	assert.deepEqual(
		server.requests.map((r) => r.step.fault ?? r.status),
		['refused-stream', 'goaway', 503, 201],
	);
	await answer.body.dump();
});

test('under TLS it speaks HTTP/1.1 or HTTP/2 with the certificate that it is given', async (t) => {
	const folder = mkdtempSync(join(tmpdir(), 'retrywise-tls-'));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
	const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
	const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
	execFileSync(
		'openssl',
		['req', '-x509', ...fresh, '-days', '2', ...subject, '-keyout', keyFile, '-out', certFile],
		{ stdio: 'ignore' },
	);
	const tls = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') };

	const h2 = await serving(t, { tls, script: 'goaway,200' });
	assert.match(h2.url, /^https:/);
	const agent = new Agent({ allowH2: true, connect: { ca: tls.cert } });
	t.after(() => agent.destroy());
	const dispatcher = agent.compose(retrywise({ backoff: { baseMs: 1, capMs: 2 } }));
	const answer = await request(`${h2.url}/`, { dispatcher });
	assert.equal(answer.statusCode, 200);
	await answer.body.dump();
	assert.equal(h2.requests.length, 2);

	const h1 = await serving(t, { tls, protocol: 'http1', script: '503,reset' });
	const ask = () =>
		new Promise((resolve) => {
			const sent = httpsRequest(`${h1.url}/`, { ca: tls.cert, agent: false }, (incoming) => {
				incoming.resume();
				resolve(incoming.statusCode);
			});
			sent.on('error', (error) => resolve(error.code));
			sent.end();
		});
	assert.deepEqual([await ask(), await ask()], [503, 'ECONNRESET']);
});

test('a fault that the protocol does not have is refused with its place', async () => {
	await assert.rejects(
		startFaultyServer({ script: '200,goaway' }),
		(error) =>
			error instanceof ScriptError && /default, step 2: .*goaway.*http2/.test(error.message),
	);
	await assert.rejects(
		startFaultyServer({ protocol: 'http2', script: 'bad-chunk' }),
		(error) => error instanceof ScriptError && /bad-chunk/.test(error.message),
	);
});
