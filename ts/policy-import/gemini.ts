/** Gemini CLI's policies: `[[rule]]` with a priority; the highest that matches decides. */
import { readTree } from '../native.js';
import { STRICTNESS } from './strictness.js';
import { namesFor, type ToolUse } from '../options/usual-names.js';
import type { PolicyEffect, TreeNode } from '../wire.js';
import { mayNameOurs, PolicyDraft } from './draft.js';
import { hasAlternatives, narrowExpression, wideExpression } from './regex.js';
import {
  FETCHERS,
  isNamedBy,
  namesLike,
  onServers,
  READERS,
  SHELLS,
  WRITERS,
  type ForeignRule,
  type OwnRule,
} from './rules.js';
import { ImportFault, NOWHERE, trimmed, withoutStart, type Place, type SourceText } from './text.js';
import { ANY_WORD, beginningPattern, meansEvery, type WordPattern } from './words.js';

/** Keys of a rule that are read. */
const KNOWN = [
  'toolName',
  'mcpName',
  'argsPattern',
  'commandPrefix',
  'commandRegex',
  'modes',
  'interactive',
  'decision',
  'priority',
  'deny_message',
  'denyMessage',
  'allowRedirection',
  'allow_redirection',
  'toolAnnotations',
  'subagent',
];
/** Keys of a rule that make it speak of less than ours can say. */
const CONDITIONS = ['argsPattern', 'toolAnnotations', 'subagent'];

type RuleTable = ReadonlyMap<string, TreeNode>;

/** Reads a policy. */
export function readGemini(source: SourceText): PolicyDraft {
  const draft = new PolicyDraft('first');
  draft.default = 'ask';
  const read = rulesOf(draft, source).map((node) => {
    const at = source.place(node.start);
    if (node.kind !== 'table') throw new ImportFault('a rule must be a table: write [[rule]], with two brackets', at);
    const table: RuleTable = new Map(node.entries.map(({ key, node }) => [key, node]));
    const effect = effectOf(table, at);
    const priority = priorityOf(table, at);
    const unknown = [...table.keys()].toSorted().find((name) => !KNOWN.includes(name));
    if (unknown !== undefined) throw new ImportFault(`\`${unknown}\` is not known; write ${KNOWN.join(', ')}`, at);
    const reason = textAt(table, 'deny_message') ?? textAt(table, 'denyMessage');
    return { priority, table, foreign: { what: writtenFrom(source, node.start), at, effect, reason } };
  });
  // Where two are equally strong, the stricter first.
  const strongest = read.toSorted(
    (one, other) => other.priority - one.priority || STRICTNESS[other.foreign.effect] - STRICTNESS[one.foreign.effect],
  );
  for (const { foreign, table } of strongest) readRule(draft, foreign, table);
  return draft;
}

/** The rules; each other table is told. */
function rulesOf(draft: PolicyDraft, source: SourceText): readonly TreeNode[] {
  const tree = readTree(source.text, 'toml');
  if ('problem' in tree) throw new ImportFault(tree.problem.message, source.place(tree.problem.start));
  if (tree.root.kind !== 'table') return [];
  const { entries } = tree.root;
  for (const name of entries.map(({ key }) => key).toSorted()) {
    if (name === 'rule') continue;
    draft.dropped({ what: name, at: NOWHERE }, 'it is not a `[[rule]]`: set up again what it checks');
  }
  const rules = entries.find(({ key }) => key === 'rule');
  if (rules === undefined) return [];
  if (rules.node.kind === 'list') return rules.node.items;
  throw new ImportFault(
    '`rule` must be a list of tables: write [[rule]], with two brackets',
    source.place(rules.start),
  );
}

/** A rule as it is written, from its beginning on. */
function writtenFrom({ text }: SourceText, start: number): string {
  const end = text.indexOf('\n[', start + 2);
  return trimmed(end === -1 ? text.slice(start) : text.slice(start, end));
}

function effectOf(table: RuleTable, at: Place): PolicyEffect {
  switch (textAt(table, 'decision')) {
    case 'allow':
      return 'allow';
    case 'ask_user':
      return 'ask';
    case 'deny':
      return 'deny';
    default:
      throw new ImportFault('`decision` must be "allow", "deny" or "ask_user"', at);
  }
}

