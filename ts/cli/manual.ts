/** What each command is, in one table: help, the man page, "did you mean" and shell completion are made of it. */

export interface ManualOption {
  name: `--${string}`;
  short?: string;
  /** What it takes; absent: nothing. */
  value?: string;
  /** What may stand there, where that is known. */
  values?: readonly string[];
  help: string;
}

export interface ManualPage {
  /** As it is typed: `policy explain`. */
  name: string;
  /** What stands behind the name. */
  usage: string;
  /** What may be typed there, where that is known. */
  takes?: readonly string[];
  /** In a line. */
  about: string;
  more?: string;
  options: readonly ManualOption[];
  example: string;
}

const HELP: ManualOption = { name: '--help', short: 'h', help: 'this page' };

const LEDGER: readonly ManualOption[] = [
  {
    name: '--ledger',
    short: 'l',
    value: 'LEDGER',
    help: 'sqlite:PATH or postgres://… [default: COUNTERSIGN_LEDGER, or else the nearest .countersign/ledger.db upward]',
  },
  {
    name: '--key-env',
    value: 'NAME',
    help: 'the variable with the key of an encrypted ledger [default: COUNTERSIGN_LEDGER_KEY]',
  },
  { name: '--json', help: 'JSON Lines instead of text' },
];

const BY: ManualOption = { name: '--by', value: 'NAME', help: 'who decides [default: the user of the system]' };
const GROUP: ManualOption = {
  name: '--group',
  value: 'NAME',
  help: 'a group that you are in, where requests name groups; may be given several times',
};
const RISK: ManualOption = {
  name: '--risk',
  value: 'high',
  values: ['high'],
  help: 'those alone that a rule marks as a risk',
};
const DECIDE: readonly ManualOption[] = [
  { name: '--reason', value: 'TEXT', help: 'stands in the record; with a rejection the model is told it' },
  {
    name: '--yes',
    short: 'y',
    help: 'asks nothing back: not about a call that stands out, nor about what is remembered',
  },
  BY,
  GROUP,
];
const REMEMBER: ManualOption = {
  name: '--remember',
  value: 'always|DURATION|Nx',
  values: ['always'],
  help: 'answers the next such calls of the project as well, for ever, for a time such as 30d, or for a number of them such as 5x. It says what that is, and asks, before anything is decided',
};
const EXACT: ManualOption = {
  name: '--exact',
  help: 'remembers the very words of the command, and not what begins with them',
};
const NOTIFY: ManualOption = {
  name: '--notify',
  value: 'bell|desktop|none',
  values: ['bell', 'desktop', 'none'],
  help: 'how a terminal calls you when something comes to wait [default: COUNTERSIGN_NOTIFY, or else bell]',
};
const POLICY: ManualOption = {
  name: '--policy',
  short: 'p',
  value: 'FILE',
  values: ['preset:read-only', 'preset:developer'],
  help: '',
};
const IDS = 'The first or the last six characters of an id are enough, if no other id has them.';

const CALL: readonly ManualOption[] = [
  {
    ...POLICY,
    help: 'a policy file or preset:NAME, instead of the files of this machine; several are pooled',
  },
  { name: '--tool', value: 'NAME', help: 'the tool [default: execute]' },
  { name: '--args', value: 'JSON', help: 'its arguments, instead of a command line' },
  { name: '--cwd', value: 'DIR', help: 'where relative paths start' },
  { name: '--confined', help: 'as it is for a command that runs confined and writes there alone' },
  { name: '--json', help: 'the verdict as JSON' },
];

const page = (
  name: string,
  usage: string,
  about: string,
  example: string,
  options: readonly ManualOption[] = [],
  more?: string,
): ManualPage => ({
  name,
  usage,
  about,
  example,
  options: [...options, HELP],
  ...(more === undefined ? {} : { more }),
  ...(Object.hasOwn(TAKES, name) ? { takes: TAKES[name] } : {}),
});

const onLedger = (
  name: string,
  usage: string,
  about: string,
  example: string,
  options: readonly ManualOption[] = [],
  more?: string,
): ManualPage => page(name, usage, about, example, [...options, ...LEDGER], more);

const PRESETS = ['read-only', 'developer'];

