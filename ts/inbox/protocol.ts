/**
 * What the inbox and its page say to each other, as JSON. Types only: the page is built from them too.
 *
 * Every text is safe to show, but for what is called `…Id` or `value`: these are sent back as they are and never shown.
 * All times are ms since the epoch, by the clock of the server (`now`).
 *
 * The page is `index.html` with `<html data-base="./">`; the API is at `new URL('api/…', new URL(base, location.href))` with that
 * base, and files are at `./assets/…`. Where the inbox is mounted without a slash at its end, `/inbox`, the server writes
 * `./inbox/` for both.
 */
import type {
  ApprovalStatus,
  AuditHead,
  AuditKind,
  AuditReport,
  DecidedVia,
  Decision,
  DecisionOutcome,
  DecisionType,
  FileChange,
  PolicyEffect,
  PolicyRule,
  PolicyAction,
} from '../../index.js';

/** `GET api/session`: who looks. */
export interface SessionAnswer {
  person: { name: string; groups: readonly string[]; mayDecide: boolean };
  /** Goes into the header `x-countersign-csrf` of each POST. */
  csrf: string;
  now: number;
  version: string;
  /** `isDurable`: it outlives the process, and so has an audit and runs of other processes. */
  ledger: { isDurable: boolean };
  /** For how long a decision may be taken back before the page sends it, in ms; 0: it is sent at once. */
  undo: number;
}

/** Who must agree, and how far that is. */
export interface ShownNeed {
  /** Empty: anybody who gives a name. */
  approvers: readonly string[];
  quorum: number;
  /** How many of the quorum have approved; `null`: that depends on groups that are not known here. */
  approved: number | null;
  excludeRequester: boolean;
  escalate: { at: number; to: readonly string[] } | null;
}

export interface ShownVote {
  by: string;
  via: DecidedVia;
  at: number;
  reason: string | null;
}

/** A request in a list. */
export interface InboxItem {
  approvalId: string;
  runId: string;
  /** `runId`, to be shown. */
  run: string;
  /** The {@link RunHead.group} that it stands below. */
  group: string;
  kind: 'approval' | 'question';
  tool: string;
  /** The path of agents it came from; `agent` is the last of it. */
  origin: readonly string[];
  agent: string;
  /** One line: what it would do. */
  summary: string;
  description: string;
  /** Why it is asked about once more, and what the program says of it in words of its own; `null`: neither. */
  headline: string | null;
  /** What the agent says of it, as a sentence that says so; `null`: nothing. */
  agentSays: string | null;
  /** As `ApprovalRequest.flags`. */
  flags: readonly string[];
  /** What it would do that may not be undone, each in a few words behind "it". */
  dangers: readonly string[];
  /** Whether a rule marks it as a risk; why stands among the `dangers`. */
  risk: 'high' | null;
  /** Whether it is proven to do no lasting harm, and nothing stands out: only then "approve" is the marked choice. */
  harmless: boolean;
  effect: PolicyEffect | null;
  status: ApprovalStatus;
  createdAt: number;
  expiresAt: number | null;
  /** What this person may decide now; empty: nothing, and `whyNot` says why. */
  mayDecide: readonly DecisionType[];
  whyNot: string | null;
  needs: readonly ShownNeed[];
  votes: readonly ShownVote[];
  requester: string | null;
  escalatedAt: number | null;
  contents: 'kept' | 'redacted' | 'dropped';
}

/** A value of a filter. */
export interface FilterFacet {
  /** For the query. */
  value: string;
  label: string;
  /** How many wait. */
  count: number;
}

/** What is said of a run above its requests. */
export interface RunHead {
  group: string;
  /** What the program calls it, or the end of its id. */
  name: string;
  /** `null`: the ledger keeps none of it. */
  status: ShownRun['status'] | null;
  prompt: string | null;
  /** What it called before the first of its requests, the latest at the end. */
  steps: readonly string[];
  /** How many of its requests wait, also those that no filter shows. */
  waiting: number;
}

/** `GET api/pending?run=&agent=&tool=&risk=&q=&cursor=`: what waits, oldest first. Filters take a facet's `value`. */
export interface PendingAnswer {
  items: readonly InboxItem[];
  /** Of each run that is in `items`. */
  runs: readonly RunHead[];
  /** All that fit the filters, also those of other pages. */
  total: number;
  /** For the next page; `null`: this is the last one. */
  next: string | null;
  /** Over all that waits. */
  facets: {
    runs: readonly FilterFacet[];
    agents: readonly FilterFacet[];
    tools: readonly FilterFacet[];
    risks: readonly FilterFacet[];
  };
  now: number;
}

/** Where a rule stands. `line` from 1. */
export interface ShownRule {
  source: string;
  layer: string;
  line: number | null;
}

export interface ShownVerdict {
  effect: PolicyEffect;
  rule: ShownRule | null;
  reason: string;
  /** How many actions are left out, none stricter than those that are not. */
  more: number;
}

/** One thing that a call would do. */
export interface CallSegment {
  kind: PolicyAction['kind'];
  /** As it stands in the command, or the path, the address, the name. */
  text: string;
  effect: PolicyEffect;
  rule: ShownRule | null;
  /** For `unknown`: what cannot be proven. */
  reason: string | null;
}

