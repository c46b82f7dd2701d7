/** What is kept of a request and of a decision, when secrets are not. */
import type { ApprovalRequest, DecisionOutcome, GrantOffer, PolicyVerdict } from '../../index.js';
import { redacted } from './text.js';
import type { Redactor } from './redactor.js';

/** What is shown beside a call. */
export interface Beside {
  description: string | null;
  /** Of the policies: see {@link Details}. */
  details: object | null;
  page: { text: string; flags: string[] } | null;
}

type Details = Partial<Pick<ApprovalRequest, 'verdict' | 'always' | 'changes'>>;
type Page = { text: string; flags: string[] };

/** A request as it is kept. */
export interface KeptRequest extends Beside {
  /** The arguments as they are kept; `null`: they are kept as they are. */
  stored: unknown;
}

const WITHHELD = redacted('it quotes redacted arguments');

/**
 * What is kept of a request. `preview` makes a page of what is kept of the arguments: one of the original may have cut a
 * secret in two, which no search finds.
 */
export function keptRequest(
  redactor: Redactor,
  call: { toolName: string; args: unknown },
  beside: Beside,
  preview: (toolName: string, args: unknown) => Page,
): KeptRequest {
  const { json, redacted: isRedacted, byFunction } = redactor.args(call, call.args);
  // What the function took out is nowhere to be seen from here: a text that may quote it is not kept at all.
  const text = (quoting: string): string => (byFunction ? WITHHELD : redactor.text(quoting));
  const { description, details, page } = beside;
  return {
    stored: isRedacted ? json : null,
    description: description === null ? null : text(description),
    details: details === null ? null : keptDetails(redactor, details as Details, { isRedacted, byFunction, text }),
    page: isRedacted ? preview(call.toolName, json) : page && { ...page, text: text(page.text) },
  };
}

interface How {
  isRedacted: boolean;
  byFunction: boolean;
  text: (quoting: string) => string;
}

function keptDetails(redactor: Redactor, { verdict = null, always, changes = [], ...more }: Details, how: How): object {
  const offer = (made: GrantOffer | null = null) => (how.byFunction ? null : keptOffer(redactor, made));
  return {
    ...more,
    verdict: verdict && keptVerdict(redactor, verdict, how),
    always: { allow: offer(always?.allow), deny: offer(always?.deny) },
    changes: changes.map((change) => ({ ...change, path: how.text(change.path), diff: how.text(change.diff) })),
  };
}

function keptVerdict(redactor: Redactor, verdict: PolicyVerdict, { isRedacted, byFunction }: How): PolicyVerdict {
  if (byFunction) return { ...verdict, reason: WITHHELD, subjects: [] };
  const { rule, ...rest } = verdict;
  const kept = redactor.json(rest) as PolicyVerdict;
  // Where a subject stands in the original says nothing of what is kept.
  const subjects = isRedacted ? kept.subjects.map(({ span: _span, ...subject }) => subject) : kept.subjects;
  return { ...kept, rule, subjects };
}

/** A rule with a mark in it speaks of something else: it is not offered. */
function keptOffer(redactor: Redactor, offer: GrantOffer | null): GrantOffer | null {
  return offer !== null && JSON.stringify(redactor.json(offer)) === JSON.stringify(offer) ? offer : null;
}

/** What is kept of a decision; of an edit, `args` are those that will run. */
export function keptDecision(redactor: Redactor, toolName: string, decision: DecisionOutcome): DecisionOutcome {
  const { reason } = decision;
  const said = reason === undefined ? {} : { reason: redactor.text(reason) };
  if (decision.type === 'edit') return { ...decision, ...said, args: redactor.args({ toolName }, decision.args).json };
  if (decision.type === 'respond') return { ...decision, ...said, output: redactor.json(decision.output) };
  return { ...decision, ...said };
}
