// What the runtimes said: a line for each, and the sum.

export class Report {
	#passed = 0;
	#failed = 0;
	#absent = [];
	#delays = new Map();

	/** The findings of a runtime: results by area, and the hash of its delays if it drew them. */
	add(name, { results, delays = null }) {
		const areas = new Map();
		const failed = results.filter(({ error }) => error !== null);
		for (const { area } of results) {
			areas.set(area, (areas.get(area) ?? 0) + 1);
		}
		this.#passed += results.length - failed.length;
		this.#failed += failed.length;
		if (delays !== null) {
			this.#delays.set(delays, [...(this.#delays.get(delays) ?? []), name]);
		}
		const ran = [...areas].map(([area, count]) => `${area} ${count}`).join(', ');
		const verdict = failed.length === 0 ? 'ok' : `${failed.length} FAILED`;
		console.log(`${name}: ${verdict} (${ran})${delays === null ? '' : `, delays ${delays}`}`);
		for (const { area, name: test, error } of failed) {
			console.log(`  ${area}: ${test}\n    ${error.replaceAll('\n', '\n    ')}`);
		}
	}

	/** A runtime that broke before it could say anything. */
	broke(name, error) {
		this.add(name, {
			results: [{ area: 'start', name: 'it runs the suite', error: String(error?.stack ?? error) }],
		});
	}

	/** A runtime that this machine cannot start. */
	absent(name, why) {
		this.#absent.push(`${name}: ${why}`);
	}

	/** The closing lines; whether all is well. */
	close() {
		for (const line of this.#absent) {
			console.log(`not run: ${line}`);
		}
		if (this.#delays.size > 0) {
			const agreed = this.#delays.size === 1;
			const all = [...this.#delays].map(([hash, names]) => `${hash} in ${names.length}`).join('; ');
			console.log(
				`one seed, a thousand delays: ${agreed ? 'the same everywhere' : 'THEY DIFFER'} (${all})`,
			);
			this.#passed += agreed ? 1 : 0;
			this.#failed += agreed ? 0 : 1;
		}
		console.log(`${this.#passed} passed, ${this.#failed} failed`);
		return this.#failed === 0;
	}
}