/** An earlier request about much the same. */
export interface SimilarRequest {
  approvalId: string;
  summary: string;
  status: ApprovalStatus;
  decidedBy: string | null;
  decidedAt: number | null;
  reason: string | null;
  /** The very same arguments. */
  same: boolean;
}

export interface ShownOffer {
  label: string;
  rules: readonly PolicyRule[];
  also: readonly string[];
}

/** What became of a request. */
export interface ShownDecision {
  type: DecisionOutcome['type'];
  reason: string | null;
  stop: boolean;
  /** For `edit`: the arguments, for `respond`: what the model got; JSON, indented, but answers to questions as the model reads them. */
  text: string | null;
  by: string | null;
  via: DecidedVia | null;
  at: number | null;
}

/** A request that is over, in a list. */
export interface HistoryItem extends InboxItem {
  verdict: ShownVerdict | null;
  /** `null` while it is pending. */
  decision: ShownDecision | null;
}

/** A request, whole, and what has become of it. */
export interface ShownRecord extends HistoryItem {
  /** As `ApprovalRequest.preview`: several lines, each with its gutter. */
  preview: string;
  /**
   * The arguments as JSON, indented, to begin an edit with: what cannot be seen stands escaped in it, so that it reads as the
   * very same arguments. `null`: they are not whole here, or are more than JSON can say, so that they cannot be edited.
   */
  argsJson: string | null;
  /**
   * The argument that is edited as plain text: the content of a file, a command, a query. `null`: no such argument, or a field
   * would not show all of it.
   */
  textName: string | null;
  /** Each argument whole, as text with gutters, where `preview` leaves something out; else `null`. */
  whole: string | null;
  /** Why a person is asked, in one sentence. */
  why: string;
  digest: string;
  /** `scopes`: what may stand in `remember`; empty: nothing may. */
  always: { allow: ShownOffer | null; deny: ShownOffer | null; scopes: readonly ('run' | 'session' | 'always')[] };
  changes: readonly FileChange[];
}

/** An argument in a form. */
export interface FormField {
  /** As the tool knows it: it is its label, too. */
  name: string;
  /** `lines`: a text that has several, or may. `flag`: yes or no. */
  kind: 'text' | 'lines' | 'number' | 'flag' | 'choice';
  isRequired: boolean;
  help: string | null;
  /** Of a `choice`. */
  choices: readonly string[];
}

/** A question, with its texts safe to show. Answer with `value`s, and texts of your own where the kind takes them. */
export interface ShownQuestion {
  kind: 'text' | 'multiple_choice' | 'multi_select';
  question: string;
  header: string | null;
  required: boolean;
  options: readonly { value: string; label: string; description: string | null }[];
}

/** `GET api/requests/:approvalId` */
export interface RequestDetail {
  record: ShownRecord;
  segments: readonly CallSegment[];
  /** The ids of others that wait in the same run: these, with this one, can be decided together. */
  step: readonly string[];
  similar: readonly SimilarRequest[];
  /** That the like was approved often before, in a few words; `null`: it was not, or nothing is offered to be remembered. */
  often: string | null;
  /** The JSON Schema of the tool's input, where it is known. */
  schema: object | null;
  /** The arguments as a form, by that schema; `null`: they are edited as a text, or as JSON. */
  form: readonly FormField[] | null;
  questions: readonly ShownQuestion[] | null;
  /** The run that asks; `null`: the ledger keeps none of it. */
  run: ShownRun | null;
  /** Where the call came from; `null`: unknown. */
  place: ShownPlace | null;
  /** What becomes of it now that it is decided, in words; empty: unknown, or it waits. */
  becomes: string;
  /** What the tool gave back, as text; `null`: nothing is kept of it. */
  gave: string | null;
  now: number;
}

/** What the run was given to do, and what it did. */
export interface ShownRun {
  status: 'active' | 'suspended' | 'failed' | 'done' | 'cancelled';
  prompt: string | null;
  /** What it called before, the latest at the end. */
  steps: readonly string[];
}

/** Safe to show, in a line each. */
export interface ShownPlace {
  /** Where its relative paths start. */
  folder: string;
  /** In which "always" would count. */
  project: string;
}

/** `POST api/requests/:approvalId/decision` */
export interface DecisionBody {
  /**
   * `respond` to questions: `{ type: 'respond', output: { answers } }`. `remember` stands in it, and for an edit `shown` of its
   * {@link CheckAnswer}: without that, its files were not looked at.
   */
  decision: Decision;
}

export interface DecideAnswer {
  record: ShownRecord;
  /** `false`: this person's approval was counted before, and nothing has changed. */
  counted: boolean;
  /** As {@link RequestDetail.becomes}. */
  becomes: string;
}

/** `POST api/requests/:approvalId/check`: arguments in an editor. Nothing is decided. */
export interface CheckBody {
  args: unknown;
}

export interface ProblemAnswer {
  /** A JSON pointer, to be shown; empty: the whole. */
  path: string;
  message: string;
}

