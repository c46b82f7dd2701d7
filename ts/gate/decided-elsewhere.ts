/** What who is asked hears of a request that somebody else has decided: what that was, by whom, and what it means for the call. */
import type { DecisionOutcome } from '../../index.js';
import { oneLine } from './in-a-line.js';
import { isByHuman, type DecidedRecord } from './records.js';

/** In words, by the reason that a signal is aborted with. */
const BECAME = new WeakMap<WeakKey, string>();

/** The reason for the signal of who was asked. @param decided the decision, where there is one */
export function decidedElsewhere(decided: unknown): DOMException {
  const reason = new DOMException('The request was decided elsewhere.', 'AbortError');
  if (isDecided(decided)) BECAME.set(reason, inWords(decided));
  return reason;
}

/** What became of the request, safe to show; `undefined`: it was not decided, or it is no reason of ours. */
export const whatBecame = (reason: unknown): string | undefined =>
  typeof reason === 'object' && reason !== null ? BECAME.get(reason) : undefined;

function inWords({ decision, decidedBy, via }: DecidedRecord): string {
  const [what, then] = WORDS[decision.type];
  const by = isByHuman(via) ? ` by ${oneLine(decidedBy)}` : '';
  const why = decision.reason === undefined ? '' : ` (${oneLine(decision.reason)})`;
  return `It was ${what}${by}${why}: ${then}.`;
}

/** What was decided, and what that means. */
const WORDS: Readonly<Record<DecisionOutcome['type'], readonly [string, string]>> = {
  approve: ['approved', 'the call runs'],
  edit: ['approved with other arguments', 'the call runs with those'],
  reject: ['rejected', 'the call does not run'],
  respond: ['answered instead of run', 'the call does not run'],
  skip: ['skipped', 'the call does not run'],
  expired: ['left unanswered until its time was over', 'the call does not run'],
  cancelled: ['cancelled', 'the call does not run'],
};

/** What settles a wait may also be an answer to questions, or an error. */
const isDecided = (decided: unknown): decided is DecidedRecord =>
  typeof decided === 'object' &&
  decided !== null &&
  'via' in decided &&
  'decidedBy' in decided &&
  'decision' in decided &&
  Object.hasOwn(WORDS, (decided.decision as DecisionOutcome | null)?.type ?? '');