function priorityOf(table: RuleTable, at: Place): number {
  const node = table.get('priority');
  if (node === undefined) return 0;
  if (node.kind === 'number' && node.number !== null) return node.number;
  throw new ImportFault('`priority` must be a number', at);
}

function readRule(draft: PolicyDraft, foreign: ForeignRule, table: RuleTable): void {
  const allow = foreign.effect === 'allow';
  const modes = textsAt(table, 'modes', foreign.at);
  const conditional = CONDITIONS.some((name) => table.has(name));
  if (allow) {
    const why = whyNoAllow(table, modes, conditional);
    if (why !== undefined) {
      draft.dropped(foreign, why);
      return;
    }
  }
  const conditions = modes !== undefined || table.has('interactive') || conditional;
  const prefixes = textsAt(table, 'commandPrefix', foreign.at);
  const expressions = textsAt(table, 'commandRegex', foreign.at);
  if (prefixes !== undefined || expressions !== undefined) {
    for (const prefix of prefixes ?? []) put(draft, foreign, beginningPattern(prefix, 'word'), conditions);
    for (const expression of expressions ?? []) putExpression(draft, foreign, expression, conditions);
    return;
  }
  const names = textsAt(table, 'toolName', foreign.at);
  const servers = textsAt(table, 'mcpName', foreign.at);
  if (allow && servers === undefined) {
    for (const name of names ?? []) {
      if (name === '*' || Object.hasOwn(THEIRS, name) || !mayNameOurs(name)) continue;
      draft.dropped(foreign, `\`${name}\` could mean tools that read, write or run here: name them`);
    }
  }
  for (const ours of rulesOverTools(foreign, names ?? ['*'], servers)) {
    if (!conditions || allow) draft.rule(foreign, ours);
    else {
      const why = 'every call, in every mode, since its conditions cannot be said';
      draft.wider(foreign, ours, why);
    }
  }
}

function whyNoAllow(table: RuleTable, modes: readonly string[] | undefined, conditional: boolean): string | undefined {
  if (modes !== undefined && !modes.includes('default')) return 'it allows in other modes than the usual one only';
  if (table.has('interactive')) return 'it allows only where somebody sits at the terminal, or only where nobody does';
  return conditional ? 'an expression over arguments, hints of tools and names of agents cannot be said' : undefined;
}

function put(draft: PolicyDraft, foreign: ForeignRule, pattern: WordPattern, conditions: boolean): void {
  const allow = foreign.effect === 'allow';
  if (meansEvery(pattern) && allow) {
    draft.dropped(foreign, 'it names no command');
    return;
  }
  if (conditions && !allow) {
    draft.stricter(foreign, 'always, since its conditions cannot be said');
    draft.commandsAtLeast(foreign, pattern);
  } else draft.commands(foreign, pattern);
}

function putExpression(draft: PolicyDraft, foreign: ForeignRule, written: string, conditions: boolean): void {
  // It stands right after the quote before the command, and is anchored by that.
  const source = written.replace(/^\^+/, '');
  const allow = foreign.effect === 'allow';
  // Only the first of several alternatives does so: the others are found anywhere.
  const loose = hasAlternatives(source);
  const stopped = loose ? source : `^${source}`;
  const patterns = allow ? narrowExpression(source) : wideExpression(stopped, { overLine: true, loose });
  if (patterns !== undefined) for (const pattern of patterns) put(draft, foreign, pattern, conditions);
  else if (allow) draft.dropped(foreign, 'this expression cannot be said with words');
  else draft.everyCommand(foreign);
}

/** They work on files below the directory that they are started in. */
const IN_PLACE = ['${cwd}/**'];

interface KnownTool {
  /** Ours that do the same, for an allow. */
  ours: readonly string[];
  /** What an ask or a deny is for. */
  uses: readonly ToolUse[];
  /** What an allow of it is for. Their tools stay in their directory. */
  allows: Partial<OwnRule>;
}

