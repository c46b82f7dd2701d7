// Made of the types of `crates/bridge` by its test `typescript_has_these_types`. Not edited by hand:
// COUNTERSIGN_WRITE_TYPES=1 cargo test -p countersign-bridge typescript
import type { PolicyRule } from '../index.js';

/** Puts rules that were shown into the policy of the project that this directory is in, whole or not at all. */
export type AcceptRules = { directory: string,
/** What was shown to stand there; `null`: there was no file. */
before: string | null,
/** What was shown to come in its place. */
after: string,
/** Trusts the file as it then is. */
trust: boolean, };

/** What stands there now. */
export type AcceptedRules = { path: string, trusted: boolean, };

/** Who must agree. */
export type ApprovalNeed = {
/** Names, and groups as `group:NAME`; absent: anybody who gives a name. */
approvers?: readonly string[],
/** How many different people must approve; absent: one. */
quorum?: number,
/** The approval of who asked for the run does not count. */
excludeRequester?: boolean,
/** Whom else it is put to after a while. */
escalate?: NativeEscalation, };

export type ApprovalStatus = "pending" | "approved" | "edited" | "rejected" | "responded" | "skipped" | "expired" | "cancelled" | "started" | "succeeded" | "failed" | "interrupted";

/** An argument as a row of a table, safe to show. */
export type ArgumentRow = {
/** Empty where the arguments are no object. */
name: string, value: string, };

/** Whether what is asked here outlives this process. */
export type AskDurable = Record<symbol, never>;

/** Why nothing is remembered here; `null`: it is. */
export type AskForgets = Record<symbol, never>;

/** Fails when the policies cannot be read. */
export type AskReady = Record<symbol, never>;

/** Whether it is, and why no approval lets it run. */
export type BoundAnswer = { isBound: boolean, denied?: string,
/** Files changed: what is wrong with them now, perhaps nothing. */
problems?: Array<PolicyProblem>, };

/** What an approval is bound to beside its call. */
export type CallBinding = {
/** Which tool it is. */
tool: string, asked: NativeAsked,
/** For an edit: the files that it writes, as they were seen. Absent: it writes none that is known. */
files?: readonly { target: string | null, before: string | null }[], };

/** What a human is shown: [`NativeShown`], owned. */
export type CallDisplay = NativeShown;

/** Whether a call still is what was shown. */
export type CallStaleness = {
/** Why not; absent: it is. */
objection?: string,
/** Files changed: what is wrong with them now, perhaps nothing. */
problems?: Array<PolicyProblem>, };

/** Cancels what a run waits for and takes back what was approved but not started. */
export type CancelRun = { runId: string, reason: string, via: DecidedVia, };

/** RFC 8785 text and its SHA-256 (hex). */
export type CanonicalText = { text: string, digest: string, };

/** Whether an approval is bound to this very call. */
export type CheckBound = { approvalId: string, call: RedeemingCall, };

/** Fails unless these documents can be read. */
export type CheckDocuments = { documents: Array<NativeDocument>, };

/** Whether a call still is what was shown. */
export type CheckStaleness = { shown: StalenessCheck, };

/** Refuses what comes. In memory what waits is cancelled; a durable ledger is let go of. */
export type CloseGate = { reason: string, };

/** Gives the space of what was dropped back. */
export type CompactLedger = Record<symbol, never>;

/** Who agreed to one request, and who must agree to another. */
export type ComparedNeeds = { met: readonly ApprovalNeed[], asked: readonly ApprovalNeed[], };

export type Contents = "kept" | "redacted" | "dropped";

/** What became of a decision, or of an answer. */
export type DecideAnswer = { answered: ApprovalStatus, staleness?: CallStaleness, } | NativeRecord | { read: DecisionText, };

/** Who decides, and what an edit runs. */
export type DecideMeta = { by: string | null,
/** The groups that this person is in. */
groups?: readonly string[], via: DecidedVia,
/** For an edit: the arguments that will run, as the tool's schema gave them. */
editedArgs?: unknown,
/** For an edit: what the policies judge the edited call under. Absent: as the call that was asked about. */
editedContext?: object | null,
/** For an edit: what is kept instead of the arguments that will run, which the digest is of. */
stored?: [unknown] | null, };

/** Decides, if it is still open: what is decided, or any answer that says no more than approve, reject or skip. */
export type DecideRequest = { approvalId: string, decision?: DecisionOutcome,
/** Any JSON, where there is no `decision`. */
answer?: unknown,
/** The tool that the answer is about. */
toolName?: string, meta: DecideMeta,
/** What was shown: an answer that approves brings whether the call still is that. */
shown?: StalenessCheck, };

export type DecidedVia = "callback" | "gate" | "terminal" | "messages" | "inbox" | "link" | "protocol" | "deadline" | "abort" | "system";

/** What was decided, as it is told. */
export type DecisionOutcome = { "type": "approve" } & Reason | { "type": "edit", args: unknown, reason?: string, } | { "type": "reject",
/** Also ends the turn. */
stop?: boolean, reason?: string, } | { "type": "respond", output: unknown, reason?: string, } | { "type": "skip" } & Reason | { "type": "expired" } & Reason | { "type": "cancelled" } & Reason;

/** A decision of one's own. */
export type DecisionText = DecisionOutcome;

export type DecisionType = "approve" | "edit" | "reject" | "respond" | "skip";

/** What the ledger holds. */
export type DescribeLedger = Record<symbol, never>;

/** What can be asked about policies as they are written. */
export type DocumentOperations = {
  check: { takes: CheckDocuments; answers: Done };
  lint: { takes: LintDocuments; answers: Array<PolicyFinding> };
  tree: { takes: ReadTree; answers: NativeTree };
  toml: { takes: WriteToml; answers: string };
  patternFault: { takes: FindFault; answers: string | null };
  builtinTools: { takes: ListBuiltinTools; answers: Array<string> };
  toolchainSecrets: { takes: ListToolchainSecrets; answers: Array<string> };
  preset: { takes: ReadPreset; answers: string | null };
  settings: { takes: ReadSettings; answers: NativeSettings };
  project: { takes: FindProject; answers: string };
  runByGit: { takes: FindRunByGit; answers: NativeGitFiles };
  isMeant: { takes: FindMeant; answers: boolean };
  trust: { takes: TrustProject; answers: TrustedPolicy };
  untrust: { takes: UntrustProject; answers: boolean };
  trusted: { takes: ListTrusted; answers: Array<TrustedPolicy> };
  accept: { takes: AcceptRules; answers: AcceptedRules };
  narrow: { takes: NarrowOffer; answers: NarrowedOffer };
};

