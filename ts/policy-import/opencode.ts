/**
 * opencode's `permission`: patterns per tool, `*` for any text; the last one that matches decides, so that here, where the first
 * one does, they stand the other way round.
 */
import { namesFor, type ToolUse } from '../options/usual-names.js';
import type { TreeNode } from '../wire.js';
import { isHost } from './claude.js';
import { mayNameOurs, PolicyDraft } from './draft.js';
import { isTrue, membersOf, objectOf, writtenOf } from './json.js';
import { wildcardPatterns } from './paths.js';
import { FETCHERS, isNamedBy, namesLike, onServers, WRITERS, type ForeignRule } from './rules.js';
import { ImportFault, NOWHERE, splitOnce, withoutEnd, type Place, type SourceText } from './text.js';
import { globPattern } from './words.js';

/** One rule of theirs. */
interface Permission {
  /** What it is about: `bash`, `read`, or the name of a tool. */
  name: string;
  pattern: string;
  foreign: ForeignRule;
}

const EFFECTS = ['allow', 'ask', 'deny'] as const;

/** Members that only a whole configuration has. */
const IN_CONFIG = new Set(['permission', 'permissions', '$schema', 'agent', 'agents', 'tools', 'mode']);

/** Reads the configuration, or the object `permission` alone. */
export function readOpencode(source: SourceText): PolicyDraft {
  const draft = new PolicyDraft('first');
  draft.default = 'ask';
  const root = objectOf(source);
  const isConfig = root.some(({ name }) => IN_CONFIG.has(name));
  const permissions: Permission[] = [];
  for (const { name, node, at } of root) {
    if (!isConfig) permissions.push(...permissionsOf(source, name, node, at));
    else if (name === 'permission' && node.kind === 'table') {
      for (const each of membersOf(source, node.entries))
        permissions.push(...permissionsOf(source, each.name, each.node, each.at));
    } else if (name === 'permission') permissions.push(...permissionsOf(source, '*', node, at));
    else if (name === 'permissions') permissions.push(...orderedOf(source, node, at));
    else if (name === 'tools' && node.kind === 'table') permissions.push(...toolsOf(source, node));
    else if (name === 'agent' || name === 'agents' || name === 'mode') {
      const why = 'permissions of single agents must be written as policies of these agents';
      draft.dropped({ what: name, at }, why);
    }
  }
  assemble(draft, permissions);
  return draft;
}

/** What newer versions call by other names. */
const CALLED_BEFORE: Readonly<Record<string, string>> = { shell: 'bash', subagent: 'task' };

/** The list of rules that newer versions have. */
function orderedOf(source: SourceText, node: TreeNode, at: Place): Permission[] {
  const wrong = '`permissions` must be a list of rules: `[{ "action": …, "resource": …, "effect": … }]`';
  if (node.kind !== 'list') throw new ImportFault(wrong, at);
  return node.items.map((item) => {
    const at = source.place(item.start);
    if (item.kind !== 'table') throw new ImportFault(wrong, at);
    const members = membersOf(source, item.entries);
    const textOf = (name: string): string => {
      const member = members.find((each) => each.name === name);
      if (member?.node.kind !== 'text' || members.length !== 3) throw new ImportFault(wrong, at);
      return member.node.text;
    };
    const [action, pattern, written] = [textOf('action'), textOf('resource'), textOf('effect')];
    const effect = EFFECTS.find((each) => each === written);
    if (effect === undefined) throw new ImportFault('write "allow", "ask" or "deny"', at);
    const name = (Object.hasOwn(CALLED_BEFORE, action) ? CALLED_BEFORE[action] : undefined) ?? action;
    return { name, pattern, foreign: { what: writtenOf(source, item), at, effect } };
  });
}

/** The older way to switch tools off. */
function toolsOf(source: SourceText, { entries }: TreeNode & { kind: 'table' }): Permission[] {
  const off = membersOf(source, entries).filter(({ node }) => !isTrue(node));
  return off.map(({ name, node, at }) => {
    const what = `tools.${name}: ${writtenOf(source, node)}`;
    return { name, pattern: '*', foreign: { what, at, effect: 'deny' } };
  });
}

function permissionsOf(source: SourceText, name: string, node: TreeNode, at: Place): Permission[] {
  if (node.kind !== 'table') return [permissionOf(source, name, '*', node, at)];
  return membersOf(source, node.entries).map((each) => permissionOf(source, name, each.name, each.node, each.at));
}

function permissionOf(source: SourceText, name: string, pattern: string, node: TreeNode, at: Place): Permission {
  const effect = node.kind === 'text' ? EFFECTS.find((each) => each === node.text) : undefined;
  if (effect === undefined) throw new ImportFault('write "allow", "ask" or "deny"', at);
  const written = writtenOf(source, node);
  const what = pattern === '*' ? `${name}: ${written}` : `${name}: {${JSON.stringify(pattern)}: ${written}}`;
  return { name, pattern, foreign: { what, at, effect } };
}

