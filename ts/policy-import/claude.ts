/** Claude Code's `settings.json`: `permissions`, in which deny is stronger than ask, and ask than allow. */
import { namesFor, type ToolUse } from '../options/usual-names.js';
import type { TreeNode } from '../wire.js';
import { mayNameOurs, PolicyDraft } from './draft.js';
import { membersOf, objectOf, writtenOf, type Member } from './json.js';
import { gitignorePatterns } from './paths.js';
import { FETCHERS, isNamedBy, namesLike, READERS, WRITERS, type ForeignRule } from './rules.js';
import { ImportFault, splitOnce, trimmed, withoutEnd, withoutStart, type Place, type SourceText } from './text.js';
import { globPattern } from './words.js';

/** Settings that could stop a call and are no rules. */
const OTHER_GUARDS = new Set(['hooks', 'sandbox', 'deniedMcpServers', 'allowedMcpServers']);

/** Their names for tools that read, write and fetch. */
const READ = ['Read', 'Grep', 'Glob', 'LS', 'NotebookRead'];
const EDIT = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'];
const FETCH = ['WebFetch'];
/** What tools of theirs do that read and write files. */
const READING = ['read', 'list', 'glob', 'search'] as const;
const EDITING = ['write', 'edit', 'move'] as const;

/** What the mode at the start makes of the rules. */
interface StartMode {
  allows: boolean;
  asks: 'ask' | 'deny';
}

/** Reads the settings. */
export function readClaudeCode(source: SourceText): PolicyDraft {
  const draft = new PolicyDraft('strictest');
  let permissions: Member[] = [];
  for (const { name, node, at } of objectOf(source)) {
    if (name === 'permissions') {
      if (node.kind !== 'table') throw new ImportFault('`permissions` must be an object: `{ … }`', at);
      permissions = membersOf(source, node.entries);
    } else if (name === 'disabledMcpjsonServers') {
      if (node.kind !== 'list') throw new ImportFault(`\`${name}\` must be a list of names: \`["…"]\``, at);
      for (const item of node.items) {
        const at = source.place(item.start);
        const server = ruleText(item, at);
        draft.tools({ what: `${name}: ${server}`, at, effect: 'deny' }, [`mcp__${server}__*`]);
      }
    } else if (OTHER_GUARDS.has(name)) {
      draft.dropped({ what: name, at }, 'it is not a rule: set up again what it stops or asks for');
    }
  }
  const mode = permissions.find(({ name }) => name === 'defaultMode');
  const start: StartMode = mode === undefined ? { allows: true, asks: 'ask' } : startOf(draft, mode);
  for (const permission of permissions) readPermission(draft, source, permission, start);
  return draft;
}

function readPermission(draft: PolicyDraft, source: SourceText, { name, node, at }: Member, start: StartMode): void {
  switch (name) {
    case 'allow':
      readRules(draft, source, { name, node, at }, 'allow', start);
      return;
    case 'ask':
      readRules(draft, source, { name, node, at }, start.asks, start);
      return;
    case 'deny':
      readRules(draft, source, { name, node, at }, 'deny', start);
      return;
    case 'defaultMode':
      return;
    case 'disableAutoMode':
    case 'disableBypassPermissionsMode':
      draft.forbid = ['auto'];
      return;
    case 'additionalDirectories':
      draft.dropped(
        { what: writtenOf(source, node), at },
        'work in other directories needs rules that allow it: `reads` and `writes`',
      );
      return;
    default:
      draft.dropped({ what: name, at }, 'this setting is not known');
  }
}

function readRules(
  draft: PolicyDraft,
  source: SourceText,
  { name, node, at }: Member,
  effect: ForeignRule['effect'],
  { allows }: StartMode,
): void {
  if (node.kind !== 'list') throw new ImportFault(`\`${name}\` must be a list of rules: \`["…"]\``, at);
  for (const item of node.items) {
    const at = source.place(item.start);
    const what = trimmed(ruleText(item, at));
    if (effect === 'allow' && !allows) draft.dropped({ what, at }, 'in the mode `plan` nothing runs by a rule');
    else readRule(draft, { what, at, effect });
  }
}

function ruleText(item: TreeNode, at: Place): string {
  if (item.kind === 'text') return item.text;
  throw new ImportFault('a rule must be a text: `"Tool(…)"`', at);
}

