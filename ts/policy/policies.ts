/**
 * The policies of a gate or a run, at work: the core judges, and this asks the functions that the core cannot call. Files are
 * looked at off the JavaScript thread, and only when a verdict needs them.
 */
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import type {
  FileChange,
  Grant,
  GrantOffer,
  PolicyCall,
  PolicyCondition,
  PolicyInput,
  PolicyPlace,
  PolicyProblem,
  PolicyVerdict,
} from '../../index.js';
import { InvalidConfigError } from '../errors/index.js';
import { InternalError } from '../errors/internal-error.js';
import { toldValue } from '../errors/told-value.js';
import {
  NativePolicies,
  type FindSealed,
  type NativeAsked,
  type NativeBound,
  type NativeCall,
  type NativeConfinedRun,
  type NativeDocument,
  type NativeJudged,
  type NativeLayers,
  type NativeNetwork,
  type NativeSealed,
} from '../native.js';
import { takeOptions } from '../options/check.js';
import { after, type Awaitable } from '../values/awaitable.js';
import { inTime } from '../values/in-time.js';
import { copyOf, type ValueSnapshot } from '../values/snapshot.js';
import { documentsOf } from './documents.js';
import type { ConditionAnswers, RuleAnswers } from './rule-answers.js';
import { strangersIn } from './strangers.js';

/** A call to judge. */
export interface JudgedByPolicy {
  toolCallId: string;
  toolName: string;
  /** What rules know the tool by, where that is not its name. */
  ruleName?: string | undefined;
  /** What it is called besides, by its server. These names only tighten. */
  otherNames?: readonly string[] | undefined;
  args: ValueSnapshot;
  /** What the tool says of itself. */
  annotations?: Readonly<Record<string, unknown>> | undefined;
  runId?: string | undefined;
  /** Whether it runs nothing and asks the human something: neither grants nor the mode answer it. */
  isQuestion?: boolean | undefined;
  /** It starts agents, whose calls are judged one by one. */
  startsAgents?: boolean | undefined;
  /** Which grants for a number of calls are used once by their answer. Absent: none. */
  usesGrants?: NativeAsked['usesGrants'];
  signal?: AbortSignal | undefined;
  /** How it runs where no human approves it, as the one says who runs it. */
  confined?: NativeConfinedRun | undefined;
  /** What the functions of the rules said of it at this moment. Absent: they are asked. */
  answers?: RuleAnswers | undefined;
}

/** What is shown beside a request. */
export interface ShownCall {
  verdict: PolicyVerdict | null;
  always: { allow: GrantOffer | null; deny: GrantOffer | null };
  changes: FileChange[];
  /** The preview, with the diff or the parts of the command in it; `null`: the core makes its own. */
  page: { text: string; flags: string[] } | null;
  proven: 'reads' | 'changes' | null;
}

/** A verdict, as far as an approval is bound to it. */
export interface BoundVerdict {
  /**
   * `{ cwd, project, policy, shell }`, with `places`, a digest of where its paths led, and `who` must agree; `null`: there are no
   * policies.
   * Whether a rule asks is not in it: a human has answered that.
   */
  context: object | null;
  /** Why no approval lets it run. */
  denied: string | undefined;
}

export interface PoliciesOptions {
  policy: PolicyInput | readonly PolicyInput[] | undefined;
  /** `none`, only the administrator's, or all. */
  files: 'none' | 'managed' | 'all';
  place: PolicyPlace | undefined;
  /** Files that ask unless a rule names them, such as the gate's ledger. Absolute. */
  own?: readonly string[];
  onProblems?: (problems: PolicyProblem[]) => void;
}

export class Policies {
  readonly cwd: string;
  readonly #native: NativePolicies;
  readonly #documents: readonly NativeDocument[];
  readonly #conditions: readonly PolicyCondition[];
  /** All that they were made of; `null`: functions are a part of it. */
  readonly #made: string | null;
  readonly #onProblems: ((problems: PolicyProblem[]) => void) | undefined;
  /** Whether any grant may answer: one was made here, or the user's file holds some. */
  #mayGrant: boolean;
  /** What was granted for these runs is forgotten with them. */
  readonly #runs = new Set<string>();

