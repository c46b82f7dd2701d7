/** Takes what is found out of a text and says what it was. */
import { isHarmless, SECRETS, type SecretKind } from './secrets.js';

/** Something to find: common credentials, or what an expression matches. */
export type SecretFinder = readonly SecretKind[];

const MARK = '[redacted: ';
const MARK_HERE = /\[redacted: [\w -]{1,64}\]/y;

/** What stands in the place of something secret. */
export const redacted = (what: string): string => `${MARK}${what}]`;

/** Whether a text is such a mark and nothing else. */
export const isMark = (text: string): boolean => text.startsWith(MARK) && text.indexOf(']') === text.length - 1;

/** Whether something was taken out of a value. */
export const hasMark = (json: unknown): boolean => (JSON.stringify(json) ?? '').includes(MARK);

/** Common credentials. */
export const COMMON: SecretFinder = SECRETS;

/** What the caller's expression matches. `number` names it, from 1. */
export function ofExpression(expression: RegExp, number: number): SecretFinder {
  const flags = `${expression.flags.replace(/[gy]/g, '')}g`;
  return [{ name: `pattern ${number}`, find: new RegExp(expression.source, flags) }];
}

/** The text without what is found. */
export function withoutSecrets(text: string, finders: readonly SecretFinder[]): string {
  let left = text;
  for (const finder of finders) for (const secret of finder) left = without(left, secret);
  return left;
}

function without(text: string, { name, find, behind = false, end }: SecretKind): string {
  let kept = '';
  let from = 0;
  find.lastIndex = 0;
  for (let match = find.exec(text); match !== null; match = find.exec(text)) {
    const [found] = match;
    const after = match.index + found.length;
    const start = behind ? after : match.index;
    // What was taken out before is not taken out again, unless there is more behind it.
    const inside = behind ? markEnd(text, start) : after;
    const stop = end?.(text, inside, found) ?? inside;
    const isDone = behind && inside > start && stop === inside;
    if (
      stop > start &&
      !isDone &&
      !(behind && isHarmless(nameIn(found), text.slice(start, Math.min(stop, start + 80))))
    ) {
      kept += text.slice(from, start) + redacted(name);
      from = stop;
    }
    // Never back, so that nothing is looked at twice; and never at the same place again.
    find.lastIndex = Math.max(stop, after, match.index + 1);
  }
  return from === 0 && kept === '' ? text : kept + text.slice(from);
}

/** Where the mark that stands here ends; `from` where none does. */
function markEnd(text: string, from: number): number {
  MARK_HERE.lastIndex = from;
  return MARK_HERE.test(text) ? MARK_HERE.lastIndex : from;
}

/** The name in `name = "`. */
const nameIn = (found: string): string => /^\W*([\w-]{1,64})/.exec(found)?.[1] ?? '';