function startOf(draft: PolicyDraft, { node, at }: Member): StartMode {
  if (node.kind !== 'text') throw new ImportFault('`defaultMode` must be a text', at);
  const what = `defaultMode: ${node.text}`;
  switch (node.text) {
    case 'default':
      break;
    case 'acceptEdits': {
      const foreign = { what, at, effect: 'allow' } as const;
      draft.stricter(foreign, 'files below the working directory may be written by the writing tools, not by commands');
      draft.rule(foreign, { tools: WRITERS, writes: ['${cwd}/**'] });
      break;
    }
    case 'dontAsk':
      draft.default = 'deny';
      return { allows: true, asks: 'deny' };
    case 'plan':
      draft.default = 'deny';
      draft.stricter({ what, at }, 'everything is denied; set the mode `plan` to have reading allowed');
      return { allows: false, asks: 'ask' };
    default:
      draft.stricter({ what, at }, 'what no rule speaks of asks; set the mode `auto` if nobody is to be asked');
  }
  return { allows: true, asks: 'ask' };
}

function readRule(draft: PolicyDraft, foreign: ForeignRule): void {
  const parts = splitOnce(foreign.what, '(');
  const tool = parts?.[0] ?? foreign.what;
  const inside = parts === undefined ? undefined : withoutEnd(parts[1], ')');
  const malformed = parts !== undefined && inside === undefined;
  const specifier = inside === undefined ? '' : trimmed(inside);
  const allow = foreign.effect === 'allow';
  if (tool === '' || /[^\p{Alphabetic}\p{N}_.\-*]/u.test(tool)) {
    if (!allow) throw new ImportFault(`\`${foreign.what}\` names no tool; write \`Tool\` or \`Tool(…)\``, foreign.at);
    draft.dropped(foreign, 'it names no tool');
  } else if (malformed && allow) draft.dropped(foreign, 'its parentheses do not match');
  else if (malformed) moreThanItSays(draft, foreign, tool, 'its parentheses do not match');
  else if (specifier === '') wholeTool(draft, foreign, tool);
  else if (tool === 'WebFetch') fetching(draft, foreign, specifier);
  else if (tool === 'Bash' && (!isParameter(specifier) || /^\w+:\*$/.test(specifier)))
    command(draft, foreign, specifier);
  else if ((READ.includes(tool) || EDIT.includes(tool)) && !isParameter(specifier)) {
    files(draft, foreign, tool, specifier);
  } else if (allow) draft.dropped(foreign, 'ours has no rule over these arguments');
  else moreThanItSays(draft, foreign, tool, 'ours has no rule over these arguments');
}

/** `run_in_background:true`, `limit:5`: an argument of the tool, and its value. A drive (`C:/x`) is not one. */
const isParameter = (specifier: string): boolean => /^[A-Za-z_]\w+:/.test(specifier);

/** An ask or a deny of the whole tool in the place of what cannot be said of it. */
function moreThanItSays(draft: PolicyDraft, foreign: ForeignRule, tool: string, why: string): void {
  draft.stricter(foreign, `every call of \`${tool}\`, since ${why}`);
  wholeTool(draft, foreign, tool);
}

interface KnownTool {
  /** What an allow is for. */
  ours: readonly string[];
  /** What an ask or a deny is for. */
  uses: readonly ToolUse[];
  theirs: readonly string[];
}

/** Of each of their tools: ours that do the same, and theirs. */
const TOOLS: Readonly<Record<string, KnownTool>> = {
  Read: { ours: READERS, uses: READING, theirs: READ },
  Grep: { ours: ['grep'], uses: ['search'], theirs: ['Grep'] },
  Glob: { ours: ['glob'], uses: ['glob'], theirs: ['Glob'] },
  LS: { ours: ['ls'], uses: ['list'], theirs: ['LS'] },
  Edit: { ours: WRITERS, uses: EDITING, theirs: EDIT },
  MultiEdit: { ours: WRITERS, uses: EDITING, theirs: EDIT },
  Write: { ours: ['write_file'], uses: ['write', 'move'], theirs: ['Write'] },
  WebFetch: { ours: FETCHERS, uses: ['fetch'], theirs: FETCH },
};