/** What a permission over files is for. */
interface FileUse {
  key: 'reads' | 'writes';
  /** Which of ours an allow is for. */
  ours: readonly string[];
  /** What a deny or an ask of all of it is for. */
  uses: readonly ToolUse[];
}

const READING: FileUse = { key: 'reads', ours: ['read_file'], uses: ['read'] };
const GLOBBING: FileUse = { key: 'reads', ours: ['glob'], uses: ['glob'] };
const GREPPING: FileUse = { key: 'reads', ours: ['grep'], uses: ['search'] };
const LISTING: FileUse = { key: 'reads', ours: ['ls'], uses: ['list'] };
const WRITING: FileUse = {
  key: 'writes',
  ours: WRITERS,
  uses: ['write', 'edit', 'move'],
};

/** How permissions of these names are read; any other is about a tool of this name. */
const READERS_OF: Readonly<Record<string, (draft: PolicyDraft, permission: Permission, outside: Outside) => void>> = {
  bash: command,
  read: (...given) => files(...given, READING),
  glob: (...given) => searching(...given, GLOBBING),
  grep: (...given) => searching(...given, GREPPING),
  list: (...given) => files(...given, LISTING),
  edit: (...given) => files(...given, WRITING),
  write: byEdit,
  patch: byEdit,
  multiedit: byEdit,
  apply_patch: (draft, permission, outside) => {
    const read = permission.foreign.effect === 'allow' ? byEdit : tool;
    read(draft, permission, outside);
  },
  webfetch: address,
  '*': everything,
};

function assemble(draft: PolicyDraft, permissions: readonly Permission[]): void {
  const outside = new Outside(permissions);
  let stands = false;
  for (const permission of permissions.toReversed()) {
    if (permission.name === OUTSIDE) continue;
    // What is outside of the project is asked for apart from the rest: before any rule that allows a whole tool.
    if (permission.foreign.effect === 'allow' && !stands) {
      stands = true;
      outside.rule(draft);
    }
    for (const name of namesMeant(permission)) {
      const read = Object.hasOwn(READERS_OF, name) ? READERS_OF[name] : undefined;
      (read ?? tool)(draft, { ...permission, name }, outside);
    }
  }
}

/** The name, and where it is a pattern of a deny or an ask, those that are read otherwise. */
function namesMeant({ name, foreign }: Permission): string[] {
  if (name === '*' || foreign.effect === 'allow' || !/[*?]/.test(name)) return [name];
  return [...Object.keys(READERS_OF).filter((each) => each !== '*' && isNamedBy(name, each)), name];
}

function command(draft: PolicyDraft, { pattern, foreign }: Permission): void {
  if (pattern === '*') draft.shell(foreign, []);
  else if (!pattern.includes('?')) draft.commands(foreign, globPattern(pattern));
  // It is one character there: any text is no less, and for an allow there is nothing.
  else if (foreign.effect === 'allow') draft.dropped(foreign, '`?` in a pattern cannot be said with words');
  else draft.commandsAtLeast(foreign, globPattern(pattern.replaceAll('?', '*')));
}

/** A search by what is searched for, which is no path. */
function searching(draft: PolicyDraft, permission: Permission, outside: Outside, use: FileUse): void {
  const { name, pattern, foreign } = permission;
  if (pattern === '*') {
    files(draft, permission, outside, use);
    return;
  }
  const why = 'ours has no rule over what is searched for';
  if (foreign.effect === 'allow') draft.dropped(foreign, why);
  else draft.wider(foreign, { tools: wholeUse(use, name) }, `every search by \`${name}\`, since ${why}`);
}

const wholeUse = ({ uses }: FileUse, name: string): string[] => [...new Set([...namesFor(...uses), name])];

function files(draft: PolicyDraft, { name, pattern, foreign }: Permission, outside: Outside, use: FileUse): void {
  const allow = foreign.effect === 'allow';
  if (pattern === '*' && (!allow || outside.isFree)) {
    draft.tools(foreign, allow ? use.ours : wholeUse(use, name));
    return;
  }
  const patterns = wildcardPatterns(pattern, foreign.effect);
  if ('refused' in patterns) {
    draft.dropped(foreign, patterns.refused);
    return;
  }
  const { globs, note } = patterns;
  const rule = { [use.key]: globs, ...(allow ? { tools: use.ours } : {}) };
  if (note !== undefined && !allow) {
    draft.wider(foreign, rule, note);
  } else {
    if (note !== undefined) draft.stricter(foreign, note);
    draft.rule(foreign, rule);
  }
  draft.unread(foreign, use.uses);
}

/** Other tools that write ask for `edit` there: nothing else allows them. */
function byEdit(draft: PolicyDraft, permission: Permission, outside: Outside): void {
  if (permission.foreign.effect !== 'allow') files(draft, permission, outside, WRITING);
  else draft.dropped(permission.foreign, '`edit` decides about this tool there: write it under that name');
}