/** Nothing is answered but that it is done. */
export type Done = void;

/** What happened since the last time, oldest first: at most 128 events, and about 4 MiB. */
export type DrainEvents = Record<symbol, never>;

/** Forgets what was granted for a run. */
export type EndRun = { runId: string, };

export type EntryType = "file" | "directory" | "symlink" | "other";

/** A value, or the error instead. */
export type Envelope<T> = { "ok": T } | { "error": NativeError };

/** Events, each as it is written. */
export type EventsText = Array<NativeEvent>;

/** The explanation as text. */
export type ExplainCall = NativeCall;

/** A file that a call would change. */
export type FileChange = { path: string,
/** The file itself: absolute, every symlink followed; `null`: that cannot be told. */
target: string | null,
/** SHA-256 (hex) of its content; `null`: it does not exist. */
before: string | null, added: number, removed: number, diff: string, };

/** Replaces a text in a file. */
export type FileEdit = { path: string, oldString: string, newString: string, replaceAll: boolean,
/** Absent: anything. `null`: no file. A text: the SHA-256 (hex) of the content. */
expected?: string | null,
/** The file that the path must lead to. */
target?: string, };

/** What was replaced. */
export type FileEdited = {
/** In how many places. */
replaced: number, sha256: string, };

/** A name in a folder. */
export type FileEntry = {
/** From the root, with `/`. */
path: string, type: EntryType,
/** Bytes, of files. */
size?: number, };

/** The files that a pattern names. */
export type FileGlob = { pattern: string, path: string, limit: number, };

/** The lines that an expression matches. */
export type FileGrep = { pattern: string, path: string, glob: string | null, ignoreCase: boolean, limit: number, };

/** A line of a file. */
export type FileLine = { path: string,
/** From 1. */
line: number, text: string, };

/** The names in a folder. */
export type FileList = { path: string, limit: number, };

/** The names in a folder, sorted. */
export type FileListing = { entries: Array<FileEntry>,
/** There are more. */
truncated: boolean, };

/** Lines that an expression matches. */
export type FileMatches = { matches: Array<FileLine>,
/** How many files were searched. */
files: number,
/** There are more. */
truncated: boolean, };

/** What can be done to the files below a folder. */
export type FileOperations = {
  read: { takes: FileRead; answers: FileText };
  write: { takes: FileWrite; answers: FileWritten };
  edit: { takes: FileEdit; answers: FileEdited };
  list: { takes: FileList; answers: FileListing };
  glob: { takes: FileGlob; answers: FilePaths };
  grep: { takes: FileGrep; answers: FileMatches };
};

/** Files that a pattern names. */
export type FilePaths = { paths: Array<string>,
/** There are more. */
truncated: boolean, };

/** Lines of a file, as many as `limit`. */
export type FileRead = { path: string, offset: number, limit?: number | null, };

/** Lines of a text. */
export type FileText = {
/** The lines as they stand there, with their ends. */
text: string,
/** The number of the first of them, from 1. */
firstLine: number,
/** How many they are. */
lines: number,
/** How many the file has. */
totalLines: number,
/** Of the whole content. */
sha256: string, };

/** Writes a whole file. */
export type FileWrite = { path: string, content: string,
/** Absent: anything. `null`: no file. A text: the SHA-256 (hex) of the content. */
expected?: string | null,
/** The file that the path must lead to. */
target?: string, };

/** What was written. */
export type FileWritten = {
/** There was none before. */
created: boolean, bytes: number, sha256: string, };

/** Why a rule does not take a pattern; `null`: it does. */
export type FindFault = { pattern: string, of: PatternKind, };

/** The source that forbids a mode; `null`: none does. */
export type FindForbidding = { mode: string, };

/** Of these tools, those that are always denied. */
export type FindHidden = { toolNames: readonly string[], };

/** Whether one of these patterns of addresses surely means this address. */
export type FindMeant = { patterns: readonly string[], url: string, };

/** What a confined command reaches of the network. */
export type FindNetwork = Record<symbol, never>;

/** The project that this directory is in: the nearest one upward with `.countersign` or `.git`, else itself. */
export type FindProject = { directory: string, };

/** The records of a call id. */
export type FindRecords = {
/** `null`: of all runs. */
runId: string | null, toolCallId: string, };

/** What git runs or obeys of the files in these folders, but for those further down. Blocks. */
export type FindRunByGit = { folders: readonly string[],
/** Of the user, whose settings count as well. */
homes: readonly string[], };

/** The files that a command that runs unasked must not reach. */
export type FindSealed = {
/** Folders to look below, beside the current one. */
more: readonly string[],
/** The tool that starts the command. */
toolName: string,
/** What the command is held to, where its verdict rests on that. */
held: 'project' | 'nothing' | null,
/** How it runs confined; `null`: it is not sure that it is held to that. */
run: NativeConfinedRun | null, };

/** Whose the first policies are of those that have a say about a call. */
export type FirstPolicies = "gate" | "reader" | "run";

/** What `interruptOn` says about one tool. */
export type Gating = {
/** `ask`, `allow`: decided by configuration. `judge`: by the entry's `shouldApprove`. `own`: by the tool's `needsApproval`. */
action: GatingAction,
/** The entry that decided or that the options come from: the tool's name, `*`, or none. */
entry: string | null, allowedDecisions: readonly DecisionType[] | null,
/** ms. */
timeout: number | null,
/** Who must agree, beside that somebody must. */
needs?: readonly ApprovalNeed[],
/** ms. */
remind?: number | null,
/** What is shown of its calls may be the change of a file. */
changesFile?: boolean, };

export type GatingAction = "ask" | "allow" | "judge" | "own";

/** A record; `null`: no such record. */
export type GetRecord = { approvalId: string, };

/** A remembered decision. */
export type Grant = { id: string, effect: 'allow' | 'deny', scope: GrantScope, runId: string | null, project: string | null, label: string, rules: PolicyRule[], by: string,
/** ms since the epoch. */
createdAt: number,
/** ms since the epoch; `null`: until it is revoked. */
expiresAt: number | null,
/** How many calls it still answers; absent: any number. */
times?: number,
/** What was offered, where a human made it narrower: it answers nothing that these rules do not. */
within?: PolicyRule[], };

