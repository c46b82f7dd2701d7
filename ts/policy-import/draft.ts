/** A document in the making. */
import type { PolicyRule } from '../../index.js';
import { builtinTools, patternFault } from '../native.js';
import { namesFor, unreadFor, USES, type ToolUse } from '../options/usual-names.js';
import type { PolicyEffect } from '../wire.js';
import { closeFirst, closeStrictest } from './close.js';
import { SHELLS, textsOf, type DraftItem, type ForeignRule, type OwnRule } from './rules.js';
import { ImportFault, NOWHERE, type Place } from './text.js';
import { ANY_WORD, narrowed, widened, type Token, type WordPattern } from './words.js';

/** Something that could not be taken over exactly. */
export interface ImportLoss {
  what: string;
  at: Place;
  why: string;
  effect: 'stricter' | 'dropped';
}

/** A policy as an object, and what it could not take over, in the order of the text. */
export interface ImportedPolicy {
  document: {
    version: number;
    match: 'first' | 'strictest';
    default?: PolicyEffect;
    forbid?: readonly string[];
    rule: PolicyRule[];
  };
  losses: ImportLoss[];
}

/** A document has no more of them. */
const MOST_RULES = 20_000;

/** What has been read so far, the rule that decides first first. */
export class PolicyDraft {
  readonly #match: 'first' | 'strictest';
  readonly #items: DraftItem[] = [];
  readonly #losses: ImportLoss[] = [];
  /** Tools whose arguments are not read and that are stopped already, by effect. */
  readonly #stopped = new Set<string>();
  /** What is done with what no rule speaks of. */
  default: PolicyEffect | undefined;
  /** Modes that must not be switched to. */
  forbid: readonly string[] = [];

  constructor(match: 'first' | 'strictest') {
    this.#match = match;
  }

  /** Whether something is allowed so far. */
  get allows(): boolean {
    return this.#items.some(({ rule }) => rule.effect === 'allow');
  }

  /** Something is left out. */
  dropped({ what, at }: { what: string; at: Place }, why: string): void {
    this.#losses.push({ what, at, why, effect: 'dropped' });
  }

  /** Something is stricter now. An ask or a deny says more than theirs. */
  stricter({ what, at, effect }: { what: string; at: Place; effect?: PolicyEffect }, why: string): void {
    const more = effect === undefined || effect === 'allow' ? '' : `${effect === 'deny' ? 'denies' : 'asks'} more: `;
    this.#losses.push({ what, at, why: `${more}${why}`, effect: 'stricter' });
  }

  /** A rule that says exactly what theirs says, or less if it allows. */
  rule(foreign: ForeignRule, said: Partial<OwnRule>): void {
    this.#item(foreign, said, {});
  }

  /** An ask or a deny that says more than theirs. */
  wider(foreign: ForeignRule, said: Partial<OwnRule>, why: string): void {
    this.stricter(foreign, why);
    this.#item(foreign, said, { wider: true });
  }

  /** The same, where what it says more is no difference that anybody would see. */
  quietlyWider(foreign: ForeignRule, said: Partial<OwnRule>): void {
    this.#item(foreign, said, { wider: true });
  }

  /**
   * An ask or a deny of some files or addresses, for tools that use them. Tools whose files or addresses are not read are stopped
   * whole, since a rule over files misses them. Once is enough for each effect: the strongest is first.
   */
  unread(foreign: ForeignRule, uses: readonly ToolUse[]): void {
    const key = (name: string) => `${foreign.effect} ${name}`;
    const tools = unreadFor(...uses).filter((name) => !this.#stopped.has(key(name)));
    if (foreign.effect === 'allow' || tools.length === 0) return;
    for (const name of tools) this.#stopped.add(key(name));
    const what = uses.includes('fetch') ? 'addresses' : 'files';
    const some = ['apply_patch', 'view', tools[0]].find((name) => name !== undefined && tools.includes(name));
    const why = `every call of tools whose ${what} are not read, as \`${some}\``;
    this.wider(foreign, { tools }, why);
  }

  #item(
    foreign: ForeignRule,
    said: Partial<OwnRule>,
    { closed = false, wider = false }: { closed?: boolean; wider?: boolean },
  ): void {
    const { effect, reason } = foreign;
    const rule = this.#mended(foreign, { effect, reason, ...said });
    if (rule !== undefined) this.#items.push({ rule, foreign, closed, wider });
  }

