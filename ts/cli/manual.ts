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

const HELP: ManualOption = { name: '--help', short: 'h', help: 'shows this page' };

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
  help: 'only those that a rule marks as a risk',
};
const DECIDE: readonly ManualOption[] = [
  { name: '--reason', value: 'TEXT', help: 'the reason: stored in the record and sent to the model' },
  { name: '--yes', short: 'y', help: 'skip all confirmations' },
  BY,
  GROUP,
];
/** Of decisions that let nothing run as it was asked: nothing of them is confirmed. */
const DECIDE_WITHOUT: readonly ManualOption[] = DECIDE.map((option) =>
  option.name === '--yes' ? { ...option, help: 'changes nothing here: this decision has no confirmation' } : option,
);
const REMEMBER: ManualOption = {
  name: '--remember',
  value: 'always|DURATION|Nx',
  values: ['always'],
  help: 'also answers later calls like this one in the project: always, for a time such as 30d, or for a number of calls such as 5x. Before it decides, it shows what will be remembered and asks for a yes; without a terminal, and with --json, it needs --yes',
};
const EXACT: ManualOption = {
  name: '--exact',
  help: 'remember only this exact command',
};
const NOTIFY: ManualOption = {
  name: '--notify',
  value: 'bell|desktop|none',
  values: ['bell', 'desktop', 'none'],
  help: 'how the terminal notifies you of a new request [default: COUNTERSIGN_NOTIFY, or else bell]',
};
const POLICY: ManualOption = {
  name: '--policy',
  short: 'p',
  value: 'FILE',
  values: ['preset:read-only', 'preset:developer'],
  help: '',
};
const IDS = 'The last eight characters of an id are enough, as lists show them.';

