/**
 * opencode's `permission`: patterns per tool, `*` for any text; the last one that matches decides, so that here, where the first
 * one does, they stand the other way round.
 */
import type { TreeNode } from '../wire.js';
import { isHost } from './claude.js';
import { mayNameOurs, PolicyDraft } from './draft.js';
import { isTrue, membersOf, objectOf, writtenOf } from './json.js';
import { wildcardPatterns } from './paths.js';
import { FETCHERS, READERS, SHELLS, WRITERS, type ForeignRule } from './rules.js';
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

/** Reads the configuration, or the object `permission` alone. */
export function readOpencode(source: SourceText): PolicyDraft {
  const draft = new PolicyDraft('first');
  draft.default = 'ask';
  const root = objectOf(source);
  const isConfig = root.some(({ name }) => ['permission', '$schema', 'agent', 'tools', 'mode'].includes(name));
  const permissions: Permission[] = [];
  for (const { name, node, at } of root) {
    if (!isConfig) permissions.push(...permissionsOf(source, name, node, at));
    else if (name === 'permission' && node.kind === 'table') {
      for (const each of membersOf(source, node.entries))
        permissions.push(...permissionsOf(source, each.name, each.node, each.at));
    } else if (name === 'permission') permissions.push(...permissionsOf(source, '*', node, at));
    else if (name === 'tools' && node.kind === 'table') permissions.push(...toolsOf(source, node));
    else if (name === 'agent' || name === 'mode') {
      const why = 'permissions of single agents must be written as policies of these agents';
      draft.dropped({ what: name, at }, why);
    }
  }
  assemble(draft, permissions);
  return draft;
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

/** How permissions of these names are read; any other is about a tool of this name. */
const READERS_OF: Readonly<Record<string, (draft: PolicyDraft, permission: Permission, outside: Outside) => void>> = {
  bash: command,
  read: (...given) => files(...given, ['read_file'], 'reads'),
  glob: (...given) => files(...given, ['glob'], 'reads'),
  grep: (...given) => files(...given, ['grep'], 'reads'),
  list: (...given) => files(...given, ['ls'], 'reads'),
  edit: (...given) => files(...given, WRITERS, 'writes'),
  write: (...given) => files(...given, WRITERS, 'writes'),
  patch: (...given) => files(...given, WRITERS, 'writes'),
  webfetch: address,
  '*': everything,
};

function assemble(draft: PolicyDraft, permissions: readonly Permission[]): void {
  const outside = new Outside(permissions);
  let stands = false;
  for (const permission of permissions.toReversed()) {
    if (permission.name === OUTSIDE) continue;
    // What is outside of the project is asked for apart from the rest: before whatever allows a whole tool.
    if (permission.foreign.effect === 'allow' && !stands) {
      stands = true;
      outside.rule(draft);
    }
    const read = Object.hasOwn(READERS_OF, permission.name) ? READERS_OF[permission.name] : undefined;
    (read ?? tool)(draft, permission, outside);
  }
}

function command(draft: PolicyDraft, { pattern, foreign }: Permission): void {
  if (pattern === '*') draft.shell(foreign, []);
  else if (!pattern.includes('?')) draft.commands(foreign, globPattern(pattern));
  // It is one character there: any text is no less, and for an allow there is nothing.
  else if (foreign.effect === 'allow') draft.dropped(foreign, '`?` in a pattern cannot be said with words');
  else draft.commandsAtLeast(foreign, globPattern(pattern.replaceAll('?', '*')));
}

function files(
  draft: PolicyDraft,
  { name, pattern, foreign }: Permission,
  outside: Outside,
  tools: readonly string[],
  key: 'reads' | 'writes',
): void {
  const allow = foreign.effect === 'allow';
  if (pattern === '*' && (!allow || outside.isFree)) {
    const theirs = key === 'writes' ? ['edit', 'write', 'patch', 'multiedit'] : [];
    draft.tools(foreign, allow ? tools : [...tools, ...theirs, name]);
    return;
  }
  const patterns = wildcardPatterns(pattern, foreign.effect);
  if ('refused' in patterns) {
    draft.dropped(foreign, patterns.refused);
    return;
  }
  const { globs, note } = patterns;
  const rule = { [key]: globs, ...(allow ? { tools } : {}) };
  if (note !== undefined && !allow) {
    draft.wider(foreign, rule, note);
    return;
  }
  if (note !== undefined) draft.stricter(foreign, note);
  draft.rule(foreign, rule);
}

function address(draft: PolicyDraft, { pattern, foreign }: Permission): void {
  const allow = foreign.effect === 'allow';
  const tools = allow ? FETCHERS : [...FETCHERS, 'http_request', 'webfetch'];
  if (pattern === '*') {
    draft.tools(foreign, tools);
    return;
  }
  const parts = addressOf(pattern);
  if (!allow) {
    if (parts === undefined) {
      draft.wider(foreign, { tools }, 'it does not spell out a host: it speaks of the whole tool now');
    } else draft.wider(foreign, { urls: [parts.host] }, 'now it speaks of everything at this host');
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
  const tools = [name.replaceAll('?', '*')];
  if (allow && pattern !== '*') draft.dropped(foreign, 'ours has no rule over what this tool does');
  else if (allow && mayNameOurs(name)) draft.dropped(foreign, 'it could mean tools that read, write or run: name them');
  else if (pattern === '*') draft.rule(foreign, { tools });
  else {
    const why = 'ours has no rule over what this tool does: it speaks of the whole tool now';
    draft.wider(foreign, { tools }, why);
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
  if (allow) {
    draft.dropped(foreign, 'a pattern for all tools at once cannot be said');
    return;
  }
  draft.commandsAtLeast(foreign, globPattern(pattern.replaceAll('?', '*')));
  const patterns = wildcardPatterns(pattern, foreign.effect);
  if ('refused' in patterns) return;
  draft.rule(foreign, { reads: patterns.globs });
  draft.rule(foreign, { writes: patterns.globs });
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

  constructor(permissions: readonly Permission[]) {
    for (const { name, pattern, foreign } of permissions) {
      if (name !== OUTSIDE) continue;
      if (foreign.effect !== 'allow') {
        this.#free = [];
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
    for (const tools of [SHELLS, READERS, WRITERS]) {
      draft.quietlyWider(this.#foreign, { tools, reads: globs });
      draft.quietlyWider(this.#foreign, { tools, writes: globs });
    }
  }
}