/** What "always" would save. */
export type GrantOffer = { label: string, rules: PolicyRule[], also: Array<string>, };

export type GrantScope = "run" | "session" | "always";

/** A grant of one's own. */
export type GrantText = Grant;

/** What `interruptOn` says about each tool. */
export type InterruptPlan = {
/** One per own property of `tools`, in their order. A list of pairs, since a name may be `__proto__`. */
tools: [name: string, gating: Gating][],
/** Names that no tool has and that are no error. */
unknown: Array<string>, };

/** Writes down that what a process that is gone had started was interrupted, and gives these records. */
export type InterruptRuns = {
/** `null`: of all runs. */
runId: string | null, };

export type LayersText = NativeLayers;

/** What is probably not meant. */
export type LintDocuments = { documents: Array<NativeDocument>, toolNames: readonly string[] | null, };

/** The names of the tools that have a built-in reading, in snake case. */
export type ListBuiltinTools = Record<symbol, never>;

/** The numbers of the conditions of rules for this tool. */
export type ListConditions = { toolName: string,
/** Other names that its server gives it, which only tighten. */
otherNames?: readonly string[], };

/** The grants that hold, oldest first. */
export type ListGrants = {
/** ms since the epoch. */
now: number, };

/** The policies that count, the administrator's first. */
export type ListLayers = Record<symbol, never>;

/** What waits, oldest first. */
export type ListPending = {
/** `null`: of all runs. */
runId: string | null, };

/** What a run asked about, oldest first. */
export type ListRecords = { runId: string, };

/** Runs, the latest change first. */
export type ListRuns = {
/** Only those that can be continued. */
open: boolean, limit: number, };

/** Secrets among what toolchains keep in a home: paths below it. */
export type ListToolchainSecrets = Record<symbol, never>;

/** All that are trusted. */
export type ListTrusted = Record<symbol, never>;

/** What would be shown of a call that is asked about, and what its approval would be bound to. */
export type LookAtCall = { args: unknown, look: NativeLook, };

export type LookedText = NativeLooked;

/** What is remembered in the place of an offer. Fails with `ERR_INVALID_DECISION` where it is not proven to be narrower. */
export type NarrowOffer = { offered: readonly PolicyRule[],
/** Rules instead; `null`: those that are offered. */
rules: readonly PolicyRule[] | null,
/** The words of each command of the call, where nothing but them is to be remembered; `null`: what is offered. */
words: Array<Array<string>> | null, };

/** Rules, and what they mean. */
export type NarrowedOffer = { rules: PolicyRule[],
/** Each in words, safe to show. */
also: Array<string>, };

/** What a ledger holds. */
export type NativeAbout = { place: string, schema: number, encrypted: boolean, records: number, pending: number, runs: number, entries: number, bytes: number, };

/** What is still to be asked, or the verdict. */
export type NativeAnswer = { "kind": "askOwn" } | { "kind": "askJudge",
/** The verdict so far. */
effect: PolicyEffect,
/** The policies that it comes from, by their place. */
said: number | null, } | { "kind": "verdict", verdict: NativeVerdict, };

/** A call that a human was asked about. */
export type NativeAnsweredCall = {
/** What rules know the tool by. */
toolName: string, args: unknown, cwd: string, answer: NativePastAnswer,
/** Whether a rule could have answered. */
answerable: boolean,
/** What "always" would have saved for this answer. */
offer: NativeSavedOffer | null, };

/** A call that is put to a human. What most requests do not have is left out. */
export type NativeApproval = { approvalId: string, runId: string, toolCallId: string, toolName: string, args: unknown,
/** The path of agents it came from. */
origin: Array<string>, description: string,
/** Empty once the arguments were dropped. */
rows: Array<ArgumentRow>, preview: string, flags: Array<string>, allowedDecisions: Array<DecisionType>,
/** ms since the epoch. */
createdAt: number,
/** ms since the epoch; `null`: no deadline. */
expiresAt: number | null, digest: string,
/** Absent: kept as they are. */
contents?: Contents,
/** Absent: anybody, once. */
needs?: Array<ApprovalNeed>, requester?: string, votes?: Array<Vote>,
/** ms since the epoch. */
escalatedAt?: number,
/** What was given as `details` of the request. */
details?: object | null, };

/** How the policies that come with an operation are asked about its call. */
export type NativeAsked = {
/** What rules know the tool by. */
ruleName: string,
/** Other names that its server gives it, which only tighten. */
otherNames?: readonly string[], annotations?: Record<string, boolean>,
/** Its run, for grants. */
runId?: string,
/** How it runs where no human approves it: for the verdict alone. */
confined?: NativeConfinedRun,
/** Which grants with `times` are used once by their answer; absent: none. */
usesGrants?: 'denials' | 'only-denials' | 'all',
/** ms since the epoch, for grants. */
now: number,
/** What the functions of the rules said, for each of the policies; absent: none of them has any. */
conditions?: readonly Readonly<Record<string, boolean | null>>[], };

/** An entry of the audit: the very text that its hash is of, and that hash in hex. */
export type NativeAuditEntry = { body: string, hash: string, };

/** What an approval of a call is bound to, as the policies and the files are now, and whether it may run at all. */
export type NativeBound = {
/** `{ cwd, project, policy, shell }`, with `places`, a digest of where its paths led that lead elsewhere than they say, and
 * `who` must agree. */
context: object,
/** Why no approval lets it run. */
denied: string | null, };

/** A call to judge. */
export type NativeCall = { toolName: string,
/** Other names that its server gives it, which only tighten. */
otherNames?: readonly string[], args: unknown, annotations?: Record<string, boolean>,
/** How it runs where no human approves it. */
confined?: NativeConfinedRun, runId?: string,
/** ms since the epoch, for grants. */
now: number,
/** What the functions of the rules said; `null`: they failed. */
conditions?: Record<string, boolean | null>,
/** By the `read-only` preset instead. */
readOnly?: boolean,
/** It is asked about under every policy. */
floor?: boolean,
/** Say what an approval of it is bound to. */
bound?: boolean, };