function address(draft: PolicyDraft, { pattern, foreign }: Permission): void {
  const allow = foreign.effect === 'allow';
  const tools = allow ? FETCHERS : [...namesFor('fetch'), 'webfetch'];
  if (pattern === '*') {
    draft.tools(foreign, tools);
    return;
  }
  const parts = addressOf(pattern);
  if (!allow) {
    if (parts === undefined || parts.host.includes('*')) {
      draft.wider(foreign, { tools }, 'every address, since it does not spell out a host');
    } else {
      draft.wider(foreign, { urls: [parts.host] }, 'everything at this host');
      draft.unread(foreign, ['fetch']);
    }
    return;
  }
  if (parts === undefined || parts.host.includes('*')) {
    draft.dropped(foreign, 'it does not spell out a host');
    return;
  }
  const path = withoutEnd(parts.path, '*');
  if (path === undefined || !(path === '' || path.endsWith('/')) || /[*?[\]{}\\#]/.test(path)) {
    draft.dropped(foreign, 'only addresses up to a `/*` at the end are taken over');
    return;
  }
  draft.rule(foreign, { tools, urls: [`${parts.scheme}://${parts.host}/${path}**`] });
}

function addressOf(pattern: string): { scheme: string; host: string; path: string } | undefined {
  const [scheme, rest] = splitOnce(pattern, '://') ?? [];
  const [host, path] = splitOnce(rest ?? '', '/') ?? [];
  if (scheme === undefined || host === undefined || path === undefined || !isHost(host)) return undefined;
  return scheme === 'http' || scheme === 'https' ? { scheme, host, path } : undefined;
}

function tool(draft: PolicyDraft, { name, pattern, foreign }: Permission): void {
  const allow = foreign.effect === 'allow';
  const written = name.replaceAll('?', '*');
  // A tool of a server is called `server_tool` there.
  const others = /[_*]/.test(written) ? onServers(written) : [];
  const tools = allow ? [written] : [...new Set([written, ...namesLike(written), ...others])];
  if (allow && pattern !== '*') draft.dropped(foreign, 'ours has no rule over what this tool does');
  else if (allow && mayNameOurs(name)) draft.dropped(foreign, 'it could mean tools that read, write or run: name them');
  else if (pattern === '*') draft.rule(foreign, { tools });
  else {
    draft.wider(foreign, { tools }, `every call of \`${name}\`, since ours has no rule over what this tool does`);
  }
}

/** `"*"` as permission. */
function everything(draft: PolicyDraft, { pattern, foreign }: Permission): void {
  const allow = foreign.effect === 'allow';
  if (pattern === '*') {
    if (allow) draft.stricter(foreign, 'a command line that cannot be proven still asks');
    draft.tools(foreign, ['*']);
    return;
  }
  const why = 'a pattern for all tools at once cannot be said';
  if (allow) draft.dropped(foreign, why);
  else if (foreign.effect === 'ask') draft.wider(foreign, { tools: ['*'] }, `every call, since ${why}`);
  else throw new ImportFault(`${why}; write this deny under the name of each tool that it is for`, foreign.at);
}

const OUTSIDE = 'external_directory';

/** What `external_directory` says of files outside of the project. Out of the box it asks. */
class Outside {
  #foreign: ForeignRule | undefined = {
    what: 'external_directory: ask (out of the box)',
    at: NOWHERE,
    effect: 'ask',
    reason: 'it is outside of the project',
  };
  #free: string[] = [];
  /** Not all outside is meant there. */
  #wider = false;

  constructor(permissions: readonly Permission[]) {
    for (const { name, pattern, foreign } of permissions) {
      if (name !== OUTSIDE && (name === '*' || foreign.effect === 'allow' || !isNamedBy(name, OUTSIDE))) continue;
      if (foreign.effect !== 'allow') {
        this.#free = [];
        this.#wider ||= pattern !== '*';
        // A later ask does not take a deny back.
        this.#foreign = this.#foreign?.effect === 'deny' ? { ...foreign, effect: 'deny' } : foreign;
      } else if (pattern === '*') this.#foreign = undefined;
      else {
        const patterns = wildcardPatterns(pattern, 'allow');
        if (!('refused' in patterns) && patterns.note === undefined) this.#free.push(...patterns.globs);
      }
    }
  }

  /** Whether files outside of the project are as free as those in it. */
  get isFree(): boolean {
    return this.#foreign === undefined;
  }

  rule(draft: PolicyDraft): void {
    if (this.#foreign === undefined) return;
    const globs = ['/**', '!${project}', '!${project}/**', ...this.#free.map((glob) => `!${glob}`)];
    if (this.#wider) draft.stricter(this.#foreign, 'everything outside of the project');
    for (const tools of [
      namesFor('run'),
      namesFor('read', 'list', 'glob', 'search'),
      namesFor('write', 'edit', 'move'),
    ]) {
      draft.quietlyWider(this.#foreign, { tools, reads: globs });
      draft.quietlyWider(this.#foreign, { tools, writes: globs });
    }
  }
}
