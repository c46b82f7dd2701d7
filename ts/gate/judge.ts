/**
 * Asks what is to be asked about one call. The configuration was compiled by the core into one `Gating` per tool; what is left to
 * JavaScript functions is asked here, and any failure of them asks a human. What all of them come to the core says.
 */
import type { Tool } from 'ai';
import type { AskSource, InterruptOptions } from '../../index.js';
import { messageOf } from '../errors/message-of.js';
import { once } from '../values/lazily.js';
import { toldKind } from '../errors/told-value.js';
import { failedBy, warnJudging } from './warn-judging.js';
import type { Gating } from '../native.js';
import { knownToRules } from '../policy/foreign.js';
import type { JudgedByPolicy, Policies } from '../policy/policies.js';
import { RuleAnswers } from '../policy/rule-answers.js';
import { approvalsNow } from '../policy/very-tool.js';
import { denialIn, type CallOpinion, type CallVerdict } from './call-verdict.js';
import type { ConfinedRunner } from './confined-runner.js';
import type { GateControl } from './control.js';
import { inTime } from '../values/in-time.js';
import { copyOf, type ValueSnapshot } from '../values/snapshot.js';
import { whoOf } from './who.js';
import { ownValue } from '../values/own-value.js';

export type { CallOpinion, CallVerdict } from './call-verdict.js';

/** One more judge, which only tightens. */
export type HostJudge = (call: JudgedCall) => unknown;

export interface JudgedCall {
  toolCallId: string;
  toolName: string;
  args: ValueSnapshot;
  /** What the SDK passes to `needsApproval` beside the arguments. */
  context: Record<string, unknown>;
}

/** `needsApproval`: the tool's own, where that decides. */
export type CallGating = Gating & { readonly needsApproval?: unknown };

export interface CallJudge {
  gating: CallGating;
  entry: InterruptOptions | undefined;
  tool: Tool | undefined;
  /** The host's own, for this tool. */
  hostJudges: readonly HostJudge[];
  signal: AbortSignal | undefined;
  control: GateControl;
  /** Those of the run, and of the runs that it is a part of. */
  policies: readonly Policies[];
  /** What the runs say that it is a part of. */
  inherited?: ((call: JudgedCall) => Promise<readonly CallOpinion[]>) | undefined;
  /** Grants for a run are those of the main one. */
  runId: string | undefined;
  /** Whether the call asks the human something: then only a denial counts. */
  isQuestion?: boolean | undefined;
  /** It does nothing itself: it starts agents, whose calls are judged one by one. */
  startsAgents?: boolean | undefined;
  /** Who asks where the configuration does. Default: `interruptOn`. */
  asksAs?: AskSource | undefined;
  /** Who runs the call confined. Said by those alone that look at it once more right before it runs: see `heldTo`. */
  runner?: ConfinedRunner | undefined;
  /**
   * Which grants for a number of calls the verdict uses. Default: `all`, since the call runs or ends by it. `denials`: it may
   * end, and is judged again before it runs. `only-denials`: no grant lets it run. `none`: it is only looked at.
   */
  usesGrants?: GrantUse | undefined;
}

/** See {@link CallJudge.usesGrants}. */
export type GrantUse = 'none' | NonNullable<JudgedByPolicy['usesGrants']>;

/** What is asked beside the policies. */
export type InterruptJudge = Pick<CallJudge, 'gating' | 'entry' | 'tool' | 'hostJudges' | 'signal' | 'asksAs'>;