/** All that is known of a call by now. */
export type NativeCallParts = { toolName: string, args: unknown,
/** How the policies that come with it are asked. */
asked: NativeAsked,
/** Whose the first of these policies are. */
first: FirstPolicies,
/** What those that have rules say, the gate's first. Absent: they are still to judge the call. */
policies?: Array<NativePolicyOpinion>,
/** Of `interruptOn`, the tool and the host. Who says nothing is left out. Absent: they were not asked. */
own?: Array<NativeOpinion>, hasJudge: boolean,
/** Absent: it was not asked. */
judge?: NativeOpinion, mode: PolicyMode, isQuestion: boolean, startsAgents: boolean, };

/** How a command runs that no human approves: held to this, or not at all. */
export type NativeConfinedRun = {
/** Where it may write, beside a temporary folder of its own. Absolute paths. */
writes: readonly string[], };

export type NativeDamage = { seq: number | null, record: string | null, what: string, };

/** A policy as it was written. */
export type NativeDocument = { name: string, text: string, format: NativeFormat, };

/** What became of another call of the tool. */
export type NativeEarlierCall = {
/** Whether it was approved as it was asked; `null`: it still waits. */
approved: boolean | null, byPerson: boolean,
/** Whether a reviewer decided to approve it; `null`: none was asked. */
reviewerApproved: boolean | null, };

/** An error of the core as data: its code, its message, and what the class of that code is made with. */
export type NativeError = {
/** Selects the class that is thrown. */
code: string, message: string,
/** The record of the same call. */
existing?: NativeRecord,
/** What stands. */
winner?: NativeRecord, problems?: Array<PolicyProblem>, toolName?: string, nearest?: string | null, path?: string, approvalId?: string, allowedDecisions?: Array<DecisionType>, by?: string | null, approvers?: Array<string>, status?: ApprovalStatus | null, };

/** Whom else a request is put to. */
export type NativeEscalation = {
/** ms after the request was made. */
after: number, to: readonly string[], };

/** Something that happened. */
export type NativeEvent = { "type": "requested", request: NativeApproval, } | { "type": "decided", request: NativeApproval, decision: DecisionOutcome, decidedBy: string, via: DecidedVia, at: number, } | { "type": "voted", request: NativeApproval, vote: Vote, at: number, } | { "type": "reminded", request: NativeApproval, at: number, } | { "type": "escalated", request: NativeApproval, to: Array<string>, at: number, } | { "type": "started", approvalId: string, at: number, } | { "type": "unreadable", code: string, message: string, } | { "type": "settled", approvalId: string, status: Outcome, at: number, };

export type NativeFilesOptions = { root: string, maxFileBytes: number, };

export type NativeFormat = "toml" | "json" | "object" | "preset";

/** What a gate is made with. */
export type NativeGateOptions = {
/** `memory:`, `sqlite:` with a path, or `postgres://…`. */
ledger: string,
/** What a relative path starts at. */
cwd?: string,
/** The text of the key for its contents. */
key?: string | null,
/** Only to look at a durable ledger: nothing is written, not even what is due. */
readOnly?: boolean,
/** In memory: events of requests, starts and ends are left out until `watchAll` wants them. */
quiet?: boolean,
/** The largest arguments of one call, in bytes of canonical JSON. */
maxArgumentBytes: number,
/** How many requests are kept after nothing can happen to them any more. */
keepDecided: number,
/** ms; `null`: the default. */
retainContentsMs?: number | null,
/** ms; `null`: the default. */
retainRecordsMs?: number | null, };

/** Absolute paths. */
export type NativeGitFiles = {
/** Those that are there, or behind a symlink that a command could replace. */
kept: Array<string>,
/** Those that are not there. */
absent: Array<string>,
/** Each repository that is there. */
repositories: Array<string>,
/** Whether that is not all. */
incomplete: boolean, };

/** Where the audit stands. */
export type NativeHead = { size: number, hash: string, at: number, };

/** What the policies say of a call. */
export type NativeJudged = { verdict: PolicyVerdict,
/** An administrator's rule asks: only a human answers. */
managedAsk?: boolean,
/** A part of it is asked about each time: no grant answers, and nothing of it is remembered. */
forgets?: boolean,
/** Each part of it that asks is left to a reviewer. */
reviewable?: boolean,
/** A policy that the program gives asks: no rule of a file answers that. */
codeAsks?: boolean,
/** Files changed: what is wrong with them now, perhaps nothing. */
problems?: Array<PolicyProblem>,
/** Who must agree, as all rules that ask say together. */
who?: NativeWho,
/** What an approval of it is bound to, where that was asked for. */
bound?: NativeBound, };

/** Why it is less than the request allows. */
export type NativeLack = "othersNamed" | "hasVoted" | "isRequester";

/** A policy that counts. */
export type NativeLayer = { layer: PolicyLayer,
/** The file, or what the program calls it. */
name: string,
/** Whether its allows count. */
trusted: boolean, };

/** Those that count. */
export type NativeLayers = { layers: Array<NativeLayer>,
/** Why nothing may be allowed; `null`: everything could be read. */
broken: string | null, problems: Array<PolicyProblem>, };

export type NativeLeftOut = { label: string, why: NativeLeftOutWhy, };

export type NativeLeftOutWhy = "allowsRejected" | "deniesApproved" | "allowsUnknown" | "noRule" | "tooMany";

/** What is to be looked up of a call that somebody is asked about. */
export type NativeLook = { binding: CallBinding,
/** `null`: nothing is shown but the arguments. */
show: NativeShowing | null, };

/** What was looked up. */
export type NativeLooked = {
/** What an approval is bound to beside its call. */
context: object,
/** `null`: nothing but the arguments. */
shown: NativeShown | null,
/** Files changed: what is wrong with them now, perhaps nothing. */
problems?: Array<PolicyProblem>, };

export type NativeMachine = "none" | "managed" | "all";

/** What all policies together say of it. */
export type NativeNetwork = {
/** Nothing is reached. */
none: boolean,
/** A human is asked of what no rule names. */
ask: boolean,
/** A host must be meant by each of these lists. */
hosts: Array<Array<string>>, };

