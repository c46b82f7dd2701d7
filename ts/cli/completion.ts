/** `countersign completion`: commands and options for the completion of shells. */
import { nearestOf } from '../options/nearest.js';
import { Exit, UsageError } from './exit.js';
import { CHAT, COMMAND_NAMES, PAGES, pageOf, subcommandsOf } from './manual.js';
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

/** What may stand behind words that were typed: commands, what they take, and the options of a page. */
function forBash(): string {
  const cases = COMMAND_NAMES.flatMap((command) => {
    const second = subcommandsOf(command);
    const pages = second.length > 0 ? second.map((name) => [command, name]) : [[command]];
    const first =
      second.length > 0 || command === 'help' ? [...second, ...(command === 'help' ? BEHIND_HELP : [])] : [];
    return [
      ...(first.length > 0 ? [`    '${command} ') words='${[...first, '--help'].join(' ')}' ;;`] : []),
      ...(command === 'help'
        ? subjectsOfHelp()
        : pages.map((name) => `    '${name.join(' ')} '*) words='${wordsOf(name)}' ;;`)),
    ];
  });
  const values = VALUES.map(([names, words]) => `    ${names.join('|')}) words='${words.join(' ')}' ;;`);
  // The line itself is read: bash takes words apart at a colon, zsh does not.
  return `_countersign() {
  local line="\${COMP_LINE:0:$COMP_POINT}" current typed previous words='' most colon=''
  current="\${line##*[[:space:]]}"
  typed="\${line%"$current"}"
  previous="\${typed%"\${typed##*[![:space:]]}"}"
  previous="\${previous##*[[:space:]]}"
  typed="\${typed#*[[:space:]]}"
  case "$typed" in
    '') words='${COMMAND_NAMES.join(' ')} --version ${flagsOf([CHAT]).join(' ')}' ;;
    -*) words='${flagsOf([CHAT]).join(' ')}' ;;
${cases.toSorted((one, other) => specific(other) - specific(one)).join('\n')}
  esac
  case "$previous" in
${values.join('\n')}
    ${OF_FILES.join('|')}) words='' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
  case "\${BASH_VERSION:+$COMP_WORDBREAKS}" in
    *:*) case "$current" in *:*) colon="\${current%"\${current##*:}"}" ;; esac ;;
  esac
  for most in "\${!COMPREPLY[@]}"; do COMPREPLY[$most]="\${COMPREPLY[$most]#"$colon"}"; done
}
complete -F _countersign countersign
`;
}

/** The first pattern that fits counts: what says more stands first. */
const specific = (line: string): number => line.split(')')[0]!.length;

const flagsOf = (words: readonly string[]): string[] => (pageOf(words)?.options ?? []).map(({ name }) => name);

const wordsOf = (words: readonly string[]): string => [...(pageOf(words)?.takes ?? []), ...flagsOf(words)].join(' ');

const BEHIND_HELP = COMMAND_NAMES.filter((name) => name !== 'help');

const subjectsOfHelp = (): string[] =>
  BEHIND_HELP.flatMap((name) => {
    const second = subcommandsOf(name);
    return second.length === 0 ? [] : [`    'help ${name} '*) words='${second.join(' ')}' ;;`];
  });

/** Options, long and short, with what may stand behind them. No two pages mean different things by one of them. */
const VALUES: readonly (readonly [string[], readonly string[]])[] = [
  ...new Map(
    PAGES.flatMap(({ options }) => options)
      .filter(({ values }) => values !== undefined)
      .map(
        ({ name, short, values = [] }) =>
          [name, [[name, ...(short === undefined ? [] : [`-${short}`])], values]] as const,
      ),
  ).values(),
].map(([names, values]) => [[...names], values]);

/** Options that take a file, or a value that cannot be completed. */
const OF_FILES: readonly string[] = [
  ...new Set(
    PAGES.flatMap(({ options }) => options)
      .filter(({ value, values }) => value !== undefined && values === undefined)
      .flatMap(({ name, short }) => [name, ...(short === undefined ? [] : [`-${short}`])]),
  ),
];

/** What commands do that have no page of their own. */
const ABOUT: Readonly<Record<string, string>> = {
  audit: 'Lists, checks, exports and signs the audit.',
  help: 'The page of a command.',
  ledger: 'Shows, checks and compacts a ledger.',
  policy: 'Writes, checks, explains and imports policies.',
};

function forFish(): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const commands = COMMAND_NAMES.map((name) => {
    const about = PAGES.find((page) => page.name === name)?.about ?? ABOUT[name] ?? '';
    return `complete -c countersign -n __fish_use_subcommand -f -a ${name} -d ${quoted(about)}`;
  });
  const pages = PAGES.flatMap(({ name, about, options, takes = [] }) => {
    const [first = '', second] = name.split(' ');
    const seen = `__fish_seen_subcommand_from ${first}`;
    const within = second === undefined ? seen : `${seen}; and __fish_seen_subcommand_from ${second}`;
    const others = subcommandsOf(first);
    const isFirst = second === undefined ? seen : `${seen}; and not __fish_seen_subcommand_from ${others.join(' ')}`;
    // What the chat takes may stand without its name.
    const places = name === CHAT ? [within, '__fish_use_subcommand'] : [within];
    return [
      ...(second === undefined
        ? []
        : [`complete -c countersign -n ${quoted(isFirst)} -f -a ${second} -d ${quoted(about)}`]),
      ...(takes.length === 0 ? [] : [`complete -c countersign -n ${quoted(within)} -f -a ${quoted(takes.join(' '))}`]),
      ...places.flatMap((place) =>
        options.map(({ name: flag, short, value, values, help }) =>
          [
            `complete -c countersign -n ${quoted(place)} -l ${flag.slice(2)}`,
            ...(short === undefined ? [] : [`-s ${short}`]),
            ...(value === undefined ? ['-f'] : ['-r']),
            ...(values === undefined ? [] : [`-a ${quoted(values.join(' '))}`]),
            `-d ${quoted(help)}`,
          ].join(' '),
        ),
      ),
    ];
  });
  const help = `complete -c countersign -n '__fish_seen_subcommand_from help' -f -a ${quoted(BEHIND_HELP.join(' '))}`;
  return `${[...commands, help, ...pages].join('\n')}\n`;
}
