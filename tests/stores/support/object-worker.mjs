/** A Worker with a Durable Object that keeps a ledger; `/NAME/METHOD` reaches the object of that name. */

import { DurableObject } from 'cloudflare:workers';

import { createLedger, durableObjectStore } from '../../../js/dist/workerd/ledger.js';

const POLICY = { idempotency: { honoured: true }, breaker: null };

export class KeepsLedger extends DurableObject {
	#sent = 0;

	constructor(context, env) {
		super(context, env);
		this.store = durableObjectStore(context.storage);
		this.storage = context.storage;
	}

	async fetch(request) {
		const method = new URL(request.url).pathname.split('/')[2];
		const args = await request.json();
		try {
			const answer =
				method in this ? await this[method](...args) : await this.store[method](...args);
			return Response.json(answer ?? null);
		} catch (error) {
			return Response.json({ message: error.message }, { status: 500 });
		}
	}

	/** A ledger that lives in the object, and how often it has sent. */
	async run(event) {
		this.ledger ??= createLedger({ store: this.store, policy: POLICY });
		const { state } = await this.ledger.run({ event }, async () => {
			this.#sent += 1;
			await scheduler.wait(20);
			return { status: 201 };
		});
		return { state, sent: this.#sent };
	}

	/** Says that a newer release was here, to the object's next life. */
	async becomeNewer() {
		await this.store.get('nobody');
		this.storage.sql.exec('INSERT INTO retrywise_schema VALUES (99)');
		this.store = durableObjectStore(this.storage);
	}
}

export default {
	fetch(request, { LEDGER }) {
		const [, name] = new URL(request.url).pathname.split('/');
		return LEDGER.get(LEDGER.idFromName(decodeURIComponent(name))).fetch(request);
	},
};