/** Their tools. */
const THEIRS: Readonly<Record<string, KnownTool>> = {
  run_shell_command: { ours: SHELLS, uses: ['run'], allows: { command: [ANY_WORD] } },
  read_file: { ours: ['read_file'], uses: ['read'], allows: { reads: IN_PLACE } },
  read_many_files: { ours: ['read_file'], uses: ['read'], allows: { reads: IN_PLACE } },
  list_directory: { ours: ['ls'], uses: ['list'], allows: { reads: IN_PLACE } },
  glob: { ours: ['glob'], uses: ['glob'], allows: { reads: IN_PLACE } },
  search_file_content: { ours: ['grep'], uses: ['search'], allows: { reads: IN_PLACE } },
  grep_search: { ours: ['grep'], uses: ['search'], allows: { reads: IN_PLACE } },
  write_file: { ours: ['write_file'], uses: ['write'], allows: { writes: IN_PLACE } },
  replace: { ours: ['edit_file'], uses: ['edit'], allows: { writes: IN_PLACE } },
  web_fetch: { ours: FETCHERS, uses: ['fetch'], allows: {} },
};

/** Rules over whole tools. */
function rulesOverTools(
  { effect }: ForeignRule,
  names: readonly string[],
  servers: readonly string[] | undefined,
): Partial<OwnRule>[] {
  const allow = effect === 'allow';
  if (servers !== undefined) {
    return [{ tools: servers.flatMap((server) => names.flatMap((name) => namesOnServer(server, name, allow))) }];
  }
  return names.flatMap((name) => (allow ? allowsOf(name) : stopsOf(name)));
}

function allowsOf(name: string): Partial<OwnRule>[] {
  if (name === '*') {
    return [
      { tools: READERS, reads: IN_PLACE },
      { tools: WRITERS, writes: IN_PLACE },
      // Redirections are apart there, too.
      { tools: SHELLS, command: [ANY_WORD] },
    ];
  }
  const known = Object.hasOwn(THEIRS, name) ? THEIRS[name] : undefined;
  if (known !== undefined) return [{ tools: known.ours, ...known.allows }];
  return mayNameOurs(name) ? [] : [{ tools: [name] }];
}

/** A pattern over names stands for their tools, also for those with other names here. */
function stopsOf(name: string): Partial<OwnRule>[] {
  const isPattern = name.includes('*') && name !== '*';
  const known = Object.keys(THEIRS).filter((each) => each === name || (isPattern && isNamedBy(name, each)));
  const uses = known.flatMap((each) => THEIRS[each]?.uses ?? []);
  const rule = { tools: [...new Set([...namesFor(...uses), ...namesLike(name), ...ofServers(name)])] };
  return known.includes('run_shell_command') ? [{ command: [ANY_WORD] }, rule] : [rule];
}

function namesOnServer(server: string, name: string, allow: boolean): string[] {
  // A name may say the server once more.
  const bare = bareName(server, name);
  const ours = `mcp__${server}__${bare}`;
  if (allow) return [ours];
  // Theirs joins the names with one `_`. The tool may be called so itself.
  return [ours, `mcp_${server}_${bare}`, ...(bare === name ? [] : [`mcp__${server}__${name}`])];
}

/** The name of a tool without its server, where it says that too: `mcp_S_x`, `mcp__S__x`, `S__x`. */
function bareName(server: string, name: string): string {
  const prefix = [`mcp__${server}__`, `mcp_${server}_`, `${server}__`].find((each) => name.startsWith(each)) ?? '';
  return name.slice(prefix.length);
}

/** What a name of theirs that says a server is called here: `mcp_S_x` and `S__x` are `mcp__S__x`. */
function ofServers(name: string): string[] {
  if (name.startsWith('mcp__')) return [];
  const rest = withoutStart(name, 'mcp_');
  if (rest !== undefined) return onServers(rest);
  return name.includes('__') ? [`mcp__${name}`] : [];
}

function textAt(table: RuleTable, name: string): string | undefined {
  const node = table.get(name);
  return node?.kind === 'text' ? node.text : undefined;
}

/** A text, or a list of texts. */
function textsAt(table: RuleTable, name: string, at: Place): string[] | undefined {
  const node = table.get(name);
  if (node === undefined) return undefined;
  const items = node.kind === 'list' ? node.items : [node];
  return items.map((item) => {
    if (item.kind === 'text') return item.text;
    throw new ImportFault(`\`${name}\` must be a text or a list of texts`, at);
  });
}
