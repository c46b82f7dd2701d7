/**
 * What a call would do that may not be undone: it may do once more what it has done, takes something away, writes over it, gives it out, takes more rights, runs what
 * the network sends, or runs code that no rule looks into. A hint that asks for a second look. It allows nothing, and what it does not know is not harmless for that:
 * harmless is what the core has proven.
 */
import type { ApprovalRequest } from '../../index.js';
import { risksInWords, seemsInWords, standsOut, startedFirst, startedInWords } from './stands-out.js';

export type CallDanger = 'deletes' | 'overwrites' | 'publishes' | 'escalates' | 'runs-fetched' | 'runs-code';

/** What is looked at of a call. */
export type DangerousCall = Pick<ApprovalRequest, 'toolName' | 'args' | 'verdict' | 'changes'> &
  Partial<Pick<ApprovalRequest, 'startedBefore'>> & {
    /** It is an edit, and the rules that it stands under, or the files that it writes, were not looked at. */
    isUnread?: boolean;
  };

/**
 * Whether it is proven to do no lasting harm, and nothing about it stands out. Only then "yes" may be marked before anybody has
 * chosen: all else, and so each program that is not known, is begun on "no".
 */
export const isHarmless = (call: DangerousCall & Pick<ApprovalRequest, 'flags' | 'proven' | 'contents'>): boolean =>
  call.proven !== null && call.contents === 'kept' && !hasReach(call) && doubtsAbout(call).length === 0;

/** Whether it names what it is to reach beside its line: that is what is asked about, and what is proven of the line is not about it. */
export const hasReach = ({ args }: Pick<DangerousCall, 'args'>): boolean => argument(args, 'reach') !== undefined;

/** Each in a few words, behind "it". */
export const DANGER_WORDS: Readonly<Record<CallDanger, string>> = {
  deletes: 'it may delete something for good',
  overwrites: 'it writes over what is there',
  publishes: 'it sends something that cannot be recalled',
  escalates: 'it takes or gives more rights',
  'runs-fetched': 'it may run what it fetches from the network',
  'runs-code': 'it runs code that no rule looks into',
};

/** What a human must look at twice, in words: what the call may do, that it may have run first, and what it may hide. */
export const doubtsAbout = (call: DangerousCall & Pick<ApprovalRequest, 'flags'>): string[] => [
  ...dangersInWords(call),
  ...standsOut(call),
];

/** Whether a call stands out: one yes is not enough for it. */
export const needsSecondYes = (call: DangerousCall & Pick<ApprovalRequest, 'flags'>): boolean =>
  doubtsAbout(call).length > 0;

/** Said in front of the second question about a call that stands out. */
export function beware(call: DangerousCall & Pick<ApprovalRequest, 'flags'>): string {
  const { first, others } = startedFirst(dangersInWords(call));
  return `Careful: ${[...first, ...seemsInWords(call, 'at first'), ...others].join('; ')}`;
}

/** What stands out in a call, in words: that it may have run first, then what rules mark as a risk. */
export const dangersInWords = (call: DangerousCall): string[] => [
  ...startedInWords(call),
  ...risksInWords(call),
  ...(call.isUnread === true ? [UNREAD] : []),
  ...dangersOf(call).map((danger) => DANGER_WORDS[danger]),
];

const UNREAD = 'it was edited, and not all of its rules and files were looked at for that';

/** What stands out in a call; empty: nothing that is known here. */
export function dangersOf(call: DangerousCall): CallDanger[] {
  const { toolName, args, verdict } = call;
  const found = new Set<CallDanger>([
    ...ofName(toolName),
    ...ofQueries(args),
    ...ofChanges(call),
    ...ofLosses(verdict),
  ]);
  const commands = commandsOf(call);
  for (const argv of commands) for (const danger of ofCommand(argv)) found.add(danger);
  // Where the code comes from says more than that it is some.
  if (runsFetched(commands)) {
    found.add('runs-fetched');
    found.delete('runs-code');
  }
  return ORDER.filter((danger) => found.has(danger));
}

const ORDER = Object.keys(DANGER_WORDS) as CallDanger[];

