/**
 * `retrywise completion bash|zsh|fish`: scripts that complete commands, options and their choices.
 * Made from the commands themselves, so they know what the program knows.
 *
 * @module
 */

import type { Command, Option } from 'commander';
import { UsageError } from './output.ts';

/** The shells that are spoken. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** A command by its words, and what may follow them. */
interface Place {
	readonly words: readonly string[];
	readonly commands: readonly Command[];
	readonly options: readonly Option[];
	/** It takes files. */
	readonly files: boolean;
	readonly choices: readonly string[];
}

/** The script for a shell. */
export function completion(program: Command, shell: string): string {
	const places = placesOf(program, []);
	switch (shell) {
		case 'bash':
			return bash(places);
		case 'zsh':
			return `#compdef retrywise\n${ZSH}${bash(places)}`;
		case 'fish':
			return fish(places);
		default:
			throw new UsageError(`no completion for ${shell} (known: ${SHELLS.join(', ')})`);
	}
}

function placesOf(command: Command, words: readonly string[]): Place[] {
	const commands = command.commands.filter((one) => one.name() !== 'help');
	const argument = command.registeredArguments[0];
	const files = /file|trace|scenario/.test(argument?.name() ?? '');
	const choices = argument?.argChoices ?? [];
	const here = { words, commands, options: command.options, files, choices };
	return [here, ...commands.flatMap((one) => placesOf(one, [...words, one.name()]))];
}

const HELP = '--help';

/**
 * Bash and, by its own emulation of bash's completion, zsh: the words that are no options say where
 * one is; after an option with choices come those, after one that names a file come files.
 */
function bash(places: readonly Place[]): string {
	const cases = places.map(({ words, commands, options, files, choices }) => {
		const named = commands.map((command) => command.name());
		const flags = options.map((option) => option.long ?? option.short ?? '');
		const all = [...named, ...choices, ...flags, HELP].join(' ');
		return `\t\t"${words.join(' ')}") words="${all}"; files=${files ? 1 : 0} ;;\n`;
	});
	const every = new Map(places.flatMap(({ options }) => options.map((one) => [one.long, one])));
	const closed = [...every].filter(([, option]) => option.argChoices !== undefined);
	const chosen = closed.map(
		([name, option]) => `\t\t${name}) words="${option.argChoices?.join(' ')}"; files=0 ;;\n`,
	);
	const open = [...every].filter(
		([, option]) => option.required && option.argChoices === undefined,
	);
	const named = places.flatMap(({ commands }) => commands.map((command) => command.name()));
	return `_retrywise() {
	local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
	local at="" word words="" files=0
	for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case "$word" in
		${[...new Set(named)].join('|')}) at="\${at:+$at }$word" ;;
		esac
	done
	case "$at" in
${cases.join('')}	esac
	case "$previous" in
${chosen.join('')}		${open.map(([name]) => name).join('|')}) words=""; files=1 ;;
	esac
	COMPREPLY=($(compgen -W "$words" -- "$current"))
	if [ "$files" = 1 ]; then
		COMPREPLY+=($(compgen -f -- "$current"))
	fi
}
complete -o filenames -F _retrywise retrywise
`;
}

const ZSH = 'autoload -U +X compinit && compinit -u\nautoload -U +X bashcompinit && bashcompinit\n';

function fish(places: readonly Place[]): string {
	const lines = places.flatMap(({ words, commands, options, files, choices }) => {
		const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
		const further = commands.map((command) => command.name());
		const none = further.length > 0 ? [`not __fish_seen_subcommand_from ${further.join(' ')}`] : [];
		const here = [...seen, ...none].join('; and ') || 'true';
		const rule = (more: string): string => `complete -c retrywise -n '${here}' ${more}`;
		return [
			...commands.map((one) => rule(`-f -a ${one.name()} -d '${quoted(one.description())}'`)),
			...choices.map((choice) => rule(`-f -a ${choice}`)),
			...(files ? [rule('-F')] : []),
			...options.map((option) => {
				const values =
					option.argChoices === undefined ? '' : ` -x -a '${option.argChoices.join(' ')}'`;
				const open = option.required && values === '' ? ' -r' : '';
				const name = (option.long ?? '').slice(2);
				return rule(`-l ${name}${values}${open} -d '${quoted(option.description)}'`);
			}),
		];
	});
	return `complete -c retrywise -f\n${lines.map((line) => `${line}\n`).join('')}`;
}

function quoted(text: string): string {
	return text.replaceAll("'", "\\'");
}