/** Something to be written down beside what the ledger itself does. The arguments are not kept, their digest is. */
export type NativeNote = { kind: 'verdict' | 'reviewed' | 'granted' | 'grant-revoked' | 'run-resumed', runId?: string | null, toolCallId?: string | null, toolName?: string | null, approvalId?: string | null, by?: string | null, effect?: PolicyEffect | null, rule?: NativeNoteRule | null, reason?: string | null,
/** What a rule marks it as, and why. */
risk?: string | null, because?: string | null, args?: unknown, origin?: readonly string[], label?: string | null, scope?: string | null, grantId?: string | null, expiresAt?: number | null, review?: NativeNoteReview | null, };

/** What a reviewer said. */
export type NativeNoteReview = {
/** The id of the model; `null`: it is a function. */
model: string | null, criteria: string, criteriaDigest: string,
/** The word for it; `failed` without one. */
answer: string,
/** Whether it decided. */
decides: boolean, };

export type NativeNoteRule = { source: string, layer: PolicyLayer, line?: number | null, };

export type NativeOffers = { allow: GrantOffer | null, deny: GrantOffer | null, };

/** What one of those that judge a call says. */
export type NativeOpinion = { effect: PolicyEffect, reason?: string | undefined,
/** Whether it names people who must agree. */
namesPeople?: boolean, };

/** A preview, and what was found worth a warning. */
export type NativePage = { text: string, flags: Array<string>, };

/** What to look at of what is no longer pending. */
export type NativePast = {
/** Of this run and of those that are a part of it. */
runId: string | null, toolName: string | null,
/** Those before this one. */
before: string | null,
/** From 1 to 1,000. */
limit: number, };

/** What a human made of it. `changed`: it did not run as it was asked about. */
export type NativePastAnswer = "approved" | "rejected" | "changed";

/** A person, with the groups that they are known to be in. */
export type NativePerson = { name: string, groups: readonly string[], };

/** What policies say of a call. */
export type NativePolicyOpinion = { effect: PolicyEffect, reason: string, namesPeople: boolean, managedAsk: boolean, forgets: boolean, reviewable: boolean, };

/** What policies are made with. */
export type NativePolicyOptions = { documents: Array<NativeDocument>,
/** Which policy files of the machine count beside the documents. */
files: NativeMachine, cwd: string,
/** `null`: looked for from `cwd` upward. */
project: string | null, home: string,
/** Files that ask unless a rule names them. */
own?: readonly string[], };

export type NativePreview = { text: string, flags: string[],
/** Whether all that changes in files is shown, and nothing in it is in doubt. */
whole: boolean, };

/** Rules for the project's policy, and what they would have saved. */
export type NativeProposal = {
/** The file. */
path: string,
/** What stands in it; `null`: there is no file. */
before: string | null,
/** What would stand in it: the same, with rules at its end. */
after: string,
/** Whether the user trusts what stands there. */
trusted: boolean,
/** The most useful first. */
offers: Array<NativeProposed>,
/** Those that would have saved enough, and may not. */
leftOut: Array<NativeLeftOut>,
/** How many questions rules that stand there answer by now. */
answered: number,
/** How many questions these rules would have saved. */
saved: number, };

export type NativeProposed = { effect: 'allow' | 'deny', label: string,
/** How many questions it alone would have saved. */
saves: number, };

/** A request and what became of it. */
export type NativeRecord = { status: ApprovalStatus, decision: DecisionOutcome | null, decidedBy: string | null, via: DecidedVia | null,
/** ms since the epoch. */
decidedAt: number | null, approvalId: string, runId: string, toolCallId: string, toolName: string, args: unknown,
/** The path of agents it came from. */
origin: Array<string>, description: string,
/** Empty once the arguments were dropped. */
rows: Array<ArgumentRow>, preview: string, flags: Array<string>, allowedDecisions: Array<DecisionType>,
/** ms since the epoch. */
createdAt: number,
/** ms since the epoch; `null`: no deadline. */
expiresAt: number | null, digest: string,
/** Absent: kept as they are. */
contents?: Contents,
/** Absent: anybody, once. */
needs?: Array<ApprovalNeed>, requester?: string, votes?: Array<Vote>,
/** ms since the epoch. */
escalatedAt?: number,
/** What was given as `details` of the request. */
details?: object | null, };

/** What may be executed: the core's own copy of the arguments. */
export type NativeRedeemed = { approvalId: string, args: unknown,
/** Whether the human changed the arguments. */
edited: boolean, };

/** What changed. */
export type NativeRefreshed = {
/** What is wrong with the policy files; `null`: none changed. */
problems: Array<PolicyProblem> | null,
/** Files with another content. */
changed: Array<string>, };

/** A call to be put to a human. */
export type NativeRequest = { runId: string, toolCallId: string, toolName: string, args: unknown, origin: readonly string[],
/** `null`: the core describes the call itself. */
description: string | null,
/** `null`: all of them. */
allowedDecisions: readonly DecisionType[] | null,
/** ms; `null`: no deadline. */
timeoutMs: number | null,
/** What the policies judge the call under; part of the digest. `null`: no policies. */
context: object | null,
/** What is shown of the verdict, kept with the request. */
details: object | null,
/** The request of the same call, cancelled or answered, that it takes the place of. */
supersedes: string | null,
/** Whether the conversation no longer holds the call of that one: it may have been decided against then, too. */
callIsGone?: boolean | null,
/** The preview when it is more than the arguments; `null`: the core makes it. */
page: NativePage | null,
/** How the context, the page and what is shown beside it are looked up; absent: they are given. */
look?: NativeLook | null,
/** What is kept instead of `args`, which the digest is of; absent or `null`: the very same. */
stored?: [unknown] | null,
/** Who must agree; equal ones count once. Fails with `ERR_INVALID_CONFIG`. */
needs?: readonly ApprovalNeed[],
/** Who asked for the run. */
requester?: string | null,
/** How many ms before the deadline everybody is told once more. */
remindMs?: number | null, };

/** A request that was made. */
export type NativeRequested = { record: NativeRecord,
/** What an approval of it is bound to beside the call, where that was looked up. */
context?: object,
/** Files changed: what is wrong with them now, perhaps nothing. */
problems?: Array<PolicyProblem>, };

/** What an answer does. */
export type NativeReview = {
/** Whether it decides; else the human does. */
decides: boolean,
/** Why it does not; `null`: the reviewer does not want to. */
bar: ReviewBar | null, };