  /** @throws {PolicyError} @throws {InvalidConfigError} */
  constructor({ policy, files, place, own = [], onProblems }: PoliciesOptions, name: string) {
    const { documents, conditions } = documentsOf(policy, name);
    const paths = takePlace(place, name);
    this.cwd = paths?.cwd ?? process.cwd();
    this.#documents = documents;
    this.#conditions = conditions;
    this.#onProblems = onProblems;
    this.#mayGrant = files === 'all';
    this.#made = conditions.length > 0 ? null : JSON.stringify([documents, files, paths ?? null, this.cwd, own]);
    this.#native = new NativePolicies({
      documents,
      files,
      cwd: this.cwd,
      project: paths?.project ?? null,
      home: paths?.home ?? homedir(),
      own,
    });
  }

  /** What the core knows them by. */
  get native(): NativePolicies {
    return this.#native;
  }

  /** Whether these say of each call what the others say, as far as that is known of how they were made. */
  saysAs(other: Policies): boolean {
    return this === other || (this.#made !== null && this.#made === other.#made);
  }

  /** What they say; at once where nothing has to be waited for. */
  judge(call: JudgedByPolicy): Awaitable<PolicyVerdict> {
    return after(this.#said(call), ({ verdict }) => verdict);
  }

  /** As {@link Policies.judge}, and what the `read-only` preset says. */
  async judgeReadOnly(call: JudgedByPolicy): Promise<PolicyVerdict> {
    return (await this.#ask({ ...this.#nativeCall(call), readOnly: true })).verdict;
  }

  /** Whether any grant may answer: one was made here, or the user's file may hold some. */
  get mayGrant(): boolean {
    return this.#mayGrant;
  }

  /** What "always" would save of a call that no rule has a say about. It may wait for files. */
  offersNow(call: JudgedByPolicy, floor: boolean): ShownCall['always'] {
    return this.#native.showNow({ ...this.#nativeCall(call), floor }).always;
  }

  /** What an approval of this call is bound to, as the policies and the files are now, and whether it may run at all. */
  bound(call: JudgedByPolicy): Awaitable<BoundVerdict> {
    return after(this.#answered(call), (answered) =>
      after(this.#ask({ ...answered, bound: true }), ({ bound }) => boundVerdict(bound)),
    );
  }

  /** Reads policy files that changed, and says which of these files are no longer what they were. */
  async changed(changes: readonly Pick<FileChange, 'path' | 'target' | 'before'>[]): Promise<string[]> {
    const { problems, changed } = await this.#native.refresh(
      changes.map(({ path, target, before }) => ({ path, target, before })),
    );
    this.#tell(problems);
    return changed;
  }

  /** Of these tools, those that are denied regardless of the arguments. */
  hidden(toolNames: readonly string[]): string[] {
    return this.#native.hidden(toolNames);
  }

  /** The files that a command must not reach: below the current folder, and below some more. */
  sealed(look: FindSealed): Promise<NativeSealed> {
    return this.#native.sealed(look);
  }

  /** What a confined command reaches of the network; `null`: no policy says anything of that. */
  network(): Promise<NativeNetwork | null> {
    return this.#native.network();
  }

  /** The policies that count now, and what is wrong with their files. */
  layers(): Promise<NativeLayers> {
    return this.#native.layers();
  }

  /** Names of tools in their rules that match none of these. Policy files are not searched. */
  strangers(toolNames: readonly string[]): readonly string[] {
    return strangersIn(this.#documents, toolNames);
  }

  /** The source that forbids a mode, as far as that is known before any file is read. */
  forbidsByCode(mode: string): string | null {
    return this.#native.forbids(mode);
  }

  /** The source that forbids a mode. */
  async forbids(mode: string): Promise<string | null> {
    await this.changed([]);
    return this.#native.forbids(mode);
  }

  /** Why nothing is remembered; `null`: it is. */
  forgets(): Promise<string | null> {
    return this.#native.forgets();
  }

  grant(grant: Omit<Grant, 'id'>): Promise<Grant> {
    this.#mayGrant = true;
    if (grant.runId !== null) this.#runs.add(grant.runId);
    return this.#native.grant(grant);
  }

  grants(): Promise<Grant[]> {
    return this.#native.grants(Date.now());
  }

  revoke(id: string): Promise<boolean> {
    return this.#native.revoke(id);
  }

  endRun(runId: string): void {
    if (this.#runs.delete(runId)) this.#native.endRun(runId);
  }

  async explain(call: JudgedByPolicy): Promise<string> {
    return this.#native.explain(confinedAs(call, await this.#answered(call)));
  }

  #said(call: JudgedByPolicy): Awaitable<NativeJudged> {
    return after(this.#answered(call), (answered) => this.#ask(confinedAs(call, answered)));
  }

  /** Whether a rule has a function of the user's. */
  get asksFunctions(): boolean {
    return this.#conditions.length > 0;
  }

  /** What the functions of the rules say of a call; `undefined`: no rule for its tool has one. */
  conditionsOf(call: JudgedByPolicy): Awaitable<ConditionAnswers | undefined> {
    return after(this.#answered(call), ({ conditions }) => conditions);
  }

  /** Waits for nothing where nothing has to be looked at: every call passes here. */
  #ask(call: NativeCall): Awaitable<NativeJudged> {
    return after(this.#native.judge(call), (judged) => {
      this.#tell(judged.problems ?? null);
      return judged;
    });
  }

  #tell(problems: PolicyProblem[] | null): void {
    if (problems !== null) this.#onProblems?.(problems);
  }

  #nativeCall({ toolName, ruleName = toolName, otherNames, args, annotations, runId }: JudgedByPolicy): NativeCall {
    return {
      toolName: ruleName,
      otherNames,
      args: args.json,
      annotations: hintsOf(annotations),
      runId,
      now: Date.now(),
    };
  }

  /** The call with what the functions of the rules say of it. */
  #answered(call: JudgedByPolicy): Awaitable<NativeCall> {
    return this.#conditions.length === 0 ? this.#nativeCall(call) : this.#answeredBy(call);
  }

  async #answeredBy(call: JudgedByPolicy): Promise<NativeCall> {
    const ask = () => this.#askConditions(call);
    const conditions = await (call.answers?.of(this, ask) ?? ask());
    return { ...this.#nativeCall(call), conditions };
  }

  /** A function that failed says `null`. */
  async #askConditions(call: JudgedByPolicy): Promise<ConditionAnswers> {
    const asked = this.#native.conditions(call.ruleName ?? call.toolName, call.otherNames);
    const answers = await Promise.all(asked.map((index) => this.#answer(this.#conditions[index], call)));
    return Object.fromEntries(asked.map((index, at) => [String(index), answers[at] ?? null]));
  }

  async #answer(condition: PolicyCondition | undefined, call: JudgedByPolicy): Promise<boolean | null> {
    try {
      const answer = await inTime(condition?.(this.callFor(call)), call.signal);
      return typeof answer === 'boolean' ? answer : null;
    } catch {
      return null;
    }
  }

  /** A call for a function of the user's. */
  callFor({ toolName, toolCallId, args, signal }: JudgedByPolicy): PolicyCall {
    const call: PolicyCall = { toolName, toolCallId, args: copyOf(args), cwd: this.cwd };
    return signal === undefined ? call : { ...call, abortSignal: signal };
  }
}