/** The verdict of everything that judges. */
export async function judge(call: JudgedCall, by: CallJudge): Promise<CallVerdict> {
  const { control, policies, signal, tool, inherited, isQuestion, startsAgents, usesGrants = 'all' } = by;
  const opinions = async (): Promise<readonly CallOpinion[]> => {
    if (isQuestion === true) return questionOpinions(call, by);
    const own = await interruptOpinions(call, by);
    return inherited === undefined || denialIn(own) !== undefined ? own : [...own, ...(await inherited(call))];
  };
  const { toolCallId, toolName, args } = call;
  const judged = {
    toolCallId,
    toolName,
    ...knownToRules(toolName, tool),
    args,
    signal,
    runId: by.runId,
    isQuestion,
    startsAgents,
    usesGrants: usesGrants === 'none' ? undefined : usesGrants,
    answers: new RuleAnswers(),
  };
  const own = { asksFunctions: asksFunctions(by), opinions: once(opinions) };
  const { runner } = by;
  const confined = runner?.runOf(copyOf(args));
  if (runner === undefined || confined === undefined) return control.judge(judged, policies, own);
  const verdict = await control.judge({ ...judged, confined }, policies, own);
  const { confinedTo: writes } = verdict;
  if (writes === undefined || verdict.effect === 'deny') return verdict;
  // What a human is asked about runs without walls when they approve it: the verdict, and what they are shown, is that of it.
  if (verdict.effect === 'ask' || isByMode(verdict)) return control.judge(judged, policies, own);
  return { ...verdict, confined: { writes, by: runner } };
}

/** Whether a function of the user's has a say beside the policies, or the runs that this one is a part of. */
function asksFunctions(by: CallJudge): boolean {
  const { gating, tool, hostJudges, inherited, isQuestion } = by;
  if (hostJudges.length > 0) return true;
  if (isQuestion === true) return false;
  if (inherited !== undefined || gating.action === 'judge') return true;
  if (gating.action === 'ask' || (gating.action === 'allow' && isByName(gating))) return false;
  const said = [gating.action === 'own' ? ownApprovalOf(by) : false, ...approvalsNow(tool).keys()];
  return said.some((approval) => typeof approval === 'function');
}

/**
 * What `interruptOn` with the tool itself and the host's `toolApproval` say: neither opens what the other closes. Whichever of them
 * asks, who must agree does.
 */
export async function interruptOpinions(call: JudgedCall, by: InterruptJudge): Promise<readonly CallOpinion[]> {
  const host = await hostOpinions(by.hostJudges, call, by.signal);
  const opinions = denialIn(host) === undefined ? [...host, ...(await ownOpinions(call, by))] : host;
  const who = whoOf(by.gating);
  const asking = opinions.find(({ effect }) => effect === 'ask');
  return who === undefined || asking === undefined
    ? opinions
    : opinions.map((opinion) => (opinion === asking ? { ...asking, who } : opinion));
}

async function ownOpinions(call: JudgedCall, by: InterruptJudge): Promise<CallOpinion[]> {
  const { asksAs: askedBy = 'interruptOn' } = by;
  switch (by.gating.action) {
    case 'allow':
      return isByName(by.gating) ? [] : toolOpinions(call, by, false);
    case 'ask':
      return [{ effect: 'ask', askedBy }];
    case 'judge':
      return readBoolean(
        { name: 'shouldApprove', toolName: call.toolName, askedBy },
        () => callPredicate(by.entry, by.entry?.shouldApprove, call, by.signal),
        by.signal,
      );
    case 'own':
      return toolOpinions(call, by, ownApprovalOf(by));
  }
}

/** As the tool had it when it was gated. */
const ownApprovalOf = ({ gating, tool }: InterruptJudge): unknown =>
  Object.hasOwn(gating, 'needsApproval') ? gating.needsApproval : tool?.needsApproval;

/**
 * What the tool said when it was gated, and what it says now: what it became since, or says at another look, closes it, as it does for
 * the AI SDK, and opens nothing.
 *
 * @param then its `needsApproval` when it was gated
 */
async function toolOpinions(call: JudgedCall, { tool, signal }: InterruptJudge, then: unknown): Promise<CallOpinion[]> {
  const opinions: CallOpinion[] = [];
  for (const [said, owner] of new Map([[then, tool], ...approvalsNow(tool)])) {
    if (said === false) continue;
    const answer = readBoolean(
      { name: 'needsApproval', toolName: call.toolName, askedBy: 'needsApproval' },
      () => callPredicate(owner, said, call, signal),
      signal,
    );
    opinions.push(...(await answer));
  }
  return opinions;
}

/** Whether the tool itself asks about calls, though the configuration leaves it alone. */
export const asksByNow = (gating: Gating, tool: Tool | undefined): boolean =>
  !isByName(gating) && [...approvalsNow(tool).keys()].some((said) => said !== false);

