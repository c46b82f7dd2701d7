/**
 * Says whether one call must be asked about. The configuration was compiled by the core into one `Gating` per tool; what
 * is left to JavaScript functions is asked here, and whatever goes wrong with them asks a human.
 */
import type { Tool } from 'ai';
import type { InterruptOptions } from '../../index.js';
import { messageOf } from '../errors/message-of.js';
import { toldKind } from '../errors/told-value.js';
import { failedBy, warnJudging } from './warn-judging.js';
import type { Gating } from '../native.js';
import { annotationsOf, ruleNameOf } from '../policy/foreign.js';
import type { Policies } from '../policy/policies.js';
import { approvalsNow } from '../policy/very-tool.js';
import type { CallVerdict } from './call-verdict.js';
import type { GateControl } from './control.js';
import { inTime } from '../values/in-time.js';
import { copyOf, type ValueSnapshot } from '../values/snapshot.js';
import { STRICTNESS } from '../values/strictness.js';
import { allOf, whoOf } from './who.js';

export type { CallVerdict } from './call-verdict.js';

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
  inherited?: ((call: JudgedCall) => Promise<CallVerdict>) | undefined;
  /** Grants for a run are those of the main one. */
  runId: string | undefined;
  /** Whether the call asks the human something: then only a denial counts. */
  isQuestion?: boolean | undefined;
  /** It does nothing itself: it starts agents, whose calls are judged one by one. */
  startsAgents?: boolean | undefined;
}

/** What is asked beside the policies. */
export type InterruptJudge = Pick<CallJudge, 'gating' | 'entry' | 'tool' | 'hostJudges' | 'signal'>;

/** The verdict of everything that judges. */
export async function judge(call: JudgedCall, by: CallJudge): Promise<CallVerdict> {
  const { control, policies, signal, tool, inherited, isQuestion, startsAgents } = by;
  const asked = async (): Promise<CallVerdict> => {
    if (isQuestion === true) return questionVerdict(call, by);
    const own = await interruptVerdict(call, by);
    return inherited === undefined || own.effect === 'deny' ? own : strictest(own, await inherited(call));
  };
  const { toolCallId, toolName, args } = call;
  const ruleName = ruleNameOf(toolName, tool);
  const annotations = annotationsOf(tool);
  return control.judge(
    { toolCallId, toolName, ruleName, args, annotations, signal, runId: by.runId, isQuestion, startsAgents },
    policies,
    asked,
  );
}

/**
 * The strictest of what `interruptOn` with the tool itself and the host's `toolApproval` say: neither opens what the other closes.
 * Whichever of them asks, who must agree does.
 */
export async function interruptVerdict(call: JudgedCall, by: InterruptJudge): Promise<CallVerdict> {
  const host = await hostVerdict(by.hostJudges, call, by.signal);
  const verdict = host.effect === 'deny' ? host : strictest(host, await ownVerdict(call, by));
  const who = verdict.effect === 'ask' ? whoOf(by.gating) : undefined;
  return who === undefined ? verdict : ({ ...verdict, who } as CallVerdict);
}

async function ownVerdict(call: JudgedCall, by: InterruptJudge): Promise<CallVerdict> {
  switch (by.gating.action) {
    case 'allow':
      return isByName(by.gating) ? NOTHING : toolVerdict(call, by, false);
    case 'ask':
      return { effect: 'ask' };
    case 'judge':
      return readBoolean(
        { name: 'shouldApprove', toolName: call.toolName },
        () => callPredicate(by.entry, by.entry?.shouldApprove, call, by.signal),
        by.signal,
      );
    case 'own':
      return toolVerdict(call, by, ownApprovalOf(by));
  }
}

/** As the tool had it when it was gated. */
const ownApprovalOf = ({ gating, tool }: InterruptJudge): unknown =>
  Object.hasOwn(gating, 'needsApproval') ? gating.needsApproval : tool?.needsApproval;

/**
 * The stricter of what the tool said when it was gated and of what it says now: what it became since, or says at another look, closes
 * it, as it does for the AI SDK, and opens nothing.
 *
 * @param then its `needsApproval` when it was gated
 */