/** What may be typed behind commands, where that is known. */
const TAKES: Readonly<Record<string, readonly string[]>> = {
  grants: ['revoke'],
  'policy import': ['claude-code', 'codex', 'gemini-cli', 'opencode', 'vscode'],
  'policy preset': PRESETS,
  completion: ['bash', 'zsh', 'fish'],
};

/** The chat: it is what runs without a command. */
export const CHAT = 'chat';

export const PAGES: readonly ManualPage[] = [
  page(
    CHAT,
    '',
    'An agent in this folder, with a human between its tool calls and their execution.',
    'countersign --model qwen3 --base-url http://localhost:11434/v1',
    [
      {
        name: '--model',
        value: 'ID',
        help: 'creator/name of the AI Gateway (needs AI_GATEWAY_API_KEY), or with --base-url a model of that server',
      },
      {
        name: '--base-url',
        value: 'URL',
        help: "a server that speaks OpenAI's protocol; its key in COUNTERSIGN_API_KEY or OPENAI_API_KEY",
      },
      { name: '--cwd', value: 'DIR', help: 'the folder that it works in [default: this one]' },
      { ...POLICY, help: 'one more policy file, or preset:NAME; may be given several times' },
      {
        name: '--ledger',
        short: 'l',
        value: 'LEDGER',
        help: 'where requests and runs are kept [default: COUNTERSIGN_LEDGER, or else .countersign/ledger.db]',
      },
      {
        name: '--auto',
        help: 'Auto-approve: what would be asked about runs at once. What a policy denies does not',
      },
      { name: '--plan', help: 'only what is read-only runs' },
      {
        name: '--prompt',
        value: 'TEXT',
        help: 'one prompt, then it ends. Without a terminal nobody is asked: what asks is rejected',
      },
      {
        name: '--json',
        help: 'JSON Lines of what happens; prompts come from --prompt or from stdin, a line each. Nobody is asked',
      },
      NOTIFY,
      {
        name: '--plain',
        help: 'lines instead of a screen: for screen readers, and for terminals that can do little',
      },
    ],
    'Settings are in .countersign/config.toml of the project, and in ~/.config/countersign/config.toml. Without a terminal it reads stdin line by line: prompts, and answers to what waits, in turn. Exit: 0 done; 1 the run failed; 2 wrong usage; 3 something needed an answer and nobody could give it; 130 cancelled.',
  ),
  page(
    'demo',
    '',
    'The chat on a temporary project, with a scripted model: no key, no network. Type help in it for what to try.',
    "printf 'create hello.txt with hi\\ny\\n' | countersign demo",
    [
      { name: '--keep', help: 'keeps the project, and says where it is' },
      { name: '--model', value: 'ID', help: 'a real model instead, as in countersign chat' },
      { name: '--base-url', value: 'URL', help: 'the server of that model' },
    ],
    'It takes the options of countersign chat too, but --cwd.',
  ),
  page(
    'init',
    '[DIRECTORY]',
    "Puts an approval before the tools of a project's agent: shows the lines as a diff, and writes them after a yes. What it does not understand it leaves alone, and prints the lines to add.",
    'countersign init --dry-run',
    [
      { name: '--yes', short: 'y', help: 'writes without a question' },
      { name: '--dry-run', help: 'writes nothing' },
      { name: '--force', help: 'also into files with changes that are not committed, and where there is no git' },
    ],
    'It writes a first policy, too, made from the scripts and languages of the project. Exit 1 when something is left to do by hand.',
  ),
  onLedger('pending', '', 'What waits for a decision, oldest first.', 'countersign pending --json', [
    { name: '--run', value: 'ID', help: 'of this run alone' },
    RISK,
  ]),
  onLedger(
    'show',
    'ID…',
    'A request: what would run, why it is asked about, what became of it.',
    'countersign show 4f2a91c3',
    [],
    IDS,
  ),
  onLedger(
    'approve',
    'ID…',
    'Lets calls run.',
    'countersign approve 4f2a91c3 --reason "the branch is mine"',
    [
      {
        name: '--like',
        help: 'approves those that wait in its run and are like it as well: of the same tool, and what the same "always" would answer. None that stands out',
      },
      REMEMBER,
      EXACT,
      ...DECIDE,
    ],
    IDS,
  ),
  onLedger(
    'reject',
    'ID…',
    'Does not let calls run; the model is told the reason.',
    'countersign reject 4f2a91c3 --reason "use notes.md instead"',
    [{ name: '--stop', help: 'the run ends, too' }, REMEMBER, EXACT, ...DECIDE],
    IDS,
  ),
  onLedger('edit', 'ID', 'Lets a call run with other arguments.', 'countersign edit 4f2a91c3 --editor', [
    { name: '--args', value: 'JSON', help: 'all of the arguments' },
    { name: '--editor', help: 'opens them in $VISUAL or $EDITOR; what is unchanged or empty is not an edit' },
    ...DECIDE,
  ]),
  onLedger(
    'respond',
    'ID [-]',
    'Gives the model a result without running the call, or answers its questions.',
    'countersign respond 4f2a91c3 --answer German',
    [
      { name: '--text', value: 'TEXT', help: 'the result, as text; - reads it from stdin' },
      { name: '--json-output', value: 'JSON', help: 'the result, as JSON; - reads it from stdin' },
      {
        name: '--answer',
        value: 'TEXT',
        help: 'for questions: one for each, in their order; several labels with commas between them',
      },
      ...DECIDE,
    ],
  ),
  onLedger('skip', 'ID…', 'Does not let calls run; the model goes on without.', 'countersign skip 4f2a91c3', DECIDE),
  onLedger(
    'watch',
    '',
    'What waits, as it happens.',
    'countersign watch --json | jq .type',
    [BY, GROUP, NOTIFY],
    'On a terminal: j and k move, d or Enter shows a request, ? lists the keys, q ends it. y approves, n rejects with a reason, e edits, r gives a result, s approves and remembers, x skips. On a pipe: a line for each event.',
  ),
  onLedger(
    'inbox',
    '',
    'Opens a page in the browser on which it can be decided, and prints a link to it.',
    'countersign inbox --port 8080',
    [
      { name: '--no-open', help: 'prints the link alone, as it does over ssh, in CI, on pipes and with --json' },
      { name: '--port', value: 'N', help: 'where it listens [default: a free one]' },
      { name: '--by', value: 'NAME', help: 'who decides [default: the user of the system]' },
      { ...GROUP, short: 'g' },
      {
        name: '--undo',
        value: 'SECONDS',
        help: 'for how long a decision can be taken back before it leaves the page [default: 5]; 0: it is sent at once',
      },
    ],
  ),
  onLedger('runs', '', 'Runs that are not over.', 'countersign runs --all', [
    { name: '--all', help: 'those that are over, too' },
  ]),
  onLedger(
    'history',
    '',
    'What was decided, the latest last: when, by whom, what, and why.',
    'countersign history --tool execute --limit 20',
    [
      { name: '--run', value: 'ID', help: 'of this run alone' },
      { name: '--tool', value: 'NAME', help: 'of this tool alone' },
      RISK,
      { name: '--limit', value: 'N', help: 'how many [default: 50]; 0: all' },
    ],
  ),
  page(
    'grants',
    '[revoke ID…]',
    'Decisions that are remembered for ever: list them, or take them back.',
    'countersign grants revoke 4f2a91c3',
    [
      { name: '--cwd', value: 'DIR', help: 'the project [default: that of this directory]' },
      { name: '--json', help: 'JSON Lines instead of text' },
    ],
    'What a run or a session remembers lives in its own process: /grants of the chat has those.',
  ),
  onLedger('audit list', '', 'Entries of the audit, the last 100.', 'countersign audit list --since 2h', [
    { name: '--run', value: 'ID', help: 'of this run alone' },
    { name: '--kind', value: 'KIND', help: 'such as decided or granted' },
    { name: '--since', value: 'TIME', help: '2026-05-04T12:00:00Z, or 2h for two hours ago' },
    { name: '--limit', value: 'N', help: 'how many; 0: all' },
  ]),
  onLedger(
    'audit verify',
    '',
    'Looks at each entry, and at each request against the entries. Exit 1 when anything was changed.',
    'countersign audit verify --head head.txt --key ledger.pub',
    [
      { name: '--head', value: 'FILE', help: 'a head that was published' },
      { name: '--key', value: 'PUBLICKEY', help: 'who signed it' },
      { name: '--file', value: 'EXPORT', help: 'an export, instead of a ledger' },
      { name: '--from', value: 'N', help: 'where the export begins' },
    ],
  ),
  onLedger(
    'audit export',
    '',
    'The entries as JSON Lines, each to the byte.',
    'countersign audit export > audit.jsonl',
    [{ name: '--from', value: 'N', help: 'from this entry on' }],
  ),
  onLedger('audit head', '', 'Where the audit stands, to be published.', 'countersign audit head --sign ledger.key', [
    { name: '--sign', value: 'KEYFILE', help: 'signs it' },
    { name: '--origin', value: 'NAME', help: 'whose audit it is' },
  ]),
  page(
    'audit keygen',
    'NAME',
    'A key to sign heads with; its public key is printed.',
    'countersign audit keygen example.com/ledger > ledger.pub',
    [{ name: '--output', short: 'o', value: 'FILE', help: 'where the key goes [default: NAME.key]' }],
  ),
  onLedger('ledger info', '', 'Where it is, and what it holds.', 'countersign ledger info'),
  onLedger(
    'ledger verify',
    '',
    'Looks at everything it holds. Exit 1 when anything was changed.',
    'countersign ledger verify',
  ),
  onLedger(
    'ledger compact',
    '',
    'Drops what ended long ago, and gives space back.',
    'countersign ledger compact --contents 30d',
    [
      { name: '--contents', value: 'DURATION', help: 'arguments and results of what ended longer ago' },
      { name: '--records', value: 'DURATION', help: 'whole records of what ended longer ago' },
    ],
  ),
  onLedger('webhooks', '', 'What receivers of webhooks did not take.', 'countersign webhooks --retry all', [
    { name: '--retry', value: 'ID', help: 'sends it again; may be given several times. all: everything' },
  ]),
  page(
    'policy check',
    'COMMAND…',
    'What the policies say about a call. Exit 0 allow, 3 ask, 4 deny.',
    'countersign policy check "git status && ls"',
    [...CALL, { name: '--batch', help: 'lines {"id","policy","call","cwd"?,"project"?,"home"?} to verdicts' }],
    'A command line with ; | && or quotes in it must be one argument, in quotes: else the shell that you type it in takes it apart.',
  ),
  page(
    'policy explain',
    'COMMAND…',
    'The same, with the rules that matched and lost.',
    'countersign policy explain ls -la',
    CALL,
  ),
  page(
    'policy init',
    '[DIRECTORY]',
    'Writes a first policy for a project, and says how to change it.',
    'countersign policy init',
    [
      {
        name: '--preset',
        value: 'NAME',
        values: PRESETS,
        help: 'what it begins with: read-only or developer [default: read-only]',
      },
    ],
  ),
  page(
    'policy lint',
    '[FILE…]',
    'Rules that are shadowed, can match nothing, or allow too much.',
    'countersign policy lint',
    [
      { name: '--tool', value: 'NAME', help: 'a tool that exists; may be given several times' },
      { name: '--json', help: 'the findings as JSON' },
    ],
    "Without a file it looks at this project's. Exit 1 when something is plainly wrong.",
  ),
  page(
    'policy replay',
    'LOG',
    'Recorded calls against other rules: what would change.',
    'countersign policy replay calls.jsonl --policy new.toml',
    [
      { ...POLICY, help: 'the rules to try; several are pooled' },
      { name: '--cwd', value: 'DIR', help: 'where relative paths start' },
      { name: '--json', help: 'the changes as JSON' },
    ],
    'LOG has a line {"toolName","args","cwd"?,"effect"?} for each call; - is stdin.',
  ),
  page(
    'policy suggest',
    '',
    "Rules for this project's policy, from what was asked about in it, with what they would have saved.",
    'countersign policy suggest',
    [
      { name: '--cwd', value: 'DIR', help: 'a folder of the project [default: this one]' },
      { name: '--write', help: 'accepts what is shown; without it a terminal asks, and a pipe only shows' },
      { ...BY, help: 'who accepts it; the audit has that [default: the user of the system]' },
      ...LEDGER.map((option) => (option.name === '--json' ? { ...option, help: 'the suggestion as JSON' } : option)),
    ],
    'It takes what "always" would have saved for calls that people approved three times or rejected three times, and judges the whole history with it. A rule that would let through what somebody did not let through is left out. Rules are added at the end of .countersign/policy.toml; what is there stays as it is.',
  ),
  page(
    'policy import',
    'FORMAT FILE',
    'The rules of another product as a policy: claude-code, codex, gemini-cli, opencode, vscode.',
    'countersign policy import claude-code .claude/settings.json',
    [
      {
        name: '--output',
        short: 'o',
        value: 'FILE',
        help: 'where it goes, never over a file that is there [default: stdout]',
      },
    ],
  ),
  page(
    'policy preset',
    'NAME',
    'The text of a preset, to copy and change: read-only or developer.',
    'countersign policy preset developer',
  ),
  page(
    'policy trust',
    '[DIRECTORY]',
    "Lets a project's policy allow, not only tighten, as it is now.",
    'countersign policy trust',
    [
      { name: '--remove', help: 'no longer' },
      { name: '--list', help: 'which ones are trusted' },
    ],
  ),
  page(
    'preview',
    '',
    'A call as text that is safe to show.',
    `countersign preview --tool execute --args '{"command":"ls"}'`,
    [
      { name: '--tool', value: 'NAME', help: 'the tool' },
      { name: '--args', value: 'JSON', help: 'its arguments' },
      { name: '--width', value: 'COLUMNS', help: 'breaks lines there' },
      { name: '--batch', help: 'lines {"id","toolName","args","width"?} to {"id","text","flags"}' },
    ],
  ),
  page(
    'doctor',
    '',
    'What this machine gives, for this folder: the versions of countersign, the runtime and the AI SDK, what holds a command that runs confined, and which policy files count. Ends with 1 where something is wrong.',
    'countersign doctor --json',
    [{ name: '--json', help: 'the same as one line of JSON' }],
  ),
  page(
    'completion',
    'bash|zsh|fish',
    'Completion of commands and options for a shell, to be loaded by it.',
    'countersign completion bash >> ~/.bash_completion',
  ),
];

