/** `countersign completion`: commands and options for the completion of shells. */
import { nearestOf } from '../options/nearest.js';
import { Exit, UsageError } from './exit.js';
import { COMMAND_NAMES, PAGES, pageOf, subcommandsOf } from './manual.js';
import { readOptions } from './options.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function completion(args: readonly string[]): number {
  const { positionals } = readOptions(args, {});
  const [shell, ...more] = positionals;
  if (shell === undefined || more.length > 0) throw new UsageError('completion needs a shell: bash, zsh or fish');
  switch (shell) {
    case 'bash':
      process.stdout.write(forBash());
      return Exit.ok;
    case 'zsh':
      // zsh runs completions of bash.
      process.stdout.write(`#compdef countersign\nautoload -U +X bashcompinit && bashcompinit\n${forBash()}`);
      return Exit.ok;
    case 'fish':
      process.stdout.write(forFish());
      return Exit.ok;
    default: {
      const meant = nearestOf(shell, SHELLS);
      const hint = meant === undefined ? 'it is bash, zsh or fish' : `did you mean ${meant}?`;
      throw new UsageError(`there is no completion for ${JSON.stringify(shell)}: ${hint}`);
    }
  }
}

/** What may stand behind words that were typed: commands, and the options of a page. */
function forBash(): string {
  const cases = COMMAND_NAMES.flatMap((command) => {
    const second = subcommandsOf(command);
    const pages = [
      ...second.map((name) => [`${command} ${name}`, flagsOf([command, name])] as const),
      ...(second.length > 0 ? [] : [[command, flagsOf([command])] as const]),
    ];
    return [
      ...(second.length > 0 ? [`    '${command} ') words='${second.join(' ')}' ;;`] : []),
      ...pages.map(([name, flags]) => `    '${name}'*) words='${flags}' ;;`),
    ];
  });
  return `_countersign() {
  local words current="\${COMP_WORDS[COMP_CWORD]}"
  local typed="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  case "$typed\${typed:+ }" in
    '') words='${COMMAND_NAMES.join(' ')} --help --version' ;;
${cases.toSorted((one, other) => specific(other) - specific(one)).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _countersign countersign
`;
}

/** The first pattern that fits counts: what says more stands first. */
const specific = (line: string): number => line.split(')')[0]!.length;

const flagsOf = (words: readonly string[]): string => (pageOf(words)?.options ?? []).map(({ name }) => name).join(' ');

function forFish(): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const commands = COMMAND_NAMES.map((name) => {
    const about = PAGES.find((page) => page.name === name)?.about ?? '';
    return `complete -c countersign -n __fish_use_subcommand -f -a ${name} -d ${quoted(about)}`;
  });
  const pages = PAGES.flatMap(({ name, about, options }) => {
    const [first = '', second] = name.split(' ');
    const seen = `__fish_seen_subcommand_from ${first}`;
    const within = second === undefined ? seen : `${seen}; and __fish_seen_subcommand_from ${second}`;
    return [
      ...(second === undefined
        ? []
        : [`complete -c countersign -n ${quoted(seen)} -f -a ${second} -d ${quoted(about)}`]),
      ...options.map(({ name: flag, short, value, help }) =>
        [
          `complete -c countersign -n ${quoted(within)} -l ${flag.slice(2)}`,
          ...(short === undefined ? [] : [`-s ${short}`]),
          ...(value === undefined ? [] : ['-r']),
          `-d ${quoted(help)}`,
        ].join(' '),
      ),
    ];
  });
  return `${[...commands, ...pages].join('\n')}\n`;
}