/** How several policies are asked about one call, in an operation that has its arguments. */
export function askedOf(all: readonly Policies[], call: JudgedByPolicy): Awaitable<NativeAsked> {
  const { toolName, ruleName = toolName, otherNames, annotations, runId } = call;
  const asked = { ruleName, otherNames, annotations: hintsOf(annotations), runId };
  const answers = all.map((policies) => policies.conditionsOf(call));
  if (answers.every((answer) => answer === undefined)) return { ...asked, now: Date.now() };
  return Promise.all(answers).then((said) => ({
    ...asked,
    conditions: said.map((conditions) => conditions ?? {}),
    now: Date.now(),
  }));
}

/** How it runs counts for the verdict alone: what a human approves, and what is granted, runs without walls as well. */
const confinedAs = ({ confined }: JudgedByPolicy, call: NativeCall): NativeCall =>
  confined === undefined ? call : { ...call, confined };

function boundVerdict(bound: NativeBound | undefined): BoundVerdict {
  if (bound === undefined) throw new InternalError({ message: 'the core did not say what an approval is bound to' });
  return { context: bound.context, denied: bound.denied ?? undefined };
}

/** @throws {InvalidConfigError} */
export function takePlace(given: PolicyPlace | undefined, name: string): PolicyPlace | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== 'object' || (given as unknown) === null)
    throw new InvalidConfigError({ message: `${name}: place must be an object with cwd, project and home.` });
  const place = takeOptions('place', given, `${name}: place`);
  for (const key of ['cwd', 'project', 'home'] as const) {
    const path: unknown = place[key];
    if (path === undefined || (typeof path === 'string' && isAbsolute(path) && !path.includes('\0'))) continue;
    throw new InvalidConfigError({
      message: `${name}: place.${key} must be an absolute path, not ${toldValue(path)}.`,
    });
  }
  return place;
}

/** Only what is plainly yes or no is a hint. */
function hintsOf(annotations: Readonly<Record<string, unknown>> | undefined): Record<string, boolean> | undefined {
  if (typeof annotations !== 'object' || annotations === null) return undefined;
  const hints: Record<string, boolean> = Object.create(null) as Record<string, boolean>;
  for (const [name, value] of Object.entries(annotations)) if (typeof value === 'boolean') hints[name] = value;
  return hints;
}
