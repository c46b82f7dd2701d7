/** The man page: the table of the commands in roff. `man/countersign.1` is made of it, and a test keeps the two equal. */
import { CHAT, PAGES, synopsisOf, type ManualOption, type ManualPage } from './manual.js';

/** Text that roff must not read as anything else. */
const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('…', '\\&...')
    .replace(/^\./, '\\&.');

const bold = (text: string): string => `\\fB${escaped(text)}\\fR`;
const italic = (text: string): string => `\\fI${escaped(text)}\\fR`;

const optionOf = ({ name, short, value, help }: ManualOption): string[] => {
  const names = [...(short === undefined ? [] : [bold(`-${short}`)]), bold(name)].join(', ');
  return ['.TP', value === undefined ? names : `${names} ${italic(value)}`, escaped(sentence(help))];
};

/** As a paragraph has it. */
const sentence = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}${/[.\]]$/.test(text) ? '' : '.'}`;

const sectionOf = (page: ManualPage): string[] => [
  `.SS ${escaped(synopsisOf(page))}`,
  escaped(page.about),
  ...(page.more === undefined ? [] : ['.PP', escaped(page.more)]),
  ...page.options.filter(({ name }) => name !== '--help').flatMap(optionOf),
  '.PP',
  'Example:',
  '.PP',
  '.RS 4',
  '.EX',
  escaped(page.example),
  '.EE',
  '.RE',
];

const FILES: readonly [string, string][] = [
  ['.countersign/policy.toml', 'the policy of a project'],
  ['.countersign/config.toml', 'the settings of a project'],
  ['.countersign/ledger.db', 'the ledger of a project, when none is named'],
  ['~/.config/countersign/', 'your policy, your settings, what is trusted and what is remembered'],
];

const VARIABLES: readonly [string, string][] = [
  ['COUNTERSIGN_LEDGER', 'the ledger, as --ledger'],
  ['COUNTERSIGN_LEDGER_KEY', 'the key of an encrypted ledger'],
  ['COUNTERSIGN_NOTIFY', 'as --notify'],
  ['COUNTERSIGN_API_KEY, OPENAI_API_KEY', 'the key of the server that --base-url names'],
  ['AI_GATEWAY_API_KEY', 'the key of the AI Gateway'],
  ['VISUAL, EDITOR', 'the editor for the arguments of a call'],
  ['NO_COLOR', 'no colours'],
  ['XDG_CONFIG_HOME', 'instead of ~/.config'],
];

const listOf = (entries: readonly [string, string][]): string[] =>
  entries.flatMap(([name, what]) => ['.TP', bold(name), escaped(sentence(what))]);

/** The whole page, with a line feed at its end. */
export function manPage(): string {
  const [chat, ...others] = [PAGES.find(({ name }) => name === CHAT)!, ...PAGES.filter(({ name }) => name !== CHAT)];
  return `${[
    '.\\" Made of ts/cli/manual.ts; never edited.',
    '.TH COUNTERSIGN 1 "" countersign "User Commands"',
    '.SH NAME',
    'countersign \\- human approval between the tool call of an AI agent and its execution',
    '.SH SYNOPSIS',
    `${bold('countersign')} [${italic('options')}]`,
    '.br',
    `${bold('countersign')} ${italic('command')} [${italic('options')}]`,
    '.SH DESCRIPTION',
    'Without a command it is an agent in the current folder, which asks you before it acts. The commands list and',
    'decide the requests that wait in a ledger, and check policies.',
    '.SH THE AGENT',
    ...sectionOf(chat!),
    '.SH COMMANDS',
    ...others.flatMap(sectionOf),
    '.SH EXIT STATUS',
    '0 done; 1 damage was found, or it failed; 2 wrong usage; 3 the ledger cannot be used; 4 no such request or run; 5 not taken:',
    'already decided, expired, not allowed, not confirmed.',
    '.PP',
    `${bold('policy check')} and ${bold('policy explain')} have their own: 0 allow, 3 ask, 4 deny. So has the agent: see above.`,
    '.SH FILES',
    ...listOf(FILES),
    '.SH ENVIRONMENT',
    ...listOf(VARIABLES),
  ].join('\n')}\n`;
}