export interface CheckAnswer {
  /** Empty: they fit, as far as it is known here (`schema`). */
  problems: readonly ProblemAnswer[];
  /** Whether there is a schema to check them against. */
  schema: boolean;
  preview: string;
  flags: readonly string[];
  /** What the call would do with them that may not be undone, behind "it". */
  dangers: readonly string[];
  /** What the policies would say of them; `deny`: such an edit is not taken. */
  verdict: ShownVerdict;
  segments: readonly CallSegment[];
  /** Names what was shown here of the edit, for the decision; `null`: its files were not looked at. */
  shown: string | null;
}

/** `POST api/decisions`: several requests of one run, at most 100. */
export interface BulkBody {
  ids: readonly string[];
  decision: { type: 'approve' | 'reject' | 'skip'; reason?: string };
}

export interface BulkResults {
  results: readonly { approvalId: string; ok: boolean; record: ShownRecord | null; error: ErrorBody | null }[];
}

/** `GET api/history?before=&run=&tool=&decision=&by=&risk=&q=&limit=`: what is over, the latest first. */
export interface HistoryAnswer {
  items: readonly HistoryItem[];
  /** For `before`; `null`: there is no more. */
  next: string | null;
  now: number;
}

/** `GET api/runs`: runs in which something waits. */
export interface RunsAnswer {
  items: readonly {
    runId: string;
    run: string;
    agents: readonly string[];
    tools: readonly string[];
    waiting: number;
    since: number;
  }[];
  now: number;
}

/** An entry of the audit, in a list. */
export interface ShownEntry {
  seq: number;
  at: number;
  kind: AuditKind;
  run: string | null;
  tool: string | null;
  approvalId: string | null;
  by: string | null;
  /** The decision, the status or the effect that it is about. */
  what: string | null;
  reason: string | null;
}

/** `GET api/entries?before=&kind=&q=&limit=`: entries of the audit, the latest first. */
export interface EntriesAnswer {
  items: readonly ShownEntry[];
  /** For `before`; `null`: there is no more. */
  next: number | null;
  now: number;
}

/** `GET api/audit`, and `POST api/audit/verify`. All `null` where the ledger does not last. */
export interface AuditState {
  head: AuditHead | null;
  /** That of the last time that somebody verified it here. */
  report: AuditReport | null;
  checkedAt: number | null;
  now: number;
}

/** Rules that would have saved questions of this project, for its policy. */
export interface ShownSuggestion {
  /** Goes into {@link AcceptBody}. */
  digest: string;
  file: string;
  /** What would change of the file, as `diff -u` shows it, a line each. */
  diff: readonly string[];
  /** Empty: nothing is proposed. */
  offers: readonly { effect: 'allow' | 'deny'; label: string; saves: number }[];
  leftOut: readonly { label: string; why: string }[];
  /** What it comes to, a sentence each. */
  proof: readonly string[];
  /** Whether the file may be trusted in the same step. */
  mayTrust: boolean;
}

/** `GET api/suggestions`. `null`: nothing for this person, and `whyNot` says why. */
export interface SuggestionAnswer {
  suggestion: ShownSuggestion | null;
  whyNot: string | null;
  now: number;
}

/** `POST api/suggestions`: puts the rules that were shown into the policy of the project. */
export interface AcceptBody {
  digest: string;
  trust: boolean;
}

export interface AcceptAnswer {
  file: string;
  trusted: boolean;
  now: number;
}

/**
 * `GET api/events` (SSE): `hello` first, then `change` for requests to be read again, `gap` when everything is to be read
 * again, and `bye` when the inbox is closed.
 */
export interface StreamEvents {
  hello: { now: number };
  change: { ids: readonly string[] };
  gap: { now: number };
  bye: { now: number };
}

/** What was wrong, with each status that is not 2xx: `{ error }`. */
export interface ErrorBody {
  /** An `ERR_…` of docs/errors.md, or of docs/inbox-server.md. */
  code: string;
  message: string;
  /** `ERR_ALREADY_DECIDED`: what stands. */
  winner?: ShownRecord;
  /** `ERR_INVALID_DECISION` for edited arguments (422). */
  problems?: readonly ProblemAnswer[];
  /** `ERR_RATE_LIMITED`, in seconds. */
  retryAfter?: number;
}

/** The errors of the inbox itself, with their status. */
export type InboxErrorCode =
  | 'ERR_BAD_REQUEST' // 400
  | 'ERR_UNAUTHENTICATED' // 401
  | 'ERR_FORBIDDEN' // 403: another origin, no or a wrong CSRF token, a person that may only look
  | 'ERR_NOT_FOUND' // 404
  | 'ERR_METHOD_NOT_ALLOWED' // 405
  | 'ERR_CHANGED' // 409: a suggestion that is no longer what was shown
  | 'ERR_TOO_LARGE' // 413
  | 'ERR_UNSUPPORTED_MEDIA_TYPE' // 415
  | 'ERR_RATE_LIMITED' // 429
  | 'ERR_INTERNAL' // 500
  | 'ERR_UNAVAILABLE'; // 503: the ledger cannot be used, or the gate was closed