/** An answer, and all that says what it may do. */
export type NativeReviewParts = { answer: ReviewAnswer, mayApprove: boolean,
/** What bars the verdict; `null`: nothing. */
bar: ReviewBar | null, namesPeople: boolean, isApprovable: boolean, startedBefore: boolean, isWhole: boolean,
/** Those that came right before it in the run. */
rejections: number,
/** Of the same tool in the run, and in all that is a part of it. */
earlier: Array<NativeEarlierCall>, };

/** What a person may decide. */
export type NativeRights = { mayDecide: Array<DecisionType>,
/** `null`: it is all that the request allows. */
lack: NativeLack | null,
/** How many have approved each need; `null`: that is not known. */
approvals: Array<number | null>, };

/** Where a run stands. */
export type NativeRunInfo = { runId: string, status: NativeRunStatus,
/** Whether a process that lives continues it. */
active: boolean, steps: number,
/** Requests that wait. */
pending: number,
/** ms since the epoch. */
createdAt: number,
/** ms since the epoch. */
updatedAt: number, };

export type NativeRunStatus = "running" | "done" | "failed" | "cancelled";

/** A run to be kept. */
export type NativeSaveRun = { runId: string,
/** What the new entries follow: the hash of one of this run's; `null`: the beginning. What stood behind it is dropped. */
parent: string | null,
/** What is new of the history: any JSON. */
entries: readonly unknown[],
/** Any JSON, small: it is written each time. */
state: unknown, status: NativeRunStatus, steps: number,
/** What was said of its calls, for the audit: it is written before. */
notes?: readonly NativeNote[], };

export type NativeSavedOffer = { label: string, rules: readonly PolicyRule[], };

/** A run as it was kept. */
export type NativeSavedRun = { entries: unknown[],
/** The hash of each entry. */
heads: Array<string>, state: unknown, info: NativeRunInfo, };

/** Absolute paths. */
export type NativeSealed = {
/** Neither read nor changed. */
hidden: Array<string>,
/** Not changed. */
kept: Array<string>,
/** Folders in what is kept that can be changed all the same. */
opened: Array<string>,
/** Not made. */
absent: Array<string>,
/** Each `.git` that is there, with its submodules and worktrees. */
repositories: Array<string>,
/** Where they keep what was committed, if that is not below one of them. */
stores: Array<string>,
/** Whether what was committed may be elsewhere all the same. */
unheld: boolean,
/** Whether all names were looked at. */
complete: boolean,
/** Where they are not all for these folders alone: they could not be listed. */
unlisted: Array<string>,
/** Those that nothing keeps from the command: a part of the name is no text (U+FFFD here). */
unnamed: Array<string>, };

/** A file as it was seen. */
export type NativeSeen = { path: string, target: string | null, before: string | null, };

/** One value of a TOML text, and where its last key stands, from 1. */
export type NativeSetting = { path: Array<string>, value: unknown, line: number, column: number, };

/** The values, in their order, or the place where the text is no TOML. */
export type NativeSettings = { "settings": Array<NativeSetting> } | { "problem": { message: string, line: number, column: number, } };

/** How the call is shown. */
export type NativeShowing = {
/** Whether the policies have rules. Without any, one that knows none reads the call, and binds nothing. */
hasRules: boolean,
/** Whether the first of them are the gate's, which keeps the grants. */
ofGate: boolean,
/** Whether something beside the policies asks: only a grant for the whole call answers. */
floor: boolean,
/** Whether something is offered to be remembered. */
offers: boolean, };

/** What a human is shown beside a request. */
export type NativeShown = { page: NativePreview, always: NativeOffers, changes: Array<FileChange>,
/** `reads`: it is proven only to look. `changes`: it changes what `changes` shows whole, in the project, and nothing else. */
proven: 'reads' | 'changes' | null, };

/** What was dropped. */
export type NativeTidied = { contents: number, records: number, entries: number, bytes: number, };

/** The tree, or the first place where the text is not of its format. */
export type NativeTree = { "root": TreeNode } | { "problem": { message: string,
/** In units of UTF-16. */
start: number, } };

/** A text that is kept. */
export type NativeValue = { text: string,
/** How often it was set. */
version: number, };

/** The verdict on a call. */
export type NativeVerdict = { effect: PolicyEffect,
/** `null`: those that ask give none. */
reason: string | null,
/** The policies that it is explained by, by their place. */
said: number | null,
/** Only a grant for the whole call answers. */
floor: boolean,
/** Whose people must agree: places in the policies, with those of `own` counted after them. */
approvers: Array<number>,
/** It is an ask that the mode answers with an allow. */
byMode: boolean,
/** Of an ask, why a reviewer may not approve it; `null`: it may. */
reviewBar: ReviewBar | null, };

/** What a verification found. */
export type NativeVerified = { entries: number, head: string, records: number, faults: Array<NativeDamage>, };

/** A request that waits, and who looks at it. */
export type NativeWaiting = { allowedDecisions: readonly DecisionType[], needs: readonly ApprovalNeed[],
/** Who has approved it. */
voters: Array<NativePerson>, requester: string | null,
/** ms since it was made. */
age: number, person: NativePerson, };

/** What is to be asked next of a call, with what its policies say of it. */
export type NativeWeighed = {
/** Of each of the policies that were asked for it, up to the first that denies. */
judged: Array<PolicyJudgement>, next: NativeAnswer, };

/** Who must agree. */
export type NativeWho = { needs: readonly ApprovalNeed[],
/** ms before the deadline. */
remind: number | null, };

/** A record with what only a resume needs of it. */
export type NativeWholeRecord = {
/** What the policies judged the call under. */
context: object | null,
/** What the execution gave, as `settle` was told. */
result: unknown, status: ApprovalStatus, decision: DecisionOutcome | null, decidedBy: string | null, via: DecidedVia | null,
/** ms since the epoch. */
decidedAt: number | null, approvalId: string, runId: string, toolCallId: string, toolName: string, args: unknown,
/** The path of agents it came from. */
origin: Array<string>, description: string,
/** Empty once the arguments were dropped. */
rows: Array<ArgumentRow>, preview: string, flags: Array<string>, allowedDecisions: Array<DecisionType>,
/** ms since the epoch. */
createdAt: number,
/** ms since the epoch; `null`: no deadline. */
expiresAt: number | null, digest: string,
/** Absent: kept as they are. */
contents?: Contents,
/** Absent: anybody, once. */
needs?: Array<ApprovalNeed>, requester?: string, votes?: Array<Vote>,
/** ms since the epoch. */
escalatedAt?: number,
/** What was given as `details` of the request. */
details?: object | null, };