/** The first words of commands, in the order of the table; `help` has no page. */
export const COMMAND_NAMES: readonly string[] = [...new Set([...PAGES.map(({ name }) => name.split(' ')[0]!), 'help'])];

/** The second words of a command. */
export const subcommandsOf = (command: string): string[] =>
  PAGES.flatMap(({ name }) => (name.startsWith(`${command} `) ? [name.slice(command.length + 1)] : []));

/** The page of these words; `undefined`: no such page. */
export function pageOf(words: readonly string[]): ManualPage | undefined {
  const [first = '', second = ''] = words;
  return PAGES.find(({ name }) => name === `${first} ${second}`) ?? PAGES.find(({ name }) => name === first);
}

/** What is typed for it. */
export const synopsisOf = ({ name, usage }: Pick<ManualPage, 'name' | 'usage'>): string =>
  ['countersign', ...(name === CHAT ? [] : [name]), usage, '[options]'].filter((part) => part !== '').join(' ');

/** How wide a page is. */
const WIDTH = 80;
/** Where the help of an option begins. */
const AT = 26;

/** A page of help, within 80 columns. */
export function helpText({ name, usage, about, more, options, example }: ManualPage): string {
  const synopsis = synopsisOf({ name, usage });
  const lines = options.flatMap(({ name: flag, short, value, help }) => {
    const head = `  ${short === undefined ? '    ' : `-${short}, `}${flag}${value === undefined ? '' : ` ${value}`}`;
    const [first = '', ...rest] = folded(help, WIDTH - AT);
    const below = rest.map((line) => `${' '.repeat(AT)}${line}`);
    return head.length + 2 <= AT
      ? [`${head.padEnd(AT)}${first}`, ...below]
      : [head, `${' '.repeat(AT)}${first}`, ...below];
  });
  return [
    ...folded(about, WIDTH),
    '',
    `  ${synopsis}`,
    '',
    ...(more === undefined ? [] : [...folded(more, WIDTH), '']),
    ...lines,
    '',
    'Example:',
    `  ${example}`,
    '',
  ].join('\n');
}

/** The pages of a command that has several: a line for each. */
export function listText(command: string): string {
  const pages = PAGES.filter(({ name }) => name.startsWith(`${command} `));
  const lines = pages.flatMap(({ name, usage, about }) => {
    const head = `  countersign ${name}${usage === '' ? '' : ` ${usage}`}`;
    return [head, ...folded(about, WIDTH - 6).map((line) => `      ${line}`)];
  });
  return [...lines, '', `See countersign ${command} ${subcommandsOf(command)[0]} --help for its options.`, ''].join(
    '\n',
  );
}

/** A text in lines of `width` columns, broken between words. */
export function folded(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
