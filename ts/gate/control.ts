/**
 * What stands between a call and its verdict beside `interruptOn`: the policies, one more judge, what was granted, and the
 * mode. All of them are asked here; what they come to the core says.
 */
import type {
  AskSource,
  ConfinedWrites,
  FileChange,
  Grant,
  GateOptions,
  PolicyEffect,
  PolicyInput,
  PolicyJudge,
  PolicyMode,
  PolicyProblem,
  PolicyVerdict,
} from '../../index.js';
import { whereTo } from '../confine/files.js';
import { messageOf } from '../errors/message-of.js';
import { reasonOfError } from '../errors/reason-of.js';
import { InvalidConfigError, ModeForbiddenError } from '../errors/index.js';
import { toldValue } from '../errors/told-value.js';
import {
  projectDirectory,
  weighCall,
  type BoundBy,
  type FindSealed,
  type NativeCallParts,
  type NativeJudged,
  type NativeLayers,
  type NativeLook,
  type NativeNetwork,
  type NativePolicies,
  type NativeSealed,
  type NativeVerdict,
  type ShownCheck,
} from '../native.js';
import { askedOf, Policies, takePlace, type JudgedByPolicy, type ShownCall } from '../policy/policies.js';
import { after, isLater, type Awaitable } from '../values/awaitable.js';
import { inTime } from '../values/in-time.js';
import { once } from '../values/lazily.js';
import type { CallPlace } from './call-place.js';
import { denialIn, type CallOpinion, type CallVerdict } from './call-verdict.js';
import { failedBy, warnJudging } from './warn-judging.js';
import { allOf, asksPeople } from './who.js';
import { mainRunOf } from './run-ids.js';
import type { SeenFile } from './seen-edit.js';
import { ownValue } from '../values/own-value.js';

const EFFECTS: readonly PolicyEffect[] = ['allow', 'ask', 'deny'];
const MODES: readonly PolicyMode[] = ['safe', 'auto', 'plan', 'deny-all-asks'];

const BESIDE = ['', '-wal', '-shm', '-journal', '-lock', '-bell', '-owners'] as const;

/** What `interruptOn`, the tool and the host say of a call. */
export interface OwnOpinions {
  /** Whether a function of the user's has a say: it is called where no policy denies. */
  asksFunctions: boolean;
  opinions: () => Promise<readonly CallOpinion[]>;
}

/** How a call is shown that somebody is asked about. */
export interface ShowOptions {
  /** Whether something beside the policies asks. */
  floor: boolean;
  /** Whether something is offered to be remembered. */
  offers: boolean;
}

/** What is to be looked up of a call, and by which policies. */
export interface CallLook {
  look: NativeLook;
  policies: readonly NativePolicies[];
}

/** What a human was shown, and what the policies judged it under. */
export interface ShownThen {
  policy: object | null;
  changes: readonly FileChange[];
}

/** How a call with this verdict is shown; `null`: as its arguments alone. */
export const showingOf = (verdict: CallVerdict): ShowOptions | null =>
  verdict.effect === 'ask' ? { floor: verdict.floor ?? false, offers: !asksPeople(verdict.who) } : null;

/** Remembers grants, and takes them back. */
export interface GrantKeeper {
  grant: (grant: Omit<Grant, 'id'>) => Promise<Grant>;
  /** Why nothing is remembered there; `null`: it is. */
  forgets: () => Promise<string | null>;
  revoke: (id: string) => Promise<boolean>;
}

export class GateControl {
  /** Where relative paths of calls start. */
  readonly cwd: string;
  readonly #options: GateOptions;
  readonly #policies: Policies | undefined;
  readonly #judge: PolicyJudge | undefined;
  readonly #own: readonly string[];
  readonly #onProblems: (problems: PolicyProblem[]) => void;
  /** Knows no rules: reads calls and keeps grants where the gate has no policy. */
  #reader: Policies | undefined;
  #mode: PolicyMode;