/** Opens the ledger. */
export type OpenLedger = Record<symbol, never>;

/** What a gate can be asked to do. */
export type Operations = {
  isDurable: { takes: AskDurable; answers: boolean };
  open: { takes: OpenLedger; answers: Done };
  request: { takes: RequestApprovals; answers: RequestAnswers };
  look: { takes: LookAtCall; answers: LookedText };
  staleness: { takes: CheckStaleness; answers: CallStaleness };
  get: { takes: GetRecord; answers: RecordText | null };
  find: { takes: FindRecords; answers: RecordsText };
  pending: { takes: ListPending; answers: RequestsText };
  history: { takes: NativePast; answers: RecordsText };
  value: { takes: ReadValue; answers: NativeValue | null };
  setValue: { takes: SetValue; answers: boolean };
  parseAnswer: { takes: ParseAnswer; answers: DecisionText };
  decide: { takes: DecideRequest; answers: DecideAnswer };
  cancelRun: { takes: CancelRun; answers: Done };
  revoke: { takes: RevokeApproval; answers: boolean };
  redeem: { takes: RedeemApproval; answers: RedeemAnswer };
  isBound: { takes: CheckBound; answers: BoundAnswer };
  settle: { takes: SettleCall; answers: Done };
  watch: { takes: WatchRequest; answers: Done };
  watchAll: { takes: WatchAll; answers: Done };
  drain: { takes: DrainEvents; answers: EventsText };
  close: { takes: CloseGate; answers: Done };
  saveRun: { takes: NativeSaveRun; answers: Array<string> };
  takeRun: { takes: TakeRun; answers: NativeSavedRun };
  run: { takes: ReadRun; answers: NativeSavedRun | null };
  releaseRun: { takes: ReleaseRun; answers: Done };
  runs: { takes: ListRuns; answers: Array<NativeRunInfo> };
  records: { takes: ListRecords; answers: WholeRecords };
  interrupt: { takes: InterruptRuns; answers: WholeRecords };
  note: { takes: WriteNotes; answers: Done };
  audit: { takes: ReadAudit; answers: Array<NativeAuditEntry> };
  head: { takes: ReadHead; answers: NativeHead };
  verify: { takes: VerifyLedger; answers: NativeVerified };
  about: { takes: DescribeLedger; answers: NativeAbout };
  tidy: { takes: TidyLedger; answers: NativeTidied };
  compact: { takes: CompactLedger; answers: NativeTidied };
};

export type Outcome = "succeeded" | "failed" | "interrupted";

/** Reads any answer into a decision. */
export type ParseAnswer = {
/** Any JSON. */
answer: unknown, toolName: string, };

export type PatternKind = "files" | "addresses";

/** A part of a call, and what is said of it. */
export type PolicyAction = { effect: PolicyEffect, rule: PolicyRuleRef | null,
/** Where it stands in the command line, in units of UTF-16. */
span?: [start: number, end: number], } & ({ "kind": "command",
/** `null` where only the run will tell. */
argv: Array<string | null>, text: string,
/** What it runs is a part of its own. */
wrapper: boolean, } | { "kind": "read", path: string | null, text: string, } | { "kind": "write", path: string | null, text: string,
/** What becomes of what is in the file; absent: it stays, or nothing was there. */
loss?: 'replaced' | 'deleted', } | { "kind": "url", url: string | null, text: string, } | { "kind": "env", name: string, } | { "kind": "tool", name: string, } | { "kind": "unknown", reason: string, });

export type PolicyEffect = "allow" | "ask" | "deny";

export type PolicyErrorCode = "ERR_POLICY_SYNTAX" | "ERR_POLICY_UNKNOWN_KEY" | "ERR_POLICY_VALUE" | "ERR_POLICY_VERSION" | "ERR_POLICY_EXAMPLE" | "ERR_POLICY_FILE";

/** Something in a policy that is probably not meant. */
export type PolicyFinding = { code: PolicyFindingCode, severity: PolicySeverity, message: string, source: string, line: number | null, column: number | null, };

export type PolicyFindingCode = "shadowed" | "duplicate" | "unmatchable" | "too-broad" | "says-nothing" | "unheard-reviewer" | "no-reason" | "no-examples";

/** What the policies say of a call: [`NativeJudged`], owned. */
export type PolicyJudgement = NativeJudged;

export type PolicyLayer = "managed" | "user" | "project" | "code" | "session";

export type PolicyMode = "safe" | "auto" | "plan" | "deny-all-asks";

/** What policies can be asked. */
export type PolicyOperations = {
  ready: { takes: AskReady; answers: Done };
  judge: { takes: NativeCall; answers: PolicyJudgement };
  show: { takes: ShowCall; answers: CallDisplay };
  explain: { takes: ExplainCall; answers: string };
  conditions: { takes: ListConditions; answers: Array<number> };
  refresh: { takes: RefreshFiles; answers: RefreshedText };
  hidden: { takes: FindHidden; answers: Array<string> };
  sealed: { takes: FindSealed; answers: NativeSealed };
  network: { takes: FindNetwork; answers: NativeNetwork | null };
  layers: { takes: ListLayers; answers: LayersText };
  forbids: { takes: FindForbidding; answers: string | null };
  forgets: { takes: AskForgets; answers: string | null };
  grant: { takes: SaveGrant; answers: GrantText };
  grants: { takes: ListGrants; answers: Array<GrantText> };
  revoke: { takes: RevokeGrant; answers: boolean };
  endRun: { takes: EndRun; answers: Done };
  propose: { takes: ProposeRules; answers: NativeProposal };
};

/** A place where a policy cannot be read. */
export type PolicyProblem = { code: PolicyErrorCode, message: string, source: string, line: number | null, column: number | null, };

/** A rule that marks what it speaks of as a risk. */
export type PolicyRisk = { level: 'high',
/** Why, as the rule says it. */
because: string | null, rule: PolicyRuleRef, };

/** Where a rule stands. */
export type PolicyRuleRef = { source: string, layer: PolicyLayer,
/** From 1; `null` for objects. */
line: number | null, column: number | null,
/** Its index in the document, from 0. */
index: number, };