/** Whether the entry of a tool is for that tool, by whichever of its names, and not for all of them. */
export const isByName = ({ entry }: Gating): boolean => entry !== null && entry !== '*';

/** What would be said in a mode that answers nothing. */
export const unanswered = (verdict: CallVerdict): CallVerdict =>
  verdict.effect === 'allow' ? (verdict.instead ?? verdict) : verdict;

/** Whether the mode approves a call that would be asked about. */
export const isByMode = (verdict: CallVerdict | undefined): boolean =>
  verdict?.effect === 'allow' && verdict.instead !== undefined;

/** Whether the mode approves this request. Where the call may have run before, only a person says that it runs again. */
export const approvesByMode = (
  verdict: CallVerdict | undefined,
  { startedBefore }: { startedBefore: boolean },
): boolean => isByMode(verdict) && !startedBefore;

/** A question is always put to the human, unless it is denied. */
async function questionOpinions(call: JudgedCall, { hostJudges, signal }: CallJudge): Promise<CallOpinion[]> {
  const denied = denialIn(await hostOpinions(hostJudges, call, signal));
  return [denied ?? { effect: 'ask' }];
}

/** @param owner what it is called on: a method of a class may need its fields */
function callPredicate(owner: unknown, predicate: unknown, call: JudgedCall, signal: AbortSignal | undefined): unknown {
  if (typeof predicate !== 'function') return true;
  const options = { ...call.context, toolCallId: call.toolCallId, abortSignal: signal };
  return Reflect.apply(predicate, owner, [copyOf(call.args), options]) as unknown;
}

async function readBoolean(
  { name, toolName, askedBy }: { name: string; toolName: string; askedBy: AskSource },
  ask: () => unknown,
  signal: AbortSignal | undefined,
): Promise<CallOpinion[]> {
  try {
    const answer = await inTime(ask(), signal);
    if (answer === false) return [];
    if (answer === true) return [{ effect: 'ask', askedBy }];
    warnJudging({ name, toolName }, `returned ${toldKind(answer)}, not a boolean`);
    return [{ effect: 'ask', askedBy, reason: `${name} returned ${typeof answer}, not a boolean` }];
  } catch (error) {
    warnJudging({ name, toolName, signal }, failedBy(error));
    return [{ effect: 'ask', askedBy, reason: `${name} failed: ${messageOf(error)}` }];
  }
}

async function hostOpinions(
  hostJudges: readonly HostJudge[],
  call: JudgedCall,
  signal: AbortSignal | undefined,
): Promise<CallOpinion[]> {
  const opinions: CallOpinion[] = [];
  for (const hostJudge of hostJudges) opinions.push(...(await readStatus(hostJudge, call, signal)));
  return opinions;
}

/** The four statuses of AI SDK 7. */
async function readStatus(
  hostJudge: HostJudge,
  call: JudgedCall,
  signal: AbortSignal | undefined,
): Promise<CallOpinion[]> {
  try {
    return opinionsOf(await inTime(hostJudge(call), signal));
  } catch (error) {
    warnJudging({ name: 'toolApproval', toolName: call.toolName, signal }, failedBy(error));
    return [{ effect: 'ask', askedBy: 'toolApproval', reason: `toolApproval failed: ${messageOf(error)}` }];
  }
}

function opinionsOf(answer: unknown): CallOpinion[] {
  if (answer === undefined) return [];
  const isObject = typeof answer === 'object' && answer !== null;
  const status = isObject ? ownValue(answer, 'type') : answer;
  const given = ownValue(answer, 'reason');
  const reason = typeof given === 'string' ? given : undefined;
  switch (status) {
    case 'not-applicable':
    case 'approved':
      return [];
    case 'denied':
      return [{ effect: 'deny', reason: reason ?? 'Denied by toolApproval.' }];
    case 'user-approval':
      return [{ effect: 'ask', askedBy: 'toolApproval', ...(reason === undefined ? {} : { reason }) }];
    default:
      return [{ effect: 'ask', askedBy: 'toolApproval', reason: 'toolApproval returned something unknown' }];
  }
}
