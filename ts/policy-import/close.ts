/** What must be minded when all rules are put together: allows of whole commands, and rules that say more than theirs. */
import { SHELLS, textsOf, type DraftItem, type ForeignRule, type OwnRule } from './rules.js';
import { ANY_WORD, ANY_WORDS, type Token } from './words.js';

/** Tells that a rule says more than theirs. */
type TellStricter = (foreign: ForeignRule, why: string) => void;

/** An allow of `npm test` alone is an allow of what begins so, and an ask for what has one more word. */
export function closeStrictest(items: readonly DraftItem[], stricter: TellStricter): OwnRule[] {
  const allows = items.map(allowedCommand).filter((allowed) => allowed !== undefined);
  const open = allows.filter(({ closed }) => !closed).map(({ tokens }) => tokens);
  const longestFirst = allows.map(({ tokens }) => tokens).toSorted((one, other) => other.length - one.length);
  return items.flatMap(({ rule, foreign, closed }) => {
    const tokens = closed ? rule.command : undefined;
    if (tokens === undefined) return [rule];
    // Another allow says it already, and more.
    if (open.some((other) => covers(other, tokens))) return [];
    if (goesOn(tokens, longestFirst)) {
      stricter(foreign, 'a rule over words cannot end where another goes on: the shorter command asks');
      return [];
    }
    return [rule, longer(rule, tokens, 'ask')];
  });
}

/** Whether one of these commands could begin with this one and have more words. */
function goesOn(tokens: readonly Token[], longestFirst: readonly (readonly Token[])[]): boolean {
  for (const other of longestFirst) {
    if (other.length <= tokens.length) return false;
    if (overlap(other, tokens)) return true;
  }
  return false;
}

/**
 * The same where the first rule that matches decides. A rule that matches more than theirs must not ask where a later one of
 * theirs denies.
 */
export function closeFirst(items: readonly DraftItem[], stricter: TellStricter): OwnRule[] {
  const denied: OwnRule[] = [];
  const meetsDenied = (rule: OwnRule) => denied.some((deny) => couldMeet(deny, rule));
  const rules: OwnRule[] = [];
  const told = new Set<ForeignRule>();
  // From the last to the first, so that those that come after are known.
  for (const { rule, foreign, closed, wider } of items.toReversed()) {
    const hidesDenied = rule.effect === 'ask' && meetsDenied(rule);
    if (rule.effect === 'deny') denied.push(rule);
    const decides = wider && hidesDenied ? ({ ...rule, effect: 'deny' } as const) : rule;
    if (decides !== rule && !told.has(foreign)) {
      told.add(foreign);
      stricter({ ...foreign, effect: 'deny' }, 'it asks, and a weaker rule denies some of what it would ask about');
    }
    rules.push(decides);
    // Where it stays an ask, what it meets only here is denied before it.
    if (hidesDenied && !wider) rules.push(...metHereAlone(rule));
    if (!closed || rule.command === undefined) continue;
    const rest = longer(decides, rule.command, 'ask');
    rules.push(meetsDenied(rest) ? { ...rest, effect: 'deny' } : rest);
  }
  return rules.toReversed();
}

/**
 * What an ask of ours meets beside what its words say: the program by any path, and options between its words. Theirs goes on to
 * a rule that denies.
 */