const CALL: readonly ManualOption[] = [
  {
    ...POLICY,
    help: 'a policy file or preset:NAME, instead of the files of this machine; several are combined',
  },
  { name: '--tool', value: 'NAME', help: 'the tool [default: execute]' },
  { name: '--args', value: 'JSON', help: 'its arguments, instead of a command line' },
  { name: '--cwd', value: 'DIR', help: 'where relative paths start' },
  { name: '--confined', help: 'judges it as a command that runs confined and can write only there' },
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

/** What `policy import` reads. */
export const FORMATS: readonly string[] = ['claude-code', 'codex', 'gemini-cli', 'opencode', 'vscode'];

const PRESETS = ['read-only', 'developer'];

/** What may be typed behind commands, where that is known. */
const TAKES: Readonly<Record<string, readonly string[]>> = {
  grants: ['revoke'],
  'policy import': FORMATS,
  'policy preset': PRESETS,
  completion: ['bash', 'zsh', 'fish'],
};

/** The chat: it is what runs without a command. */
export const CHAT = 'chat';

export const PAGES: readonly ManualPage[] = [
  page(
    CHAT,
    '',
    'An agent in this folder that asks you before its tools run.',
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
        help: 'Auto-approve: calls that need approval run at once. Calls that a policy denies do not',
      },
      { name: '--plan', help: 'only read-only calls run' },
      {
        name: '--prompt',
        value: 'TEXT',
        help: 'one prompt, then it ends. Without a terminal nobody is asked: a call that needs an answer is rejected',
      },
      {
        name: '--json',
        help: 'events as JSON Lines; prompts come from --prompt or from stdin, one per line. Nobody is asked',
      },
      NOTIFY,
      {
        name: '--plain',
        help: 'lines instead of a screen: for screen readers and simple terminals',
      },
    ],
    'Settings are in .countersign/config.toml of the project, and in ~/.config/countersign/config.toml. Without a terminal it reads stdin line by line: prompts, and answers to requests, in turn. Exit: 0 done; 1 the run failed; 2 wrong usage; 3 something needed an answer and nobody could give it; 130 cancelled.',
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
    'It also takes the options of countersign chat, except --cwd.',
  ),
  page(
    'init',
    '[DIRECTORY]',
    "Adds approvals to the tools of a project's agent: it shows the change as a diff, and writes it after a yes. It does not change code that it does not understand, and prints the lines to add instead.",
    'countersign init --dry-run',
    [
      { name: '--yes', short: 'y', help: 'writes without asking' },
      { name: '--dry-run', help: 'writes nothing' },
      { name: '--force', help: 'also changes files that have uncommitted changes, and works outside of git' },
    ],
    'It also writes a first policy, based on the scripts and languages of the project. Exit 1 when something is left to do by hand, or there is no agent.',
  ),
  onLedger('pending', '', 'Lists the requests that wait for a decision, oldest first.', 'countersign pending --json', [
    { name: '--run', value: 'ID', help: 'only of this run' },
    RISK,
  ]),
  onLedger(
    'show',
    'ID…',
    'Shows a request: what would run, why it needs approval, and its outcome.',
    'countersign show 4f2a91c3',
    [],
    IDS,
  ),
  onLedger(
    'approve',
    'ID…',
    'Approves calls: they run.',
    'countersign approve 4f2a91c3 --reason "the branch is mine"',
    [
      {
        name: '--like',
        help: 'also approves similar requests that wait in the same run: of the same tool, and covered by the same "always". Never one that stands out',
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
    'Rejects calls. The model gets the reason.',
    'countersign reject 4f2a91c3 --reason "use notes.md instead"',
    [{ name: '--stop', help: 'also ends the run' }, REMEMBER, EXACT, ...DECIDE],
    IDS,
  ),
  onLedger(
    'edit',
    'ID',
    'Approves a call with other arguments.',
    `countersign edit 4f2a91c3 --args '{"path":"old.txt"}'`,
    [
      { name: '--args', value: 'JSON', help: 'all of the arguments' },
      { name: '--editor', help: 'opens them in $VISUAL or $EDITOR; a text that is unchanged or empty is not an edit' },
      ...DECIDE,
    ],
  ),
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
        help: 'for questions: one for each, in order; separate several labels with commas',
      },
      ...DECIDE_WITHOUT,
    ],
  ),
  onLedger(
    'skip',
    'ID…',
    'Skips calls: they do not run, and the model goes on without them.',
    'countersign skip 4f2a91c3',
    DECIDE_WITHOUT,
  ),
  onLedger(
    'watch',
    '',
    'Shows waiting requests as a live list.',
    'countersign watch --json | jq .type',
    [BY, GROUP, NOTIFY],
    'On a terminal: j and k move, d or Enter shows a request, ? lists the keys, q ends it. y approves, n rejects with a reason, e edits, r gives a result, s approves and remembers, x skips. On a pipe: a line for each event.',
  ),
  onLedger(
    'inbox',
    '',
    'Opens a web page where you can approve or reject requests, and prints a link to it.',
    'countersign inbox --port 8080',
    [
      { name: '--no-open', help: 'only prints the link, as it does over ssh, in CI, on pipes and with --json' },
      { name: '--port', value: 'N', help: 'the port to listen on [default: a free one]' },
      { name: '--by', value: 'NAME', help: 'who decides [default: the user of the system]' },
      { ...GROUP, short: 'g' },
      {
        name: '--undo',
        value: 'SECONDS',
        help: 'how long a decision can be taken back before it is sent [default: 5]; 0: it is sent at once',
      },
    ],
  ),
  onLedger('runs', '', 'Lists runs that are not over.', 'countersign runs --all', [
    { name: '--all', help: 'also those that are over' },
  ]),
  onLedger(
    'history',
    '',
    'Lists past decisions, the latest last: when, by whom, what, and why.',
    'countersign history --tool execute --limit 20',
    [
      { name: '--run', value: 'ID', help: 'only of this run' },
      { name: '--tool', value: 'NAME', help: 'only of this tool' },
      RISK,
      { name: '--limit', value: 'N', help: 'how many [default: 50]; 0: all' },
    ],
  ),
  page(
    'grants',
    '[revoke ID…]',
    'Lists and revokes decisions that are remembered for a project.',
    'countersign grants revoke 4f2a91c3',
    [
      { name: '--cwd', value: 'DIR', help: 'the project [default: that of this directory]' },
      { name: '--json', help: 'JSON Lines instead of text' },
    ],
    'What a run or a session remembers is kept in its own process: /grants in the chat lists it.',
  ),
  onLedger('audit list', '', 'Lists the last 100 entries of the audit.', 'countersign audit list --since 2h', [
    { name: '--run', value: 'ID', help: 'only of this run' },
    { name: '--kind', value: 'KIND', help: 'such as decided or granted' },
    { name: '--since', value: 'TIME', help: '2026-05-04T12:00:00Z, or 2h for two hours ago' },
    { name: '--limit', value: 'N', help: 'how many; 0: all' },
  ]),
  onLedger(
    'audit verify',
    '',
    'Checks each entry, and each request against the entries. Exit 1 when anything was changed.',
    'countersign audit verify --head head.txt --key ledger.pub',
    [
      { name: '--head', value: 'FILE', help: 'a published head' },
      { name: '--key', value: 'PUBLICKEY', help: 'the public key of its signature' },
      { name: '--file', value: 'EXPORT', help: 'an export, instead of a ledger' },
      { name: '--from', value: 'N', help: 'the entry at which the export begins' },
    ],
  ),
  onLedger(
    'audit export',
    '',
    'Prints the entries as JSON Lines, byte for byte.',
    'countersign audit export > audit.jsonl',
    [{ name: '--from', value: 'N', help: 'from this entry on' }],
  ),
  onLedger(
    'audit head',
    '',
    'Prints the head of the audit, for publishing.',
    'countersign audit head --sign ledger.key',
    [
      { name: '--sign', value: 'KEYFILE', help: 'signs it' },
      { name: '--origin', value: 'NAME', help: 'whose audit it is' },
    ],
  ),
  page(
    'audit keygen',
    'NAME',
    'Makes a key to sign heads with, and prints its public key.',
    'countersign audit keygen example.com/ledger > ledger.pub',
    [{ name: '--output', short: 'o', value: 'FILE', help: 'where the key goes [default: NAME.key]' }],
  ),
  onLedger('ledger info', '', 'Shows where the ledger is, and what it holds.', 'countersign ledger info'),
  onLedger(
    'ledger verify',
    '',
    'Checks everything in the ledger. Exit 1 when anything was changed.',
    'countersign ledger verify',
  ),
  onLedger(
    'ledger compact',
    '',
    'Removes old contents or records, and frees the space.',
    'countersign ledger compact --contents 30d',
    [
      {
        name: '--contents',
        value: 'DURATION',
        help: 'removes arguments and results of requests that ended longer ago than this',
      },
      { name: '--records', value: 'DURATION', help: 'removes whole records that ended longer ago than this' },
    ],
  ),
  onLedger('webhooks', '', 'Lists undelivered events and resends them.', 'countersign webhooks --retry all', [
    { name: '--retry', value: 'ID', help: 'sends it again; may be given several times. all: everything' },
  ]),
  page(
    'policy check',
    'COMMAND…',
    'Prints what the policies say about a call. Exit 0 allow, 3 ask, 4 deny.',
    'countersign policy check "git status && ls"',
    [...CALL, { name: '--batch', help: 'lines {"id","policy","call","cwd"?,"project"?,"home"?} to verdicts' }],
    'A command line with ; | && or quotes in it must be one argument, in quotes: otherwise your shell takes it apart.',
  ),
  page(
    'policy explain',
    'COMMAND…',
    'As policy check, with the rules that matched and lost.',
    'countersign policy explain ls -la',
    CALL,
  ),
  page(
    'policy init',
    '[DIRECTORY]',
    'Writes a first policy for a project: read-only calls, builds and tests run without asking.',
    'countersign policy init',
    [
      {
        name: '--preset',
        value: 'NAME',
        values: PRESETS,
        help: 'start from all rules of a preset instead: read-only or developer',
      },
    ],
  ),
  page(
    'policy lint',
    '[FILE…]',
    'Finds rules that are shadowed, can match nothing, or allow too much.',
    'countersign policy lint',
    [
      { name: '--tool', value: 'NAME', help: 'a tool that exists; may be given several times' },
      { name: '--json', help: 'the findings as JSON' },
    ],
    "Without a file it checks the project's policy. Exit 1 when something is plainly wrong.",
  ),
  page(
    'policy replay',
    'LOG',
    'Judges recorded calls by other rules, and lists what would change.',
    'countersign policy replay calls.jsonl --policy new.toml',
    [
      { ...POLICY, help: 'the rules to try; several are combined' },
      { name: '--cwd', value: 'DIR', help: 'where relative paths start' },
      { name: '--json', help: 'the changes as JSON' },
    ],
    'LOG has a line {"toolName","args","cwd"?,"effect"?} for each call; - means stdin.',
  ),
  page(
    'policy suggest',
    '',
    "Suggests rules for this project's policy from past requests, and counts the questions that they would have saved.",
    'countersign policy suggest',
    [
      { name: '--cwd', value: 'DIR', help: 'a folder of the project [default: this one]' },
      { name: '--write', help: 'writes the rules; without it, a terminal asks and a pipe only shows them' },
      { ...BY, help: 'who accepts them, for the audit [default: the user of the system]' },
      ...LEDGER.map((option) => (option.name === '--json' ? { ...option, help: 'the suggestion as JSON' } : option)),
    ],
    'It starts from the rules that "always" would have saved for calls that people approved or rejected three times, and judges the whole history with them. It leaves out a rule that would allow a call that a person did not allow. Rules are added at the end of .countersign/policy.toml; the rest of the file is not changed.',
  ),
  page(
    'policy import',
    'FORMAT FILE',
    'Converts the rules of another product to a policy: claude-code, codex, gemini-cli, opencode, vscode.',
    'countersign policy import claude-code .claude/settings.json',
    [
      {
        name: '--output',
        short: 'o',
        value: 'FILE',
        help: 'the file to write; an existing file is not overwritten [default: stdout]',
      },
    ],
  ),
  page(
    'policy preset',
    'NAME',
    'Prints a preset, to copy and change: read-only or developer.',
    'countersign policy preset developer',
  ),
  page(
    'policy trust',
    '[DIRECTORY]',
    "Lets a project's policy, in its present form, allow calls and not only ask and deny.",
    'countersign policy trust',
    [
      { name: '--remove', help: 'withdraws the trust' },
      { name: '--list', help: 'lists the trusted policies' },
    ],
  ),
  page(
    'preview',
    '',
    'Prints a call as text that is safe to show.',
    `countersign preview --tool execute --args '{"command":"ls"}'`,
    [
      { name: '--tool', value: 'NAME', help: 'the tool' },
      { name: '--args', value: 'JSON', help: 'its arguments' },
      { name: '--width', value: 'COLUMNS', help: 'breaks lines at this width' },
      { name: '--batch', help: 'lines {"id","toolName","args","width"?} to {"id","text","flags"}' },
    ],
  ),
  page(
    'doctor',
    '',
    'Checks this machine for this folder: the versions of countersign, the runtime and the AI SDK, how commands can be confined, which policy files count, and which ledger is used. Exit 1 when something is wrong.',
    'countersign doctor --json',
    LEDGER.map((option) => (option.name === '--json' ? { ...option, help: 'the same as one line of JSON' } : option)),
  ),
  page(
    'completion',
    'bash|zsh|fish',
    'Prints a completion script for a shell.',
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
  return [
    ...lines,
    '',
    `See countersign ${command} ${subcommandsOf(command)[0]} --help for its options.`,
    '',
    'Examples:',
    ...pages.slice(0, 3).map(({ example }) => `  ${example}`),
    '',
  ].join('\n');
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
