/** Texts and calls in one line that is safe to show. */
import type { ApprovalRequest } from '../../index.js';
import { shownArgs, type ReasonedCall } from './agent-reason.js';
import { oneLine } from './one-line.js';
import { inOneLine, questionsOf } from './questions.js';

export { oneLine, withoutLines } from './one-line.js';

/** What is shown of a call; `verdict` and `changes` tell what it is about. */
type ShownCall = Pick<ApprovalRequest, 'kind' | 'args' | 'contents' | 'verdict' | 'changes'> & ReasonedCall;

/** What would run, without the name of its tool and what its agent says of it; for questions the first of them. */
export const callInALine = (request: ShownCall): string => oneLine(inWords(request));

function inWords(request: ShownCall): string {
  if (request.contents === 'dropped') return '(its arguments were dropped)';
  const questions = questionsOf(request);
  if (questions !== undefined) return inOneLine(questions);
  const args = shownArgs(request);
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return JSON.stringify(args) ?? String(args);
  const values = inReadingOrder(args, foundIn(request));
  const [only] = values;
  if (values.length === 1 && typeof only?.[1] === 'string') return only[1];
  return values.map(([key, value]) => `${key}=${plain(value)}`).join(' ');
}

/** A value as text: a text as it is, everything else as JSON. */
export function plain(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return String(value);
  }
}

/** What a policy or the preview found in an argument: all of it, or with a `span` a part of a command line. */
interface FoundText {
  text: string;
  span?: [start: number, end: number];
}

/** What the call is about: first what runs, then what is read, written or fetched. */
function foundIn({ verdict, changes }: Pick<ShownCall, 'verdict' | 'changes'>): FoundText[] {
  const said = (verdict?.actions ?? []).flatMap((action) => ('text' in action ? [action] : []));
  const runs = said.filter(({ kind }) => kind === 'command');
  const touches = said.filter(({ kind }) => kind !== 'command');
  return [...runs, ...touches, ...changes.map(({ path }) => ({ text: path }))];
}

/** The longest argument that stands before others, in characters. */
const SHORT = 80;

/** The arguments of a call: what it is about comes first, and what is long or has several lines last. */
export function inReadingOrder(args: object, found: readonly FoundText[] = []): [name: string, value: unknown][] {
  const rank = (value: unknown): number => {
    const at = found.findIndex(
      ({ text, span }) => typeof value === 'string' && (span === undefined ? value : value.slice(...span)) === text,
    );
    if (at !== -1) return at;
    const text = plain(value);
    return found.length + (text.length <= SHORT && !text.includes('\n') ? 0 : 1);
  };
  return Object.entries(args)
    .map((entry) => ({ entry, rank: rank(entry[1]) }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ entry }) => entry);
}
