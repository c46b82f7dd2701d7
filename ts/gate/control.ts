/**
 * What stands between a call and its verdict beside `interruptOn`: the policies, one more judge, what was granted, and the
 * mode. The strictest of all that judge counts; only grants and the mode answer an ask, and nothing answers a deny.
 */
import type {
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
import { messageOf } from '../errors/message-of.js';
import { reasonOfError } from '../errors/reason-of.js';
import { InvalidConfigError, ModeForbiddenError } from '../errors/index.js';
import { toldValue } from '../errors/told-value.js';
import { projectDirectory, type NativeLayers, type NativeNetwork, type NativeSealed } from '../native.js';
import { Policies, takePlace, type BoundVerdict, type JudgedByPolicy, type ShownCall } from '../policy/policies.js';
import { after, type Awaitable } from '../values/awaitable.js';
import { inTime } from '../values/in-time.js';
import { once } from '../values/lazily.js';
import { STRICTNESS } from '../values/strictness.js';
import type { CallVerdict } from './call-verdict.js';
import { failedBy, warnJudging } from './warn-judging.js';
import { allOf, asksPeople, type ApproverRules } from './who.js';
import { mainRunOf } from './run-ids.js';

const MODES: readonly PolicyMode[] = ['safe', 'auto', 'plan', 'deny-all-asks'];

const BESIDE = ['', '-wal', '-shm', '-journal', '-lock', '-bell', '-owners'] as const;

/** Remembers grants, and takes them back. */
export interface GrantKeeper {
  grant: (grant: Omit<Grant, 'id'>) => Promise<Grant>;
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

  /** Files of the gate's own that are there: its ledger, with what it and SQLite keep beside it. */
  ownFiles(): string[] {
    return this.#own
      .flatMap((path) => BESIDE.map((end) => `${path}${end}`))
      .filter((path) => process.getBuiltinModule('node:fs').existsSync(path));
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

  /** Names in the rules of the gate's own policies that are none of these. */
  strangers(toolNames: readonly string[]): readonly string[] {
    return this.#policies?.strangers(toolNames) ?? [];
  }

  /** Whether a policy or a judge has a say, whatever the mode is. */
  get hasRules(): boolean {
    return this.#policies !== undefined || this.#judge !== undefined;
  }

  /** Whether anything here can ask about a call, or deny it, that `interruptOn` lets run. */
  tightens(narrower: readonly Policies[]): boolean {
    return this.#policies !== undefined || narrower.length > 0 || this.#judge !== undefined || this.#mode !== 'safe';
  }

  /** The whole verdict on a call. Never rejects. */
  async judge(
    call: JudgedByPolicy,
    narrower: readonly Policies[],
    asked: () => Promise<CallVerdict>,
  ): Promise<CallVerdict> {
    try {
      return await this.#verdictOn(call, narrower, asked);
    } catch (error) {
      return { effect: 'deny', reason: `The call could not be judged: ${reasonOfError(error)}` };
    }
  }

  async #verdictOn(
    call: JudgedByPolicy,
    narrower: readonly Policies[],
    asked: () => Promise<CallVerdict>,
  ): Promise<CallVerdict> {
    const judgedByParent = await this.#policies?.judged(call);
    const parent = judgedByParent?.verdict;
    if (parent?.effect === 'deny') return { effect: 'deny', reason: parent.reason, said: parent };
    let who = judgedByParent?.who;
    let child: PolicyVerdict | undefined;
    let managedAsk = false;
    for (const policies of narrower) {
      const judged = await policies.judged(call);
      if (judged.verdict.effect === 'deny')
        return { effect: 'deny', reason: judged.verdict.reason, said: judged.verdict };
      managedAsk ||= judged.managedAsk;
      who = allOf(who, judged.who);
      if (child === undefined || STRICTNESS[judged.verdict.effect] > STRICTNESS[child.effect]) child = judged.verdict;
    }
    const own = await asked();
    if (own.effect === 'deny') return own;
    const verdict = await this.#judged(call, combined(own, parent, child, who));
    if (verdict.effect === 'deny' || call.isQuestion === true) return verdict;
    // The gate's own policies know of their administrator's asks themselves.
    return this.#answered(call, verdict, narrower, !managedAsk);
  }

  /** What the custom judge makes of it. */
  async #judged(call: JudgedByPolicy, verdict: Exclude<CallVerdict, { effect: 'deny' }>): Promise<CallVerdict> {
    if (this.#judge === undefined) return verdict;
    const said = verdict.said ?? NOTHING_SAID;
    const before: PolicyVerdict = { ...said, effect: verdict.effect };
    let effect: PolicyEffect;
    let reason: string | undefined;
    try {
      const answer = await inTime(this.#judge(this.#reading().callFor(call), structuredClone(before)), call.signal);
      if (answer === undefined) return verdict;
      ({ effect, reason } = readJudgement(answer));
    } catch (error) {
      warnJudging({ name: 'judge', toolName: call.toolName, signal: call.signal }, failedBy(error));
      effect = 'ask';
      reason = `the judge failed: ${messageOf(error)}`;
    }
    if (STRICTNESS[effect] <= STRICTNESS[verdict.effect]) return verdict;
    if (effect === 'deny') return { effect, reason: reason ?? 'Denied by the judge.', said: verdict.said };
    return { ...verdict, effect: 'ask', reason: reason ?? 'the judge asks', floor: true };
  }

  /** Grants and the mode, which are there so that a human is asked less. */
  async #answered(
    call: JudgedByPolicy,
    verdict: Exclude<CallVerdict, { effect: 'deny' }>,
    narrower: readonly Policies[],
    grantable: boolean,
  ): Promise<CallVerdict> {
    const mode = await this.#modeFor(narrower);
    const unplanned = mode === 'plan' ? await this.#unplanned(call) : undefined;
    if (unplanned !== undefined) return { effect: 'deny', reason: unplanned, said: verdict.said };
    if (verdict.effect !== 'ask') return verdict;
    // Where people are named, they are asked each time.
    if (asksPeople(verdict.who)) return mode === 'deny-all-asks' ? nobodyThere(call, verdict) : verdict;
    const grant = grantable ? await this.#granted(call, verdict) : null;
    if (grant?.effect === 'allow') return { effect: 'allow', said: verdict.said };
    if (grant?.effect === 'deny') {
      return { effect: 'deny', reason: `Always rejected by ${grant.by}: ${grant.label}`, said: verdict.said };
    }
    if (mode === 'auto') return { effect: 'allow', said: verdict.said, instead: verdict };
    return mode === 'deny-all-asks' ? nobodyThere(call, verdict) : verdict;
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
    return after(this.#objectionOfMode(call), (objection) =>
      objection === undefined && this.#judge !== undefined ? this.#objectionOfJudge(call(), narrower) : objection,
    );
  }

  #objectionOfMode(call: () => JudgedByPolicy): Awaitable<string | undefined> {
    if (this.#mode === 'plan') return this.#unplanned(call());
    return this.#mode === 'deny-all-asks'
      ? 'Nobody is there to be asked: the mode is deny-all-asks, and it was approved under another.'
      : undefined;
  }

  /** A human has answered that it asks. */
  async #objectionOfJudge(call: JudgedByPolicy, narrower: readonly Policies[]): Promise<string | undefined> {
    const verdict = await this.judge(call, narrower, async () => ({ effect: 'ask', floor: true }));
    return verdict.effect === 'deny' ? verdict.reason : undefined;
  }

  /** A file that changed since may forbid it. */
  async #modeFor(narrower: readonly Policies[]): Promise<PolicyMode> {
    if (this.#mode !== 'auto') return this.#mode;
    for (const policies of [this.#policies, ...narrower]) if ((await policies?.forbids('auto')) != null) return 'safe';
    return 'auto';
  }

  async #granted(call: JudgedByPolicy, { floor = false }: CallVerdict & { effect: 'ask' }): Promise<Grant | null> {
    const keeper = this.#policies ?? this.#reader;
    return (await keeper?.granted(call, floor)) ?? null;
  }

  /** The policies that count now, and what is wrong with their files. */
  layers(): Promise<NativeLayers> {
    return this.#reading().layers();
  }

  /** The files that a command that nobody was asked about must not reach. */
  sealed(more: readonly string[]): Promise<NativeSealed> {
    return this.#reading().sealed(more);
  }

  /** What a confined command reaches of the network; `null`: no policy says anything of that. */
  network(): Promise<NativeNetwork | null> {
    return this.#reading().network();
  }

  // --- for the human ------------------------------------------------------------------------------------------------

  /** What an approval is bound to as things are now, and then what a human is shown: what changes in between is a change. */
  async boundAndShown(
    call: JudgedByPolicy,
    verdict: CallVerdict,
    narrower: readonly Policies[],
  ): Promise<{ bound: BoundVerdict; shown: ShownCall }> {
    const [only, ...more] = this.#all(narrower);
    if (only === undefined || more.length > 0 || verdict.effect !== 'ask') {
      const bound = await this.bound(call, narrower);
      return { bound, shown: await this.shown(call, verdict, narrower) };
    }
    // Those of a run: the gate, which has none, keeps the grants, so it offers.
    const offers = { floor: verdict.floor ?? false, unruled: only !== this.#policies };
    const { bound, shown } = await only.boundAndShown(call, verdict.said ?? null, offers);
    return { bound, shown: asksPeople(verdict.who) ? { ...shown, always: NOTHING_OFFERED } : shown };
  }

  async shown(call: JudgedByPolicy, verdict: CallVerdict, narrower: readonly Policies[]): Promise<ShownCall> {
    const said = verdict.said ?? null;
    if (verdict.effect !== 'ask') return { ...NOTHING_SHOWN, verdict: said };
    const floor = verdict.floor ?? false;
    const judged = await this.#reading().shown(call, said, floor);
    const shown = asksPeople(verdict.who) ? { ...judged, always: NOTHING_OFFERED } : judged;
    if (narrower.length === 0 || (await this.#policies?.judge(call))?.effect === 'ask') return shown;
    const asking = await firstThatAsks(narrower, call);
    // A run's own policy asks: the parts of the call are marked as it judges them. The gate keeps the grants, so it offers.
    return { ...(await asking.shown(call, said, floor)), always: shown.always };
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

  /** What an approval of this call is bound to now, and whether it may run at all. Never rejects. */
  bound(call: JudgedByPolicy, narrower: readonly Policies[]): Awaitable<BoundVerdict> {
    const all = this.#all(narrower);
    return all.length === 0 ? UNBOUND : this.#boundBy(all, call);
  }

  /** As {@link GateControl.bound}, by what the gate itself reads calls with. `null`: it cannot be told. */
  async boundHere(call: JudgedByPolicy): Promise<object | null> {
    return (await this.#boundBy([this.#reading()], call)).context;
  }

  async #boundBy(all: readonly Policies[], call: JudgedByPolicy): Promise<BoundVerdict> {
    try {
      const bound: BoundVerdict[] = [];
      for (const policies of all) bound.push(await policies.bound(call));
      const [first, ...more] = bound.map(({ context }) => context);
      return {
        context: more.length === 0 ? (first as object) : [first, ...more],
        denied: bound.find(({ denied }) => denied !== undefined)?.denied,
      };
    } catch (error) {
      return { context: null, denied: `The call could not be judged: ${reasonOfError(error)}` };
    }
  }

  /** The files that are no longer what was shown; policy files are read again as well. */
  async changed(changes: readonly FileChange[], narrower: readonly Policies[]): Promise<string[]> {
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
   * @param cwd where relative paths of the call start; `undefined`: nobody knows
   */
  keeperOf(scope: Grant['scope'], cwd: string | undefined): GrantKeeper {
    const isHere = cwd === undefined || scope !== 'always' || projectDirectory(cwd) === projectDirectory(this.cwd);
    const keeper = isHere
      ? this.#reading()
      : new Policies({ policy: [], files: 'all', place: { ...this.#homeAlone(), cwd } }, 'createGate');
    return {
      // What is granted for a run that is a part of another is granted for the main one.
      grant: async (grant) => keeper.grant({ ...grant, runId: grant.runId === null ? null : mainRunOf(grant.runId) }),
      revoke: async (id) => keeper.revoke(id),
    };
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

  #all(narrower: readonly Policies[]): Policies[] {
    return [this.#policies, ...narrower].filter((each) => each !== undefined);
  }

  #reading(): Policies {
    if (this.#policies !== undefined) return this.#policies;
    const options = { policy: undefined, files: 'none', place: this.#options.place, own: this.#own } as const;
    this.#reader ??= new Policies(options, 'createGate');
    return this.#reader;
  }
}

/** The first that asks; of those of which none does, the first. */
async function firstThatAsks(all: readonly Policies[], call: JudgedByPolicy): Promise<Policies> {
  const [first] = all as [Policies];
  if (all.length > 1) for (const policies of all) if ((await policies.judge(call)).effect === 'ask') return policies;
  return first;
}

function nobodyThere({ toolName }: JudgedByPolicy, { reason, said }: CallVerdict & { effect: 'ask' }): CallVerdict {
  const asks = said?.effect === 'ask' ? said.reason : undefined;
  const why = reason ?? asks ?? `${toolName} must be asked about`;
  return { effect: 'deny', reason: `Nobody is there to be asked: ${why}`, said };
}

const NOTHING_OFFERED: ShownCall['always'] = { allow: null, deny: null };

/** The core shows the arguments. */
export const NOTHING_SHOWN: ShownCall = {
  verdict: null,
  always: NOTHING_OFFERED,
  changes: [],
  page: null,
  proven: null,
};

const UNBOUND: BoundVerdict = { context: null, denied: undefined };

const NOTHING_SAID: PolicyVerdict = { effect: 'allow', rule: null, reason: 'no policy is set', subjects: [] };

function forbidden(source: string, mode: PolicyMode): ModeForbiddenError {
  return new ModeForbiddenError({ message: `${source} forbids the mode "${mode}".`, mode, source });
}

function checkMode(place: string, mode: unknown): PolicyMode {
  if (MODES.includes(mode as PolicyMode)) return mode as PolicyMode;
  throw new InvalidConfigError({
    message: `${place} must be one of ${MODES.join(', ')}, not ${toldValue(mode)}.`,
  });
}

/** The strictest of what does not deny. */
function combined(
  own: Exclude<CallVerdict, { effect: 'deny' }>,
  parent: PolicyVerdict | undefined,
  child: PolicyVerdict | undefined,
  who: ApproverRules | undefined,
): Exclude<CallVerdict, { effect: 'deny' }> {
  // A child can only tighten: what it allows is allowed when its parent says so as well.
  const said = (child?.effect === 'ask' && parent?.effect !== 'ask' ? child : (parent ?? child)) ?? null;
  if (own.effect === 'ask') return { ...own, said, floor: true, who: allOf(own.who, who) };
  if (said?.effect !== 'ask') return { effect: 'allow', said };
  // What is granted answers the gate's own policy: a child that asks is answered for the whole call or not at all.
  return { effect: 'ask', reason: said.reason, said, floor: child?.effect === 'ask', who };
}

function readJudgement(answer: unknown): { effect: PolicyEffect; reason: string | undefined } {
  const isObject = typeof answer === 'object' && answer !== null;
  const own = (name: string): unknown =>
    isObject && Object.hasOwn(answer, name) ? (answer as Record<string, unknown>)[name] : undefined;
  const effect = isObject ? own('effect') : answer;
  const reason = own('reason');
  if (typeof effect !== 'string' || !Object.hasOwn(STRICTNESS, effect))
    return { effect: 'ask', reason: 'the judge returned something unknown' };
  return { effect: effect as PolicyEffect, reason: typeof reason === 'string' ? reason : undefined };
}