  /** The rule without the patterns that ours does not take: an allow says less then, an ask or a deny more. */
  #mended(foreign: ForeignRule, given: OwnRule): OwnRule | undefined {
    const allow = given.effect === 'allow';
    let rule = given;
    for (const key of ['reads', 'writes'] as const) {
      const globs = rule[key] ?? [];
      const faults = globs.map((glob) => patternFault(glob, 'files'));
      const fault = faults.find((each) => each !== null);
      if (fault === undefined || fault === null) continue;
      const taken = globs.filter((_, index) => faults[index] === null);
      if (allow && taken.length === 0) {
        this.dropped(foreign, fault);
        return undefined;
      }
      if (!allow) this.stricter(foreign, `every file, since ${fault}`);
      rule = { ...rule, [key]: allow ? taken : ['/**'] };
    }
    for (const url of rule.urls ?? []) {
      const fault = patternFault(url, 'addresses');
      if (fault === null) continue;
      if (allow) {
        this.dropped(foreign, fault);
        return undefined;
      }
      this.stricter(foreign, `every address, since ${fault}`);
      const { urls: _, ...rest } = rule;
      return { ...rest, tools: namesFor('fetch') };
    }
    return rule;
  }

  /** A rule about whole tools. An allow is for tools of these names; an ask or a deny too. */
  tools(foreign: ForeignRule, tools: readonly string[]): void {
    this.rule(foreign, { tools });
  }

  /**
   * A rule about all commands, in tools of any name. An allow is for the usual tools and covers what the commands do as well.
   */
  shell(foreign: ForeignRule, theirs: readonly string[]): void {
    if (foreign.effect === 'allow') {
      this.stricter(foreign, 'a command line that cannot be proven still asks');
      this.tools(foreign, SHELLS);
      return;
    }
    this.tools(foreign, [...new Set([...namesFor('run'), ...theirs])]);
    this.rule(foreign, commandRule(foreign, [ANY_WORD]));
  }

  /** A rule about beginnings of commands. */
  commands(foreign: ForeignRule, pattern: WordPattern): void {
    if (foreign.effect === 'allow') this.#allowCommands(foreign, pattern);
    else this.#stopCommands(foreign, pattern, true);
  }

  /** An ask or a deny about beginnings of commands that already says more than theirs. */
  commandsAtLeast(foreign: ForeignRule, pattern: WordPattern): void {
    this.#stopCommands(foreign, pattern, false);
  }

  /** A rule about beginnings of commands that is given by words. */
  tokens(foreign: ForeignRule, tokens: readonly Token[]): void {
    // `*` is a sign of ours that theirs does not know.
    const strange = tokens.findIndex((token) => textsOf(token)?.some((text) => text.includes('*')) ?? true);
    if (strange === -1) {
      this.rule(foreign, commandRule(foreign, tokens));
      return;
    }
    const said = tokens.slice(0, strange);
    if (foreign.effect === 'allow') this.dropped(foreign, 'ours cannot speak of a word with `*` in it as it is');
    else if (said.length === 0) this.wider(foreign, commandRule(foreign, [ANY_WORD]), everyLike([ANY_WORD]));
    else this.wider(foreign, commandRule(foreign, said), everyLike(said));
  }

  #allowCommands(foreign: ForeignRule, pattern: WordPattern): void {
    const narrow = narrowed(pattern);
    if (narrow === undefined) {
      const why = 'it matches quotes, operators or patterns in the command text; rules match words only';
      this.dropped(foreign, why);
      return;
    }
    if (!narrow.exact) {
      this.stricter(foreign, 'a rule over words says less: `*` stands for one word, and words count as a whole');
    }
    this.#item(foreign, commandRule(foreign, narrow.tokens), { closed: narrow.closed });
  }

  #stopCommands(foreign: ForeignRule, pattern: WordPattern, exactly: boolean): void {
    const wide = widened(pattern);
    if (wide === undefined) {
      this.everyCommand(foreign);
      return;
    }
    const wider = !(exactly && wide.exact);
    const [shortest] = wide.patterns;
    if (wider && shortest !== undefined) this.stricter(foreign, everyLike(shortest));
    for (const tokens of wide.patterns) this.#item(foreign, commandRule(foreign, tokens), { wider });
  }

  /** An ask that could mean any command asks about each. A deny that could is refused: denied, nothing would run. */
  everyCommand(foreign: ForeignRule): void {
    if (foreign.effect === 'deny') throw new ImportFault(unsaid(foreign), foreign.at);
    const why = 'every command, since it does not say which it means; write them out';
    this.wider(foreign, commandRule(foreign, [ANY_WORD]), why);
  }

  /** The document. */
  finish(): ImportedPolicy {
    if (this.#items.length > MOST_RULES) {
      const message = `it makes ${this.#items.length} rules, ${MOST_RULES} are allowed; import it in parts`;
      throw new ImportFault(message, NOWHERE);
    }
    const close = this.#match === 'first' ? closeFirst : closeStrictest;
    const rules = close(this.#items, (foreign, why) => this.stricter(foreign, why));
    const document = {
      version: 1,
      match: this.#match,
      ...(this.default === undefined ? {} : { default: this.default }),
      ...(this.forbid.length === 0 ? {} : { forbid: this.forbid }),
      rule: rules.map(asWritten),
    };
    const losses = this.#losses.toSorted(
      (one, other) => one.at.line - other.at.line || one.at.column - other.at.column,
    );
    return { document, losses };
  }
}