async function toolVerdict(call: JudgedCall, { tool, signal }: InterruptJudge, then: unknown): Promise<CallVerdict> {
  let verdict = NOTHING;
  for (const [said, owner] of new Map([[then, tool], ...approvalsNow(tool)])) {
    if (said === false) continue;
    const answer = readBoolean(
      { name: 'needsApproval', toolName: call.toolName },
      () => callPredicate(owner, said, call, signal),
      signal,
    );
    verdict = strictest(verdict, await answer);
  }
  return verdict;
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

/** The stricter of two; of equals the first. Where both ask, all must agree that either names. */
export function strictest(left: CallVerdict, right: CallVerdict): CallVerdict {
  if (left.effect === 'ask' && right.effect === 'ask') return { ...left, who: allOf(left.who, right.who) };
  return STRICTNESS[right.effect] > STRICTNESS[left.effect] ? right : left;
}

/** A question is put to the human whatever else is said of it, unless it is denied. */
async function questionVerdict(call: JudgedCall, { hostJudges, signal }: CallJudge): Promise<CallVerdict> {
  const said = await hostVerdict(hostJudges, call, signal);
  return said.effect === 'deny' ? said : { effect: 'ask', floor: true };
}

/** @param owner what it is called on: a method of a class may need its fields */
function callPredicate(owner: unknown, predicate: unknown, call: JudgedCall, signal: AbortSignal | undefined): unknown {
  if (typeof predicate !== 'function') return true;
  const options = { ...call.context, toolCallId: call.toolCallId, abortSignal: signal };
  return Reflect.apply(predicate, owner, [copyOf(call.args), options]) as unknown;
}

async function readBoolean(
  { name, toolName }: { name: string; toolName: string },
  ask: () => unknown,
  signal: AbortSignal | undefined,
): Promise<CallVerdict> {
  try {
    const answer = await inTime(ask(), signal);
    if (answer === false) return { effect: 'allow' };
    if (answer === true) return { effect: 'ask' };
    warnJudging({ name, toolName }, `returned ${toldKind(answer)}, not a boolean`);
    return { effect: 'ask', reason: `${name} returned ${typeof answer}, not a boolean` };
  } catch (error) {
    warnJudging({ name, toolName, signal }, failedBy(error));
    return { effect: 'ask', reason: `${name} failed: ${messageOf(error)}` };
  }
}

const NOTHING: CallVerdict = { effect: 'allow' };

/** The strictest that they say. */
async function hostVerdict(
  hostJudges: readonly HostJudge[],
  call: JudgedCall,
  signal: AbortSignal | undefined,
): Promise<CallVerdict> {
  let verdict = NOTHING;
  for (const hostJudge of hostJudges) verdict = strictest(verdict, await readStatus(hostJudge, call, signal));
  return verdict;
}

/** The four statuses of AI SDK 7. */
async function readStatus(
  hostJudge: HostJudge,
  call: JudgedCall,
  signal: AbortSignal | undefined,
): Promise<CallVerdict> {
  try {
    return verdictOf(await inTime(hostJudge(call), signal));
  } catch (error) {
    warnJudging({ name: 'toolApproval', toolName: call.toolName, signal }, failedBy(error));
    return { effect: 'ask', reason: `toolApproval failed: ${messageOf(error)}` };
  }
}

function verdictOf(answer: unknown): CallVerdict {
  if (answer === undefined) return NOTHING;
  const own = (name: string): unknown =>
    Object.hasOwn(answer as object, name) ? (answer as Record<string, unknown>)[name] : undefined;
  const isObject = typeof answer === 'object' && answer !== null;
  const status = isObject ? own('type') : answer;
  const given = isObject ? own('reason') : undefined;
  const reason = typeof given === 'string' ? given : undefined;
  switch (status) {
    case 'not-applicable':
    case 'approved':
      return NOTHING;
    case 'denied':
      return { effect: 'deny', reason: reason ?? 'Denied by toolApproval.' };
    case 'user-approval':
      return reason === undefined ? { effect: 'ask' } : { effect: 'ask', reason };
    default:
      return { effect: 'ask', reason: 'toolApproval returned something unknown' };
  }
}