  /** @param own files of the gate's own: see {@link Policies} */
  constructor(options: GateOptions, own: readonly string[], onProblems: (problems: PolicyProblem[]) => void) {
    const { policy, policyFiles = false, judge, mode = 'safe' } = options;
    if (judge !== undefined && typeof judge !== 'function')
      throw new InvalidConfigError({ message: 'createGate: judge must be a function.' });
    if (typeof policyFiles !== 'boolean')
      throw new InvalidConfigError({ message: 'createGate: policyFiles must be true or false.' });
    this.cwd = takePlace(options.place, 'createGate')?.cwd ?? process.cwd();
    this.#options = options;
    this.#own = own;
    this.#onProblems = onProblems;
    this.#judge = judge;
    this.#mode = checkMode('createGate: mode', mode);
    if (policy !== undefined || policyFiles) {
      const files = policyFiles ? 'all' : 'managed';
      this.#policies = new Policies({ policy, files, place: options.place, own, onProblems }, 'createGate');
      const source = options.mode === undefined ? null : this.#policies.forbidsByCode(mode);
      if (source !== null) throw forbidden(source, mode);
    }
  }

  /**
   * Files of the gate's own: its ledger, with what it and SQLite keep beside it, by each of its names. `absent`: the journals that are not
   * there, which a ledger never has.
   */
  ownFiles(): { there: string[]; absent: string[] } {
    const isThere = process.getBuiltinModule('node:fs').existsSync;
    const all = [...new Set(this.#own.flatMap((path) => [path, whereTo(path)]))];
    return {
      there: all.flatMap((path) => BESIDE.map((end) => `${path}${end}`)).filter((path) => isThere(path)),
      absent: all.map((path) => `${path}-journal`).filter((path) => !isThere(path)),
    };
  }

  get mode(): PolicyMode {
    return this.#mode;
  }

  async setMode(mode: PolicyMode): Promise<void> {
    checkMode('setMode', mode);
    const source = await this.#policies?.forbids(mode);
    if (source != null) throw forbidden(source, mode);
    this.#mode = mode;
  }

  /** The policies of a run on this gate. They can only tighten. */
  narrower(policy: PolicyInput | readonly PolicyInput[] | undefined, place: string): Policies[] {
    if (policy === undefined) return [];
    const files = this.#policies === undefined ? 'managed' : 'none';
    const options = {
      policy,
      files,
      place: this.#options.place,
      own: this.#own,
      onProblems: this.#onProblems,
    } as const;
    return [new Policies(options, place)];
  }

  /** Names in the rules of the gate's own policies that match none of these. */
  strangers(toolNames: readonly string[]): readonly string[] {
    return this.#policies?.strangers(toolNames) ?? [];
  }

  /** Whether a policy or a judge has a say, in any mode. */
  get hasRules(): boolean {
    return this.#policies !== undefined || this.#judge !== undefined;
  }

  /** Whether anything here can ask about a call, or deny it, that `interruptOn` lets run. */
  tightens(narrower: readonly Policies[]): boolean {
    return this.#policies !== undefined || narrower.length > 0 || this.#judge !== undefined || this.#mode !== 'safe';
  }

  /** The whole verdict on a call. Never rejects. */
  async judge(call: JudgedByPolicy, narrower: readonly Policies[], own: OwnOpinions): Promise<CallVerdict> {
    try {
      return await this.#verdictOn(call, narrower, own);
    } catch (error) {
      return { effect: 'deny', reason: `The call could not be judged: ${reasonOfError(error)}` };
    }
  }

  async #verdictOn(call: JudgedByPolicy, narrower: readonly Policies[], own: OwnOpinions): Promise<CallVerdict> {
    const isWeighed = this.tightens(narrower) || this.#mayGrant;
    // A policy that denies ends it: then no function is called.
    const opinions = isWeighed && own.asksFunctions ? undefined : await own.opinions();
    const denied = opinions && denialIn(opinions);
    if (denied !== undefined && this.all(narrower).length === 0) return denied;
    return opinions !== undefined && opinions.length <= 1 && !isWeighed
      ? onlyOpinion(opinions[0])
      : this.#weighed(call, narrower, opinions, own);
  }

  /** What the core makes of all opinions. It judges the policies, and says whom to ask besides. */
  async #weighed(
    call: JudgedByPolicy,
    narrower: readonly Policies[],
    known: readonly CallOpinion[] | undefined,
    { opinions }: OwnOpinions,
  ): Promise<CallVerdict> {
    let own = known;
    const rules = this.all(narrower);
    const parts: Omit<NativeCallParts, 'mode' | 'first'> = {
      toolName: call.toolName,
      args: call.args.json,
      asked: {
        ...(await askedOf(rules, call)),
        ...(call.confined === undefined ? {} : { confined: call.confined }),
        ...(call.usesGrants === undefined ? {} : { usesGrants: call.usesGrants }),
      },
      ...(own === undefined ? {} : { own: own.map(weightOf) }),
      hasJudge: this.#judge !== undefined,
      isQuestion: call.isQuestion === true,
      startsAgents: call.startsAgents === true,
    };
    let judged: readonly NativeJudged[] = [];
    for (;;) {
      // The mode may change while somebody is asked, or a file is read.
      const mode = this.#mode;
      const { first, policies } = this.#weighing(rules, mode);
      const weighed = weighCall({ ...parts, mode, first }, policies);
      const { judged: said, next } = isLater(weighed) ? await weighed : weighed;
      if (parts.policies === undefined) {
        judged = said;
        for (const { problems } of judged) this.tellProblems(problems);
        parts.policies = judged.map(
          ({ verdict: { effect, reason }, who, managedAsk = false, forgets = false, reviewable = false }) => ({
            effect,
            reason,
            namesPeople: asksPeople(who),
            managedAsk,
            forgets,
            reviewable,
          }),
        );
      }
      switch (next.kind) {
        case 'askOwn': {
          own = await opinions();
          const denied = denialIn(own);
          // A denial is final: the judge is not asked.
          if (denied !== undefined) return denied;
          parts.own = own.map(weightOf);
          break;
        }
        case 'askJudge':
          parts.judge = await this.#judgement(call, next.effect, saidAt(judged, next.said));
          break;
        case 'verdict':
          if (mode === this.#mode)
            return { ...verdictOf(next.verdict, judged, own ?? [], parts.judge?.effect, call), ...confinedTo(judged) };
      }
    }
  }

  /** The policies that a call is weighed by: first what keeps the grants, and says what only looks. */
  #weighing(
    rules: readonly Policies[],
    mode: PolicyMode,
  ): { first: NativeCallParts['first']; policies: NativePolicies[] } {
    const reader = mode === 'plan' ? this.#reading() : (this.#policies ?? this.#reader);
    const first = this.#policies !== undefined ? 'gate' : reader === undefined ? 'run' : 'reader';
    const all = first === 'reader' && reader !== undefined ? [reader, ...rules] : rules;
    return { first, policies: all.map((policies) => policies.native) };
  }