type CommandWords = readonly string[];

/** Words of each command: as the policies have read them, else as they stand there. */
function commandsOf({ verdict, args }: DangerousCall): CommandWords[] {
  const read = (verdict?.actions ?? []).flatMap((action) =>
    action.kind === 'command' ? [action.argv.map((word) => word ?? '')] : [],
  );
  if (read.length > 0 && verdict?.more === undefined) return read;
  const texts = ['command', 'cmd', 'script', 'code'].flatMap((name) => textsOf(argument(args, name)));
  return [...read, ...texts.flatMap(splitRoughly)];
}

/** Where no policy has read it: what stands between the signs that separate commands. It sees too many rather than too few. */
const splitRoughly = (text: string): CommandWords[] =>
  text
    .split(/[;&|\n(){}`]|\$\(/)
    .map((part) => part.trim().replace(/^(?:\w+=\S*\s+)+/, ''))
    .filter((part) => part !== '')
    .map((part) => part.split(/\s+/).map((word) => word.replace(/^["']|["']$/g, '')));

function argument(args: unknown, name: string): unknown {
  if (typeof args !== 'object' || args === null || !Object.hasOwn(args, name)) return undefined;
  return (args as Record<string, unknown>)[name];
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? [value.join(' ')] : [];
}

// --- commands ---------------------------------------------------------------------------------------------------------

/** Programs that do it with any arguments. */
const PROGRAMS: Readonly<Record<CallDanger, ReadonlySet<string>>> = {
  deletes: new Set(
    (
      'rm unlink shred srm trash del rd erase dropdb wipefs kill pkill killall taskkill shutdown reboot halt poweroff ' +
      'userdel groupdel'
    ).split(' '),
  ),
  overwrites: new Set(['dd', 'truncate', 'fdisk', 'parted', 'mkswap', 'format']),
  publishes: new Set(['sendmail', 'mail', 'mailx', 'mutt']),
  escalates: new Set(
    (
      'sudo doas su pkexec runas chmod chown chgrp setfacl setcap visudo passwd usermod useradd adduser gpasswd ' +
      'chroot nsenter runuser setpriv'
    ).split(' '),
  ),
  'runs-fetched': new Set(),
  'runs-code': new Set(),
};

/** An option of an interpreter, in front of the file that it runs: what stands behind that is the file's own. */
const beforeFile = (option: string): RegExp =>
  new RegExp(`^(?:(?:-[rWXIM]|--require|--import) \\S+ +|-\\S+ +)*${option}`);

/** Programs with a word behind them, and options that make the difference. */
const WITH_WORDS: readonly { danger: CallDanger; program: RegExp; words: RegExp }[] = [
  {
    danger: 'deletes',
    program: /^git$/,
    words:
      /^(?:clean(?!.* (?:-\w*n|--dry-run))|rm|prune|gc|filter-branch|filter-repo|restore (?!(?:--staged|-S)\b(?!.* (?:--worktree|-\w*W)))|reset .*--hard|stash (?:drop|clear)|branch .*(?:-D|-d|--delete)|tag .*(?:-d|--delete)|checkout (?:.* )?(?:--|-f|\.)(?: |$)|reflog (?:expire|delete)|worktree remove|push .*(?:--delete|--mirror|--prune|-d\b))/,
  },
  { danger: 'overwrites', program: /^git$/, words: /^(?:push .*(?:--force|-f\b| \+)|rebase|commit .*--amend)/ },
  { danger: 'publishes', program: /^git$/, words: /^(?:push|send-email)\b/ },
  { danger: 'deletes', program: /^find$/, words: /(?:^| )-(?:delete|exec(?:dir)? (?:\S*\/)?(?:rm|unlink|shred))\b/ },
  { danger: 'deletes', program: /^(?:rsync|robocopy)$/, words: /--del|\/(?:mir|purge)\b/i },
  { danger: 'overwrites', program: /^(?:mv|cp|install|ln)$/, words: /(?:^| )-\w*f/ },
  { danger: 'overwrites', program: /^(?:perl|ruby)$/, words: beforeFile('-(?!r)[a-z\\d]*i') },
  { danger: 'overwrites', program: /^g?awk$/, words: /(?:^| )(?:-i|--include[= ]) ?inplace\b/ },
  { danger: 'overwrites', program: /^mkfs(?:\..+)?$/, words: /^/ },
  {
    danger: 'publishes',
    program: /^(?:npm|pnpm|yarn|bun|cargo|poetry|uv|deno|lerna|vsce|ovsx|dart|flutter|hatch|flit|mvn|gradle)$/,
    words: /(?:^| )(?:publish|deploy)\b/,
  },
  { danger: 'deletes', program: /^(?:npm|pnpm|yarn|cargo)$/, words: /^(?:unpublish|deprecate|yank)\b/ },
  { danger: 'publishes', program: /^twine$/, words: /^upload\b/ },
  { danger: 'publishes', program: /^(?:dotnet|nuget)$/, words: /^(?:nuget )?push\b/ },
  {
    danger: 'publishes',
    program: /^(?:aws|gsutil|gcloud|az)$/,
    words: /(?:^| )(?:cp|mv|sync|rsync)\b.* (?:s3|gs):\/\/\S*(?: -.*)?$/,
  },
  { danger: 'publishes', program: /^(?:nc|ncat|netcat|socat|telnet)$/, words: /\S/ },
  { danger: 'publishes', program: /^gem$/, words: /^push\b/ },
  { danger: 'deletes', program: /^gem$/, words: /^yank\b/ },
  {
    danger: 'publishes',
    program: /^(?:docker|podman|buildah|skopeo|helm|oras)$/,
    words: /^(?:(?:image )?push|copy)\b/,
  },
  {
    danger: 'deletes',
    program: /^(?:docker|podman|docker-compose)$/,
    words: /(?:^| )(?:rm|rmi|prune|kill|down)\b/,
  },
  {
    danger: 'deletes',
    program: /^(?:kubectl|oc|helm|flyctl|fly|heroku|doctl)$/,
    words: /(?:^| )(?:delete|drain|uninstall|(?:\S*:)?(?:destroy|remove|reset|kill))\b/,
  },
  {
    danger: 'publishes',
    program: /^(?:kubectl|oc|helm)$/,
    words: /^(?:apply|install|upgrade|rollout|create|replace|patch|scale)\b/,
  },
  { danger: 'deletes', program: /^(?:terraform|tofu|pulumi|cdk|terragrunt)$/, words: /^destroy\b/ },
  { danger: 'deletes', program: /^(?:serverless|sls|vercel)$/, words: /^(?:remove|rm)\b/ },
  { danger: 'publishes', program: /^(?:terraform|tofu|pulumi|cdk|terragrunt)$/, words: /^(?:apply|up|deploy)\b/ },
  {
    danger: 'deletes',
    program: /^(?:aws|gcloud|az|gsutil)$/,
    words: /(?:^| )(?:(?:--)?delete\S*|rm|rb|terminate\S*|destroy\S*|purge\S*)\b/,
  },
  {
    danger: 'publishes',
    program: /^gh$/,
    words: /^(?:release|pr|issue|gist|repo|workflow) (?:create|merge|comment|close|edit|run|review|upload|fork)\b/,
  },
  { danger: 'deletes', program: /^gh$/, words: /^\S+ delete\b/ },
  {
    danger: 'publishes',
    program: /^(?:vercel|netlify|wrangler|firebase|serverless|sls|surge|cap|eb)$/,
    words: /(?:^|^.* )(?:deploy|publish|--prod)\b/,
  },
  {
    danger: 'publishes',
    program: /^curl$/,
    words: /(?:^| )(?:-X ?(?:POST|PUT|PATCH|DELETE)|--request|-d\b|--data\S*|-F\b|--form|-T\b|--upload-file|--json)/,
  },
  { danger: 'publishes', program: /^wget$/, words: /--(?:post|body|method)/ },
  { danger: 'publishes', program: /^(?:scp|rsync|sftp)$/, words: /(?:^| )(?:\w+@)?[\w.-]+:(?!\/\/|\\)\S* *$/ },
  { danger: 'publishes', program: /^(?:fly|flyctl|heroku|render|railway)$/, words: /(?:^| )(?:deploy|up|release)\b/ },
  {
    danger: 'escalates',
    program: /^(?:docker|podman)$/,
    words:
      /^(?:container )?(?:run|create)\b.*(?:^| )(?:-v|--volume|--mount|--privileged|--pid|--net(?:work)?=host|--cap-add)/,
  },
  // A package runs what it brings along, as it is installed or at once.
  { danger: 'runs-fetched', program: /^(?:npx|bunx|uvx|pnpx)$/, words: /\S/ },
  { danger: 'runs-fetched', program: /^(?:npm|pnpm|yarn|bun)$/, words: /^(?:dlx|exec|x|create|init) +\S/ },
  { danger: 'runs-fetched', program: /^(?:npm|pnpm|yarn|bun)$/, words: /^(?:install|i|in|add) +(?:-\S+ +)*[^-\s]/ },
  {
    danger: 'runs-fetched',
    program: /^(?:pip[\d.]*|pipx|gem|cargo|go|conda|mamba|brew|luarocks|cpan)$/,
    words: /^install +(?:-\S+ +)*[^-\s.][^\s]*/,
  },
  { danger: 'runs-fetched', program: /^pipx$/, words: /^run +\S/ },
  {
    danger: 'runs-fetched',
    program: /^(?:uv|poetry|composer)$/,
    words: /^(?:(?:pip|tool) )?(?:install|add|require) +(?:-\S+ +)*[^-\s]/,
  },
  { danger: 'runs-fetched', program: /^python[\d.]*$/, words: /^-m pip install +(?:-\S+ +)*[^-\s.]/ },
  { danger: 'runs-fetched', program: /^deno$/, words: /^(?:run|install)\b.* (?:https?:|npm:|jsr:)/ },
  { danger: 'deletes', program: /^(?:redis-cli)$/i, words: /\bflush(?:all|db)\b/i },
  { danger: 'deletes', program: /^(?:crontab)$/, words: /(?:^| )-r\b/ },
  // Code in the line. What a shell is given with -c the policies read, as commands of its own.
  { danger: 'runs-code', program: /^(?:python[\d.]*|pypy\d*)$/, words: beforeFile('-[a-zA-Z]*c') },
  { danger: 'runs-code', program: /^(?:node|bun|tsx)$/, words: beforeFile('(?:-(?:e|p|pe)\\b|--(?:eval|print)\\b)') },
  { danger: 'runs-code', program: /^(?:perl|ruby)$/, words: beforeFile('-(?!r)[a-z\\d]*[eE]') },
  {
    danger: 'runs-code',
    program: /^(?:lua|luajit|osascript|rscript|julia|elixir|groovy|scala)$/,
    words: beforeFile('-e\\b'),
  },
  { danger: 'runs-code', program: /^php$/, words: beforeFile('-r\\b') },
  { danger: 'runs-code', program: /^deno$/, words: /^eval\b/ },
  { danger: 'runs-code', program: /^(?:pwsh|powershell)$/, words: /(?:^| )-(?:c|command|e|ec|encodedcommand)\b/i },
  { danger: 'runs-code', program: /^[gmn]?awk$/, words: /\bsystem *\(|\| *(?:&? *)?(?:getline|")|" *\| *getline/ },
];

const nameOf = ([program = '']: CommandWords): string =>
  program
    .replace(/^.*[\\/]/, '')
    .replace(/\.exe$/i, '')
    .toLowerCase();

/** Options that take the next word, in front of the word that counts: `git -C dir push`. */
const TAKE_A_WORD: ReadonlySet<string> = new Set(
  '-C -c --git-dir --work-tree --prefix -n --namespace --context'.split(' '),
);

/** The words from the one that counts on. */
function wordsFrom(argv: CommandWords): CommandWords {
  let at = 1;
  while (argv[at]?.startsWith('-') === true) at += TAKE_A_WORD.has(argv[at] ?? '') ? 2 : 1;
  return argv.slice(at);
}

/** What a script or a task is called that does it: `./deploy.sh`, `npm run release:next`. What is in it is not looked at. */
const SCRIPTS: readonly [CallDanger, RegExp][] = [
  [
    'deletes',
    /^(?:.*[:_-])?(?:clean|cleandead|distclean|realclean|mrproper|clobber|expunge|purge|wipe|destroy|teardown|drop|reset)(?:[:_.-].*)?$/,
  ],
  ['publishes', /^(?:.*[.:_-]|\+)?(?:deploy|publish|release|upload)(?:[:_.-].*|to\w+)?$/],
];

/** Programs that run the file of this name. */
const INTERPRETERS =
  /^(?:(?:ba|da|z|k|fi)?sh|source|\.|node|tsx|ts-node|deno|bun|python[\d.]*|ruby|perl|php|lua|pwsh|powershell)$/;

/** Programs that run a task of this name. The rule of `preset:read-only` about such names knows the same ones: a test compares them. */
const RUNNERS =
  /^(?:npm|pnpm|yarn|bun|deno|g?make|just|task|rake|mvnw?|gradlew?|mise|poe|nox|tox|invoke|inv|fab|composer|turbo|nx|gulp|grunt|lerna|moon|mage|rails|artisan|cap|rebar3|zig|dune|waf|b2|buck2|pants|phing|php|ant|bazel|bazelisk|ninja|samu|cmake|sbt|lein|mix|stack|cabal|swift|xcodebuild|hatch|meson|scons|poetry|earthly)$/;

/** So many words behind a runner may be the task: `npm run clean`, `cmake --build . --target clean`. */
const TASK_WORDS = 4;

/** The names of scripts in a command: the program itself, the file of an interpreter, the tasks of a runner. */
function scriptsOf(argv: CommandWords): string[] {
  const name = nameOf(argv);
  const words = wordsFrom(argv);
  const file = INTERPRETERS.test(name) && words[0] !== undefined ? [nameOf([words[0]])] : [];
  const tasks = RUNNERS.test(name) ? words.slice(0, TASK_WORDS).map((word) => word.toLowerCase()) : [];
  return [name, ...file, ...tasks.filter((word) => !/^-|[\\/]/.test(word))];
}

/** Whether an interpreter is given no file: it runs what it reads, as behind a pipe. */
const readsCode = (argv: CommandWords): boolean =>
  INTERPRETERS.test(nameOf(argv)) &&
  !/^(?:source|\.)$/.test(nameOf(argv)) &&
  wordsFrom(argv).length === 0 &&
  !argv.slice(1).some((word) => /^-(?:[a-zA-Z]*[cehmvVr]|-\w.*)$/.test(word));

/** Programs that run the words behind them elsewhere: `kubectl exec p -- rm x`, `ssh h rm x`. */
function elsewhere(argv: CommandWords): CommandWords[] {
  const name = nameOf(argv);
  const at =
    name === 'ssh' ? 0 : /^(?:kubectl|oc|docker|podman|docker-compose)$/.test(name) ? argv.indexOf('exec') : -1;
  if (at === -1) return [];
  const words = argv.slice(at + 1).flatMap((word) => word.split(/\s+/));
  return words.map((_, from) => words.slice(from));
}

/** Clients of databases: what is in their words is a query. */
const QUERIES = /^(?:psql|mysql|mariadb|sqlite3|sqlcmd|mongosh?|duckdb|clickhouse(?:-client)?)$/;

function ofCommand(argv: CommandWords): CallDanger[] {
  const name = nameOf(argv);
  const words = argv.slice(1).join(' ');
  const bare = wordsFrom(argv).join(' ');
  const scripts = scriptsOf(argv);
  const more = new Set([
    ...(readsCode(argv) ? (['runs-code'] as const) : []),
    ...(QUERIES.test(name) ? ofQuery(words) : []),
    ...elsewhere(argv).flatMap((each) => ofCommand(each)),
  ]);
  return ORDER.filter(
    (danger) =>
      more.has(danger) ||
      PROGRAMS[danger].has(name) ||
      SCRIPTS.some(([each, pattern]) => each === danger && scripts.some((script) => pattern.test(script))) ||
      WITH_WORDS.some(
        (each) =>
          each.danger === danger && each.program.test(name) && (each.words.test(words) || each.words.test(bare)),
      ),
  );
}

const FETCHES: ReadonlySet<string> = new Set('curl wget fetch aria2c http https xh httpie lynx iwr irm'.split(' '));
const RUNS =
  /^(?:(?:ba|z|da|k|c|tc|a|fi)?sh|python[\d.]*|node|deno|bun|perl|ruby|php|lua|pwsh|powershell|eval|source|\.|iex|osascript|xargs)$/;

/** Something fetches, and something else runs what it is given. */
const runsFetched = (commands: readonly CommandWords[]): boolean =>
  commands.some((argv) => FETCHES.has(nameOf(argv))) && commands.some((argv) => RUNS.test(nameOf(argv)));

// --- other tools ------------------------------------------------------------------------------------------------------

const NAMES: readonly [CallDanger, RegExp][] = [
  [
    'deletes',
    /\b(?:delete|del|remove|drop|destroy|purge|unlink|truncate|wipe|erase|clear|revoke|cancel|terminate|rm|uninstall|kill|stop|shutdown|reboot|deactivate|(?:close|shut) (?:\w+ )?(?:account|down))\b/,
  ],
  ['overwrites', /\b(?:overwrite|replace|reset|restore)\b/],
  [
    'publishes',
    /\b(?:publish|deploy|release|push|send|post|mail|email|tweet|pay|refund|transfer|charge|withdraw|merge|notify|upload|share|(?:make|create|submit|process) (?:\w+ )?payment)\b/,
  ],
  [
    'escalates',
    /\b(?:grant|sudo|elevate|impersonate|chmod|chown|permissions?|invite|(?:add|make|create|set) (?:\w+ )?admin)\b/,
  ],
];

/** By the words of a tool's name: `delete_file`, `sendMail`. */
function ofName(toolName: string): CallDanger[] {
  const words = toolName
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ');
  return NAMES.flatMap(([danger, pattern]) => (pattern.test(words) ? [danger] : []));
}

/** By what a query says. */
const ofQueries = (args: unknown): CallDanger[] =>
  ['sql', 'query', 'statement', 'statements'].flatMap((name) => textsOf(argument(args, name))).flatMap(ofQuery);

const QUERY_WORDS: readonly [CallDanger, RegExp][] = [
  ['deletes', /\b(?:drop(?:database|index\w*)?|delete(?:one|many)?|truncate|remove)\b/i],
  ['overwrites', /\b(?:update\s+\S+\s+set|alter|replace\s+into|merge\s+into|update(?:one|many)|replaceone)\b/i],
  ['escalates', /\b(?:grant|revoke|(?:create|alter)\s+(?:user|role)|superuser)\b/i],
  ['runs-code', /\bcopy\b[^;]*\b(?:to|from)\s+program\b/i],
];

const ofQuery = (query: string): CallDanger[] =>
  QUERY_WORDS.flatMap(([danger, pattern]) => (pattern.test(query) ? [danger] : []));

/** What becomes of the files that are there, as the policies have read it, by any program. */
const ofLosses = (verdict: DangerousCall['verdict']): CallDanger[] =>
  (verdict?.actions ?? []).flatMap((action) => {
    if (action.kind !== 'write' || action.loss === undefined) return [];
    return [action.loss === 'deleted' ? 'deletes' : 'overwrites'];
  });

/** Whether its calls put something in the place of what is there, and do not change a part of it. */
export const mayOverwrite = (toolName: string): boolean => /write|create|save|put/i.test(toolName);

/** A file that is there, and whose whole content becomes another one. */
function ofChanges({ toolName, changes }: DangerousCall): CallDanger[] {
  return mayOverwrite(toolName) && changes.some(({ before, removed }) => before !== null && removed > 0)
    ? ['overwrites']
    : [];
}