export function commandRule({ effect }: ForeignRule, command: readonly Token[]): Partial<OwnRule> {
  return effect === 'allow' ? { tools: SHELLS, command } : { command };
}

function asWritten({ effect, reason, tools, command, reads, writes, urls }: OwnRule): PolicyRule {
  return {
    effect,
    ...(reason === undefined ? {} : { reason }),
    ...(tools === undefined ? {} : { tools: [...tools] }),
    ...(command === undefined ? {} : { commands: [command.map(wordAsWritten)] }),
    ...listed('reads', reads),
    ...listed('writes', writes),
    ...listed('urls', urls),
  };
}

/** An empty list matches nothing: it is left out. */
const listed = (key: 'reads' | 'writes' | 'urls', patterns: readonly string[] | undefined): Partial<PolicyRule> =>
  patterns === undefined || patterns.length === 0 ? {} : { [key]: [...patterns] };

function wordAsWritten(token: Token): string | string[] {
  switch (token.kind) {
    case 'any':
      return '*';
    case 'rest':
      return '**';
    case 'like':
      return token.text;
    case 'oneOf':
      return [...token.texts];
    case 'text':
      // In a list of its own a star is a star.
      return token.text.includes('*') ? [token.text] : token.text;
  }
}

let known: readonly string[] | undefined;

/** The names of the tools with a built-in reading. */
const builtin = (): readonly string[] => (known ??= builtinTools());

const LIKELY = ['view', 'list', 'patch', 'request'];

/** Whether a pattern over names could mean a tool with a built-in reading, however it is spelled. Errs on the side of yes. */
export function mayNameOurs(pattern: string): boolean {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[_.-]/g, '');
  const star = pattern.search(/[*?]/);
  const beginning = plain(star === -1 ? pattern : pattern.slice(0, star));
  if (star === -1) return [...builtin(), ...LIKELY].some((name) => plain(name) === beginning);
  return [...builtin(), ...LIKELY, ...unreadFor(...USES)].some((name) => plain(name).startsWith(beginning));
}

function everyLike(tokens: readonly Token[]): string {
  const shown = tokens.map((token) => {
    if (token.kind === 'text' || token.kind === 'like') return token.text;
    if (token.kind === 'oneOf') return token.texts.join('|');
    return token.kind === 'any' ? '*' : '**';
  });
  return `every command like \`${shown.join(' ')}\``;
}

/** Why a deny is refused. */
const unsaid = ({ what }: ForeignRule): string =>
  `${what.includes('\n') ? 'this rule' : `\`${what}\``} denies commands that cannot be said by their words; take it out, and ` +
  'write a deny with `commands`, `reads` or `writes` into the policy';