  /** What the custom judge says. */
  async #judgement(
    call: JudgedByPolicy,
    effect: PolicyEffect,
    said: PolicyVerdict | null,
  ): Promise<NonNullable<NativeCallParts['judge']>> {
    const before: PolicyVerdict = { ...(said ?? NOTHING_SAID), effect };
    try {
      const answer = await inTime(this.#judge?.(this.#reading().callFor(call), structuredClone(before)), call.signal);
      return answer === undefined ? { effect: 'allow' } : readJudgement(answer);
    } catch (error) {
      warnJudging({ name: 'judge', toolName: call.toolName, signal: call.signal }, failedBy(error));
      return { effect: 'ask', reason: `the judge failed: ${messageOf(error)}` };
    }
  }

  /** Why plan mode lets it not run; `undefined`: it does. */
  async #unplanned(call: JudgedByPolicy): Promise<string | undefined> {
    if (call.startsAgents === true) return undefined;
    const readOnly = await this.#reading().judgeReadOnly(call);
    return readOnly.effect === 'allow' ? undefined : `Plan mode: only what is read-only runs. ${readOnly.reason}`;
  }

  /**
   * Why the mode, or the custom judge, lets a call not run now that was approved before, perhaps under another mode; `undefined`: they
   * do. What the policies say is in {@link GateControl.bound}.
   */
  objectionTo(call: () => JudgedByPolicy, narrower: readonly Policies[]): Awaitable<string | undefined> {
    return after(this.objectionOfMode(call), (objection) =>
      objection === undefined && this.#judge !== undefined ? this.#objectionOfJudge(call(), narrower) : objection,
    );
  }

  /** The part of {@link GateControl.objectionTo} that is the mode's. */
  objectionOfMode(call: () => JudgedByPolicy): Awaitable<string | undefined> {
    if (this.#mode === 'plan') return this.#unplanned(call());
    return this.#mode === 'deny-all-asks'
      ? 'Nobody is there to be asked: the mode is deny-all-asks, and it was approved under another.'
      : undefined;
  }

  /** A human has answered that it asks. */
  async #objectionOfJudge(call: JudgedByPolicy, narrower: readonly Policies[]): Promise<string | undefined> {
    const own: OwnOpinions = { asksFunctions: false, opinions: async () => [{ effect: 'ask' }] };
    const verdict = await this.judge(call, narrower, own);
    return verdict.effect === 'deny' ? verdict.reason : undefined;
  }

  get #mayGrant(): boolean {
    return (this.#policies ?? this.#reader)?.mayGrant ?? false;
  }

  /** What a call would do, as the gate reads it. */
  reads(call: JudgedByPolicy): Awaitable<PolicyVerdict> {
    return this.#reading().judge(call);
  }

  /** The policies that count now, and what is wrong with their files. */
  layers(): Promise<NativeLayers> {
    return this.#reading().layers();
  }

  /** The files that a command must not reach. */
  sealed(look: FindSealed): Promise<NativeSealed> {
    return this.#reading().sealed(look);
  }

  /** What a confined command reaches of the network; `null`: no policy says anything of that. */
  network(): Promise<NativeNetwork | null> {
    return this.#reading().network();
  }

  // --- for the human ------------------------------------------------------------------------------------------------

  /** What is to be looked up of a call that somebody is asked about: what its approval is bound to, and what is shown. */
  lookAt(
    call: JudgedByPolicy,
    tool: string,
    narrower: readonly Policies[],
    show: ShowOptions | null,
  ): Awaitable<CallLook> {
    const rules = this.all(narrower);
    const hasRules = rules.length > 0;
    const all = hasRules || show === null ? rules : [this.#reading()];
    return after(asking(all, call), ({ policies, asked }) => ({
      policies,
      look: {
        binding: { tool, asked },
        show: show && { ...show, hasRules, ofGate: this.#policies !== undefined },
      },
    }));
  }

  /** What "always" would save of a call, for when somebody asks; `undefined`: rules have a say, which stands in what is shown. */
  offersLater(
    call: JudgedByPolicy,
    verdict: CallVerdict,
    narrower: readonly Policies[],
  ): (() => ShownCall['always']) | undefined {
    if (this.#policies !== undefined || narrower.length > 0 || verdict.effect !== 'ask') return undefined;
    const { who, floor = false } = verdict;
    return once(() => (asksPeople(who) ? { ...NOTHING_OFFERED } : this.#reading().offersNow(call, floor)));
  }

  /** What an approval of this call is bound to, for the core to look up in the step that depends on it. */
  boundBy(call: JudgedByPolicy, tool: string, narrower: readonly Policies[]): Awaitable<BoundBy> {
    return after(asking(this.all(narrower), call), ({ policies, asked }) => ({ policies, binding: { tool, asked } }));
  }

  /** Tells what is wrong with policy files that changed, as the answer to an operation says. */
  tellProblems(problems: PolicyProblem[] | undefined): void {
    if (problems !== undefined) this.#onProblems(problems);
  }

  /** What an approval would be bound to by what the gate itself reads calls with. `null`: it cannot be told. */
  async boundHere(call: JudgedByPolicy): Promise<object | null> {
    try {
      return (await this.#reading().bound(call)).context;
    } catch {
      return null;
    }
  }

  /** What was shown of a call, for the core to look whether it still is that; `undefined`: there is nothing to look at. */
  shownThen(call: JudgedByPolicy, shown: ShownThen, narrower: readonly Policies[]): Awaitable<ShownCheck | undefined> {
    const { policy, changes } = shown;
    const rules = this.all(narrower);
    const hasRules = rules.length > 0;
    if (!hasRules && policy === null && changes.length === 0) return undefined;
    const all = hasRules ? rules : [this.#reading()];
    return after(asking(all, call), ({ policies, asked }) => ({
      policies,
      shown: {
        asked,
        args: call.args.json,
        hasRules,
        policy,
        changes: changes.map(({ path, target, before }) => ({ path, target, before })),
      },
    }));
  }

  /** Whether functions of the user's have a say in a call that is about to run: what they are asked takes its time. */
  takesTime(narrower: readonly Policies[]): boolean {
    return this.#judge !== undefined || this.asksFunctions(narrower);
  }

  /** Whether a rule has a function of the user's: then it is not known at once what the policies say. */
  asksFunctions(narrower: readonly Policies[]): boolean {
    return this.all(narrower).some((policies) => policies.asksFunctions);
  }

  /** The files that are no longer what was shown; policy files are read again as well. */
  async changed(changes: readonly SeenFile[], narrower: readonly Policies[]): Promise<string[]> {
    for (const policies of narrower) await policies.changed([]);
    if (this.#policies === undefined && changes.length === 0) return [];
    return this.#reading().changed(changes);
  }

  hidden(toolNames: readonly string[], narrower: readonly Policies[]): Set<string> {
    return new Set([this.#policies, ...narrower].flatMap((policies) => policies?.hidden(toolNames) ?? []));
  }

  // --- grants -------------------------------------------------------------------------------------------------------

  /** Whether the user's file is read: what is remembered there would mean nothing otherwise. */
  get remembersForEver(): boolean {
    return this.#options.policyFiles === true;
  }

  /**
   * What remembers a grant. A rule for always belongs to the project of its call: where that is another one than the gate's, as for
   * an inbox over several projects, it counts there and not here.
   *
   * @param place of the call; `undefined`: it is this gate's own
   */
  keeperOf(scope: Grant['scope'], place: CallPlace | undefined): GrantKeeper {
    const isHere = place === undefined || scope !== 'always' || place.project === this.#project();
    const keeper = isHere
      ? this.#reading()
      : new Policies({ policy: [], files: 'all', place: { ...this.#homeAlone(), ...place } }, 'createGate');
    return {
      // What is granted for a run that is a part of another is granted for the main one.
      grant: async (grant) => keeper.grant({ ...grant, runId: grant.runId === null ? null : mainRunOf(grant.runId) }),
      // Where there are no rules, none says so.
      forgets: async () => (isHere && this.#policies === undefined ? null : keeper.forgets()),
      revoke: async (id) => keeper.revoke(id),
    };
  }

  #project(): string {
    return this.#options.place?.project ?? projectDirectory(this.cwd);
  }

  /** Whose files count, without where the gate's own project is. */
  #homeAlone(): { home?: string } {
    const home = this.#options.place?.home;
    return home === undefined ? {} : { home };
  }

  async grants(): Promise<Grant[]> {
    return this.#reading().grants();
  }

  async revoke(id: string): Promise<boolean> {
    return this.#reading().revoke(id);
  }

  endRun(runId: string): void {
    (this.#policies ?? this.#reader)?.endRun(runId);
  }

  /** Whether these are those of the gate. */
  has(policies: Policies): boolean {
    return policies === this.#policies;
  }

  /** The policies of the gate, and these. */
  all(narrower: readonly Policies[]): Policies[] {
    return [this.#policies, ...narrower].filter((each) => each !== undefined);
  }

  #reading(): Policies {
    if (this.#policies !== undefined) return this.#policies;
    const options = { policy: undefined, files: 'none', place: this.#options.place, own: this.#own } as const;
    this.#reader ??= new Policies(options, 'createGate');
    return this.#reader;
  }
}

const NOTHING_OFFERED: ShownCall['always'] = { allow: null, deny: null };

const NOTHING_SAID: PolicyVerdict = { effect: 'allow', rule: null, reason: 'no policy is set', actions: [] };

function forbidden(source: string, mode: PolicyMode): ModeForbiddenError {
  return new ModeForbiddenError({ message: `${source} forbids the mode "${mode}".`, mode, source });
}

function checkMode(place: string, mode: unknown): PolicyMode {
  if (MODES.includes(mode as PolicyMode)) return mode as PolicyMode;
  throw new InvalidConfigError({
    message: `${place} must be one of ${MODES.join(', ')}, not ${toldValue(mode)}.`,
  });
}

/** Where nothing else has a say: there is nothing to weigh. */
const onlyOpinion = (own: CallOpinion | undefined): CallVerdict =>
  own === undefined
    ? { effect: 'allow', said: null }
    : own.effect === 'deny'
      ? own
      : { ...own, said: null, floor: true };

/** These policies for an operation of the core, and how they are asked there about the call. */
const asking = (all: readonly Policies[], call: JudgedByPolicy) =>
  after(askedOf(all, call), (asked) => ({ policies: all.map((policies) => policies.native), asked }));

/** What counts of it for the core. */
const weightOf = (opinion: CallOpinion) => ({
  effect: opinion.effect,
  reason: opinion.reason,
  namesPeople: opinion.effect === 'ask' && asksPeople(opinion.who),
});

/** What a command must be held to for all of these to hold. It stays, however the rest is answered. */
function confinedTo(judged: readonly NativeJudged[]): { confinedTo?: ConfinedWrites } {
  const all = judged.map(({ verdict }) => verdict.confined);
  const least = all.includes('nothing') ? 'nothing' : all.find((each) => each !== undefined);
  return least === undefined ? {} : { confinedTo: least };
}

const saidAt = (judged: readonly NativeJudged[], at: number | null): PolicyVerdict | null =>
  at === null ? null : (judged[at]?.verdict ?? null);

/** The verdict of the core, with what it names by its place. */
function verdictOf(
  { effect, reason, said: at, floor, approvers, byMode, reviewBar }: NativeVerdict,
  judged: readonly NativeJudged[],
  own: readonly CallOpinion[],
  judge: PolicyEffect | undefined,
  { answers }: JudgedByPolicy,
): CallVerdict {
  const said = saidAt(judged, at);
  if (effect === 'deny') return { effect, reason: reason ?? '', said };
  const rules = [...judged.map(({ who }) => who), ...own.map((each) => (each.effect === 'ask' ? each.who : undefined))];
  const who = allOf(...approvers.map((place) => rules[place]));
  const ask: CallVerdict & { effect: 'ask' } = {
    effect: 'ask',
    reason: reason ?? undefined,
    said,
    floor,
    who,
    reviewBar,
    askedBy: askSourceOf(said, own, judge),
    codeAsks: judged.some(({ codeAsks = false }) => codeAsks),
    answers,
  };
  if (effect === 'ask') return ask;
  return byMode ? { effect, said, instead: ask } : { effect, said };
}

/** Who asks, of all that judge a call. */
function askSourceOf(
  said: PolicyVerdict | null,
  own: readonly CallOpinion[],
  judge: PolicyEffect | undefined,
): AskSource | undefined {
  const byPolicy = said?.effect === 'ask' ? 'policy' : undefined;
  // That no rule covers a call is no question of a rule: another source that asks still asks once a rule allows it.
  if (byPolicy !== undefined && said?.rule != null) return byPolicy;
  const asking = own.find((each): each is CallOpinion & { effect: 'ask' } => each.effect === 'ask');
  return asking?.askedBy ?? (judge === 'ask' ? 'judge' : byPolicy);
}

function readJudgement(answer: unknown): { effect: PolicyEffect; reason: string | undefined } {
  const isObject = typeof answer === 'object' && answer !== null;
  const effect = isObject ? ownValue(answer, 'effect') : answer;
  const reason = ownValue(answer, 'reason');
  if (!EFFECTS.includes(effect as PolicyEffect))
    return { effect: 'ask', reason: 'the judge returned something unknown' };
  return { effect: effect as PolicyEffect, reason: typeof reason === 'string' ? reason : undefined };
}
