/** What is kept of a request and of a decision, when secrets are not. */
import type { ApprovalRequest, DecisionOutcome, GrantOffer, PolicyVerdict } from '../../index.js';
import { revive } from '../values/snapshot.js';
import { WITHHELD, type Redactor } from './redactor.js';

/** What is shown beside a call. */
export interface ShownBeside {
  description: string | null;
  /** Of the policies: see {@link RequestDetails}. */
  details: object | null;
  page: { text: string; flags: string[] } | null;
}

type RequestDetails = Partial<
  Pick<ApprovalRequest, 'verdict' | 'always' | 'changes' | 'review' | 'agentReason' | 'editedFrom' | 'askedAgain'>
>;
type PreviewPage = { text: string; flags: string[] };

/** A request as it is kept. */
export interface KeptRequest extends ShownBeside {
  /** The arguments that are kept instead; `null`: they are kept as they are. */
  stored: [unknown] | null;
  /** A text that may quote the arguments, as it may be kept. */
  quoting: (text: string) => string;
}

/**
 * What is kept of a request. `preview` makes a page of what is kept of the arguments: one of the original may have cut a
 * secret in two, which no search finds.
 */
export function keptRequest(
  redactor: Redactor,
  call: { toolName: string; args: unknown },
  beside: ShownBeside,
  preview: (toolName: string, args: unknown) => PreviewPage,
): KeptRequest {
  const { json, redacted: isRedacted, byFunction, quoting } = redactor.args(call, call.args);
  const { description, page } = beside;
  const details = beside.details as RequestDetails | null;
  const { editedFrom = null } = details ?? {};
  const from = editedFrom === null ? undefined : redactor.args(call, editedFrom);
  // What is asked about again quotes what the model wrote, too.
  const text = (quotes: string): string => (from === undefined ? quoting(quotes) : from.quoting(quoting(quotes)));
  return {
    stored: isRedacted ? [json] : null,
    quoting,
    description: description === null ? null : text(description),
    details:
      details === null ? null : keptDetails(redactor, details, { from: from?.json, isRedacted, byFunction, text }),
    page: page && (isRedacted ? preview(call.toolName, json) : { ...page, text: text(page.text) }),
  };
}

interface RedactionPlan {
  /** What is kept of the arguments of the model, where a person had changed them. */
  from: unknown;
  isRedacted: boolean;
  byFunction: boolean;
  text: (quoting: string) => string;
}

function keptDetails(
  redactor: Redactor,
  {
    verdict = null,
    always,
    changes = [],
    review = null,
    agentReason = null,
    editedFrom = null,
    askedAgain = null,
    ...more
  }: RequestDetails,
  how: RedactionPlan,
): object {
  const offer = (made: GrantOffer | null = null) => (how.byFunction ? null : keptOffer(redactor, made));
  return {
    ...more,
    ...(agentReason === null ? {} : { agentReason: how.text(agentReason) }),
    ...(editedFrom === null ? {} : { editedFrom: how.from }),
    ...(askedAgain === null ? {} : { askedAgain: { ...askedAgain, because: how.text(askedAgain.because) } }),
    ...(review === null ? {} : { review: { ...review, reason: how.text(review.reason) } }),
    verdict: verdict && keptVerdict(redactor, verdict, how),
    always: { allow: offer(always?.allow), deny: offer(always?.deny) },
    changes: changes.map((change) => ({
      ...change,
      path: how.text(change.path),
      target: change.target === null ? null : how.text(change.target),
      diff: how.text(change.diff),
    })),
  };
}

function keptVerdict(
  redactor: Redactor,
  verdict: PolicyVerdict,
  { isRedacted, byFunction }: RedactionPlan,
): PolicyVerdict {
  if (byFunction) return { ...verdict, reason: WITHHELD, actions: [] };
  const { rule, ...rest } = verdict;
  const kept = redactor.json(rest) as PolicyVerdict;
  // Where an action stands in the original says nothing of what is kept.
  const actions = isRedacted ? kept.actions.map(({ span: _span, ...action }) => action) : kept.actions;
  return { ...kept, rule, actions };
}

/** A rule with a mark in it speaks of something else: it is not offered. */
function keptOffer(redactor: Redactor, offer: GrantOffer | null): GrantOffer | null {
  return offer !== null && JSON.stringify(redactor.json(offer)) === JSON.stringify(offer) ? offer : null;
}

/** The unredacted view of a request for the process that made it. Offers that were redacted away are left out. */
export function originalRequest<REQUEST extends ApprovalRequest>(
  kept: REQUEST,
  { args, description, details, page }: ShownBeside & { args: { value: unknown; json: unknown } },
  preview: (toolName: string, args: unknown) => PreviewPage,
): REQUEST {
  const isWhole = (kept as { contents?: string }).contents !== 'redacted';
  const { text, flags } =
    page ?? (isWhole ? { text: kept.preview, flags: kept.flags } : preview(kept.toolName, args.json));
  const { verdict, changes, review, agentReason, editedFrom, askedAgain } = (details ?? {}) as RequestDetails;
  // What is said of a call that a person had changed quotes what the model wrote, which is not asked about any more.
  const quotesModel = (editedFrom ?? null) !== null;
  return {
    ...kept,
    args: revive(args.json),
    description: quotesModel ? kept.description : (description ?? kept.description),
    preview: text,
    flags,
    verdict: verdict ?? kept.verdict,
    changes: changes ?? kept.changes,
    review: review ?? kept.review,
    agentReason: agentReason ?? kept.agentReason,
    askedAgain: quotesModel ? kept.askedAgain : (askedAgain ?? kept.askedAgain),
    editedFrom: editedFrom === undefined ? kept.editedFrom : revive(editedFrom),
  };
}

/** A decision without secrets. */
export interface KeptDecision {
  /** To be made. An edit still has the arguments that it is bound to. */
  decision: DecisionOutcome;
  /** What is kept instead of the arguments of an edit; `null`: they are kept as they are. */
  stored: [unknown] | null;
  /** As others are told of it. */
  asKept: DecisionOutcome;
  /** As this process goes on with it. */
  original: DecisionOutcome;
  /** Of an edit: a text that may quote its arguments, as it may be kept. */
  quoting?: (text: string) => string;
}

/** What is kept of a decision. `runs`: for an edit, the arguments that will run. */
export function keptDecision(
  redactor: Redactor,
  toolName: string,
  decision: DecisionOutcome,
  runs: unknown,
): KeptDecision {
  const clean = { ...decision };
  if (clean.reason !== undefined) clean.reason = redactor.text(clean.reason);
  if (clean.type === 'respond') clean.output = redactor.json(clean.output);
  if (clean.type !== 'edit') return { decision: clean, stored: null, asKept: clean, original: decision };
  const { json, redacted: isRedacted, quoting } = redactor.args({ toolName }, runs);
  return {
    decision: clean,
    stored: isRedacted ? [json] : null,
    asKept: { ...clean, args: json },
    original: { ...decision, type: 'edit', args: runs },
    ...(isRedacted ? { quoting } : {}),
  };
}