/** `Tool`, `mcp__server`, `mcp__server__tool`. */
function wholeTool(draft: PolicyDraft, foreign: ForeignRule, tool: string): void {
  if (tool === 'Bash') {
    draft.shell(foreign, ['Bash']);
    return;
  }
  const allow = foreign.effect === 'allow';
  const known = Object.hasOwn(TOOLS, tool) ? TOOLS[tool] : undefined;
  if (known === undefined) {
    if (allow && mayNameOurs(tool))
      draft.dropped(foreign, 'it could mean tools that read, write or run here: name them');
    else if (allow) draft.tools(foreign, namesOf(tool));
    else stopNamed(draft, foreign, tool);
    return;
  }
  if (allow) {
    // Without a reading a tool is allowed whole, despite rules over its arguments.
    draft.tools(foreign, known.ours);
    return;
  }
  everyFile(draft, foreign, tool);
  draft.tools(foreign, [...new Set([...namesFor(...known.uses), ...known.theirs])]);
}

/** An ask or a deny of tools without a reading. A pattern over names means those with one, too. */
function stopNamed(draft: PolicyDraft, foreign: ForeignRule, tool: string): void {
  if (tool.includes('*') && tool !== '*') {
    for (const each of ['Bash', ...Object.keys(TOOLS)]) if (isNamedBy(tool, each)) wholeTool(draft, foreign, each);
  }
  draft.tools(foreign, [...new Set([...namesOf(tool), ...namesLike(tool)])]);
}

/** The name of a server means all of its tools. */
function namesOf(tool: string): string[] {
  const server = withoutStart(tool, 'mcp__');
  const isServer = server !== undefined && !server.includes('__') && !tool.endsWith('*');
  return isServer ? [tool, `${tool}__*`] : [tool];
}

/** No reading and no writing of files at all means that of commands and of other tools, too. */
function everyFile(draft: PolicyDraft, foreign: ForeignRule, tool: string): void {
  if (tool === 'Read') draft.rule(foreign, { reads: ['/**'] });
  if (EDIT.includes(tool)) draft.rule(foreign, { writes: ['/**'] });
}

/** `Bash(npm run *)`, `Bash(npm run:*)`, `Bash(npm test)`. */
function command(draft: PolicyDraft, foreign: ForeignRule, specifier: string): void {
  if (specifier === '*' || specifier === ':*') {
    wholeTool(draft, foreign, 'Bash');
    return;
  }
  const beginning = withoutEnd(specifier, ':*');
  const pattern = globPattern(beginning ?? specifier);
  draft.commands(foreign, beginning !== undefined && pattern.end === 'closed' ? { ...pattern, end: 'word' } : pattern);
}

/** Which of ours an allow of files is for. */
const FOR_FILES: Readonly<Record<string, readonly string[]>> = {
  Edit: WRITERS,
  Grep: ['grep'],
  Glob: ['glob'],
  LS: ['ls'],
};

/** `Read(…)`, `Edit(…)` with a pattern as in `.gitignore`. */
function files(draft: PolicyDraft, foreign: ForeignRule, tool: string, specifier: string): void {
  const writes = EDIT.includes(tool);
  const allow = foreign.effect === 'allow';
  if (allow && writes && tool !== 'Edit') {
    draft.dropped(foreign, 'files are allowed to be written by `Edit(…)` alone');
    return;
  }
  const patterns = gitignorePatterns(specifier, foreign.effect);
  if ('refused' in patterns) {
    if (allow) draft.dropped(foreign, patterns.refused);
    else moreThanItSays(draft, foreign, tool, patterns.refused);
    return;
  }
  const { globs, note } = patterns;
  if (note !== undefined) draft.stricter(foreign, note);
  draft.rule(foreign, {
    ...(writes ? { writes: globs } : { reads: globs }),
    ...(allow ? { tools: FOR_FILES[tool] ?? READERS } : {}),
  });
  draft.unread(foreign, writes ? EDITING : (TOOLS[tool]?.uses ?? READING));
}

/** `WebFetch(domain:example.com)`. */
function fetching(draft: PolicyDraft, foreign: ForeignRule, specifier: string): void {
  const allow = foreign.effect === 'allow';
  const host = trimmed(withoutStart(specifier, 'domain:') ?? '');
  if (isHost(host)) {
    const below = allow || host.startsWith('*.') ? [] : [`*.${host}`];
    draft.rule(foreign, { urls: [host, ...below], ...(allow ? { tools: FETCHERS } : {}) });
    draft.unread(foreign, ['fetch']);
  } else if (allow) draft.dropped(foreign, 'it names no host');
  else moreThanItSays(draft, foreign, 'WebFetch', 'it names no host');
}

/** Whether this is the name of a host, perhaps with `*.` before it. */
export const isHost = (host: string): boolean => /^(?:\*\.)?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/.test(host);