export type PolicySeverity = "info" | "warning";

/** What is said of a call. */
export type PolicyVerdict = { effect: PolicyEffect,
/** The deciding rule. */
rule: PolicyRuleRef | null, reason: string,
/** It holds only where the command runs confined, to no more than this. */
confined?: 'project' | 'nothing',
/** What rules mark as a risk that speak of the call. */
risks?: Array<PolicyRisk>, actions: Array<PolicyAction>,
/** How many actions are left out. */
more?: number, };

/** A call to be shown. */
export type PreviewCall = { toolName: string, args: unknown,
/** Columns; `null`: lines are not wrapped. */
width: number | null, };

/** A preview and what it found. */
export type PreviewText = { text: string, flags: string[], };

/** The smallest set of rules that would have saved questions. */
export type ProposeRules = { asked: Array<NativeAnsweredCall>, };

/** The entries of the audit after this number. */
export type ReadAudit = { after: number, limit: number, };

/** Where the audit stands. */
export type ReadHead = Record<symbol, never>;

/** The text of a preset; `null`: no such preset. */
export type ReadPreset = { name: string, };

/** A run as it was kept; `null`: no such run. */
export type ReadRun = { runId: string, };

/** The values of a TOML text, each with its place. */
export type ReadSettings = { toml: string, };

/** What a text of another program says. A key may stand in an object of JSON twice. */
export type ReadTree = { text: string, format: TreeFormat, };

/** The text that is kept under a key; `null`: no such text. */
export type ReadValue = { key: string, };

/** Why, in the decider's words. */
export type Reason = { reason?: string, };

/** A record. */
export type RecordText = NativeRecord;

/** Records. */
export type RecordsText = NativeRecord[];

/** What may be executed, or why no approval lets it. */
export type RedeemAnswer = { redeemed?: NativeRedeemed, denied?: string,
/** Files changed: what is wrong with them now, perhaps nothing. */
problems?: Array<PolicyProblem>, };

/** Redeems an approval for a call that is to run. Judges it once more. */
export type RedeemApproval = { runId: string | null, toolCallId: string, call: RedeemingCall, };

/** A call that is to run. */
export type RedeemingCall = { toolName: string, args: unknown,
/** What its approval is bound to beside it; `null`: nothing. */
binding: CallBinding | null, };

/** Reads policy files that changed, and looks whether these files are as they were. */
export type RefreshFiles = { files: Array<NativeSeen>, };

export type RefreshedText = NativeRefreshed;

/** Lets go of a run, so that another process may take it. */
export type ReleaseRun = { runId: string, };

/** An answer for each request. */
export type RequestAnswers = Array<Envelope<NativeRequested>>;

/** Puts calls to humans. Each is answered by itself. */
export type RequestApprovals = { requests: NativeRequest[],
/** How many of the policies that come with the operation belong to each of them, in their order; absent: none. */
policies?: readonly number[], };

/** Records as the requests that they are about. */
export type RequestsText = NativeApproval[];

export type ReviewAnswer = "approve" | "reject" | "unsure";

export type ReviewBar = "question" | "people" | "managed" | "beside" | "unmarked" | "advises" | "started" | "not-allowed" | "cut" | "repeated" | "refused" | "open";

/** Takes back an approval that was not started. `false`: there was nothing to take back. */
export type RevokeApproval = { approvalId: string, reason: string, };

/** Takes a grant back. `false`: no such grant. */
export type RevokeGrant = { id: string, };

/** Keeps a grant, given without an id. */
export type SaveGrant = Omit<Grant, 'id'>;

/** Keeps a text of at most 1 MiB if what is there is of this version. `false`: it is not. */
export type SetValue = { key: string,
/** `null`: if nothing is there. */
expected: number | null, text: string, };

/** Writes down how a started call ended. */
export type SettleCall = { approvalId: string, succeeded: boolean,
/** Kept by a durable ledger, for a continued run. */
result?: unknown, };

/** What a human is shown beside a request. */
export type ShowCall = NativeCall;

/** What was shown of a call, which may be another by now. */
export type StalenessCheck = { asked: NativeAsked, args: unknown,
/** Whether the policies have rules. Without any, one that knows none looks at the files. */
hasRules: boolean,
/** What the policies judged the call under; `null`: there were none. */
policy: unknown,
/** The files that it was shown to change. */
changes: Array<NativeSeen>, };

/** Makes a run this process' own. */
export type TakeRun = { runId: string, };

/** Drops what ended longer ago than this, in ms. */
export type TidyLedger = {
/** `null`: nothing. */
contents: number | null,
/** `null`: nothing. */
records: number | null, };

/** A key, where it begins, and its value. */
export type TreeEntry = { key: string,
/** In units of UTF-16. */
start: number, node: TreeNode, };

export type TreeFormat = "toml" | "json";

/** A value, and where it stands: in units of UTF-16. */
export type TreeNode = { start: number,
/** A table of TOML may go on elsewhere. */
end: number, } & ({ "kind": "text", text: string, } | { "kind": "flag", flag: boolean, } | { "kind": "number",
/** `null`: none that is finite. */
number: number | null, } | { "kind": "list", items: Array<TreeNode>, } | { "kind": "table", entries: Array<TreeEntry>, } | { "kind": "null" } | { "kind": "date" });

/** Trusts the policy of the project that this directory is in, as it is now. */
export type TrustProject = { directory: string, };

/** A project's policy that the user trusts. */
export type TrustedPolicy = { path: string,
/** SHA-256 (hex) of its content. */
hash: string, };

/** `false`: it was not trusted. */
export type UntrustProject = { directory: string, };

/** Verifies the whole ledger. */
export type VerifyLedger = Record<symbol, never>;

/** One approval of several that are needed. */
export type Vote = { by: string, via: DecidedVia,
/** ms since the epoch. */
at: number, reason?: string, };

/** Whether the events of every process are told of, or only of requests made or watched here. */
export type WatchAll = { on: boolean, };

/** Tells of this request too, though another process made it. */
export type WatchRequest = { approvalId: string, };

/** Records, whole. */
export type WholeRecords = NativeWholeRecord[];

/** Writes notes into the audit. */
export type WriteNotes = { notes: Array<NativeNote>, };

/** A policy object as TOML. Fails if it is no policy. */
export type WriteToml = { name: string, document: object, };
