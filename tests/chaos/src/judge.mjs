/**
 * The verdict over a run: the vendor's log says what happened, the ledger what it knows of it.
 *
 * @module
 */

/** Sentences that are kept; the figures count all. */
const MOST_FINDINGS = 20;

/**
 * @param {object} run
 * @param {Iterable<string>} run.events what was asked for
 * @param {boolean} run.honoursKeys
 * @param {Map<string, { fate: string, certain: boolean, effect: boolean }[]>} run.log the vendor's
 * @param {Map<string, { state: string, cause: string | null, maybeProcessed: boolean }>} run.records the ledger's
 */
export function judge({ events, honoursKeys, log, records }) {
	const figures = {
		calls: 0,
		/** Orders that were carried out. */
		effects: 0,
		/** Events that were carried out more than once. */
		duplicates: 0,
		/** Events sent again after an answer that left it open, to a vendor that ignores keys. */
		repeated: 0,
		/** Events of which nobody knows, that nobody takes care of, or that are wrongly called done. */
		lost: 0,
		/** Events in review as certainly not carried out, which were. */
		misled: 0,
		confirmed: 0,
		review: 0,
		/** Requests that reached the vendor. */
		attempts: 0,
	};
	const causes = new Map();
	const findings = [];
	const find = (figure, event, what) => {
		figures[figure] += 1;
		if (findings.length < MOST_FINDINGS) {
			const story = (log.get(event) ?? []).map(({ fate, effect }) => fate + (effect ? ' (effect)' : ''));
			findings.push(`${event} ${what}; the vendor saw: ${story.join(', ') || 'nothing'}`);
		}
	};
	for (const event of events) {
		const requests = log.get(event) ?? [];
		const effects = requests.filter(({ effect }) => effect).length;
		figures.calls += 1;
		figures.attempts += requests.length;
		figures.effects += effects;
		if (effects > 1) {
			find('duplicates', event, `was carried out ${effects} times`);
		}
		if (!honoursKeys && requests.slice(0, -1).some(({ certain }) => !certain)) {
			find('repeated', event, 'was sent again after an answer that left it open');
		}
		const record = records.get(event);
		switch (record?.state) {
			case 'completed':
				figures.confirmed += 1;
				if (effects === 0) {
					find('lost', event, 'is confirmed and was never carried out');
				}
				break;
			case 'review':
				figures.review += 1;
				causes.set(record.cause, (causes.get(record.cause) ?? 0) + 1);
				if (effects > 0 && !record.maybeProcessed) {
					find('misled', event, `is in review (${record.cause}) as certainly not carried out`);
				}
				break;
			default:
				find('lost', event, record === undefined ? 'is not in the ledger' : `is still ${record.state}`);
		}
	}
	return { figures, causes, findings };
}

/** Whether a run was as it has to be. */
export function isGood({ duplicates, repeated, lost, misled }) {
	return duplicates + repeated + lost + misled === 0;
}
