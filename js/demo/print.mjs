// What the demo writes: a title, a line for each attempt, a verdict on the scenario.

const { stdout, env } = process;
const colours = stdout.isTTY === true && !env.NO_COLOR;

const paint = (code) => (text) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text);
const bold = paint(1);
const dim = paint(2);
const red = paint(31);
const green = paint(32);
const yellow = paint(33);

const KINDS = { accept: green, retry: yellow, stop: red };

export function title(number, text) {
	stdout.write(`\n${bold(`${number}. ${text}`)}\n`);
}

/** One attempt: when it ended, how, what that was taken for, what was decided and why. */
export function attempt({ atMs, number, method, ended, verdict }) {
	const { kind, delayMs, reason } = verdict;
	const decision = kind === 'retry' ? `retry in ${delayMs} ms` : kind;
	const cells = [
		`${Math.round(atMs)} ms`.padStart(9),
		`${method} #${number}`.padEnd(8),
		String(ended).padEnd(13),
		verdict.class.padEnd(10),
		KINDS[kind](decision.padEnd(18)),
		reason,
	];
	stdout.write(`${cells.join('  ')}\n`);
	if (kind !== 'accept') {
		stdout.write(dim(`${' '.repeat(11)}${verdict.explain('en')}\n`));
	}
}

export function result(summary, wrong) {
	if (wrong.length === 0) {
		stdout.write(`  ${green('ok')}  ${summary}\n`);
	}
	for (const what of wrong) {
		stdout.write(`  ${red('not ok')}  ${what}\n`);
	}
}

export function total(scenarios, ok) {
	stdout.write(`\ndemo: ${scenarios} scenarios, ${ok} ok\n`);
}