function metHereAlone({ command = [], ...rule }: OwnRule): OwnRule[] {
  const [program, ...words] = command;
  if (program === undefined) return [];
  const deny = (tokens: readonly Token[]): OwnRule => ({ ...rule, effect: 'deny', command: tokens });
  const texts = textsOf(program) ?? (program.kind === 'like' ? [program.text] : []);
  const byPath = texts
    .filter((text) => !/^\*|\//.test(text))
    .map((text) => deny([{ kind: 'like', text: `*/${text}` }, ...words]));
  const withOptions = words.flatMap((word, index) => {
    const before = command.slice(0, index + 1);
    if (word.kind === 'rest' || before.at(-1)?.kind === 'rest') return [];
    return [deny([...before, OPTION, ANY_WORDS, word, ...words.slice(index + 1)])];
  });
  return [...byPath, ...withOptions];
}

const OPTION: Token = { kind: 'like', text: '-*' };

/** What begins as the rule says and has one more word. */
function longer(rule: OwnRule, tokens: readonly Token[], effect: OwnRule['effect']): OwnRule {
  const { tools: _, ...rest } = rule;
  const reason = 'only the command without further arguments is allowed';
  return { ...rest, effect, reason, command: [...tokens, ANY_WORD] };
}

function allowedCommand({ rule, closed }: DraftItem): { closed: boolean; tokens: readonly Token[] } | undefined {
  if (rule.effect !== 'allow') return undefined;
  if (rule.command !== undefined) return { closed, tokens: rule.command };
  const wholeShell = rule.tools?.some((tool) => (SHELLS as readonly string[]).includes(tool)) ?? false;
  return wholeShell && !hasMatcher(rule) ? { closed: false, tokens: [] } : undefined;
}

const isSome = (patterns: readonly unknown[] | undefined): boolean => patterns !== undefined && patterns.length > 0;

const hasMatcher = ({ command, reads, writes, urls }: OwnRule): boolean =>
  command !== undefined || isSome(reads) || isSome(writes) || isSome(urls);

/** Whether a call could be meant by both. Errs on the side of yes. */
function couldMeet(one: OwnRule, other: OwnRule): boolean {
  if (one.tools !== undefined && other.tools !== undefined) {
    const others = other.tools;
    const shared = one.tools.some(
      (tool) => tool.includes('*') || others.some((name) => name.includes('*') || name === tool),
    );
    if (!shared) return false;
  }
  if (one.command !== undefined && other.command !== undefined) return overlap(one.command, other.command);
  return (
    !hasMatcher(one) ||
    !hasMatcher(other) ||
    (isSome(one.reads) && isSome(other.reads)) ||
    (isSome(one.writes) && isSome(other.writes)) ||
    (isSome(one.urls) && isSome(other.urls))
  );
}

/** Whether what begins with the one could begin with the other. Errs on the side of yes. */
function overlap(one: readonly Token[], other: readonly Token[]): boolean {
  for (const [index, token] of one.entries()) {
    const beside = other[index];
    if (beside === undefined || token.kind === 'rest' || beside.kind === 'rest') return true;
    if (!couldBeSame(token, beside, index === 0)) return false;
  }
  return true;
}

/** @param isProgram whether they are the first words of commands: then `/usr/bin/rm` is `rm`, too */
function couldBeSame(one: Token, other: Token, isProgram: boolean): boolean {
  const isSameText = (text: string, each: string) => text === each || (isProgram && baseOf(text) === baseOf(each));
  // Nearly all are: nothing is made for them, since each rule is held against each other one.
  if (one.kind === 'text' && other.kind === 'text') return isSameText(one.text, other.text);
  const ones = textsOf(one);
  const others = textsOf(other);
  return (
    ones === undefined || others === undefined || ones.some((text) => others.some((each) => isSameText(text, each)))
  );
}

/** Whether all that begins with `tokens` begins with `wide`. Errs on the side of no. */
const covers = (wide: readonly Token[], tokens: readonly Token[]): boolean =>
  wide.length <= tokens.length &&
  wide.every((token, index) => token.kind === 'any' || isSame(token, tokens[index] ?? ANY_WORD));

function isSame(one: Token, other: Token): boolean {
  if (one.kind === 'any' || other.kind === 'any') return one.kind === other.kind;
  if (one.kind === 'rest' || other.kind === 'rest') return false;
  if (one.kind === 'oneOf' || other.kind === 'oneOf') {
    if (one.kind !== 'oneOf' || other.kind !== 'oneOf' || one.texts.length !== other.texts.length) return false;
    return one.texts.every((text, index) => text === other.texts[index]);
  }
  return one.kind === other.kind && one.text === other.text;
}

const baseOf = (command: string): string => command.slice(command.lastIndexOf('/') + 1);
