/** How a run goes on that the ledger has: what was kept is taken up, and the last step as far as its calls have no result. */
import type { ModelMessage } from 'ai';
import { RunError } from '../../errors/index.js';
import type { LocalGate } from '../../gate/gate.js';
import type { RawRecord } from '../../native.js';
import { editedArgs, isTurnEnd, toRecord } from '../../gate/records.js';
import { snapshot, type ValueSnapshot } from '../../values/snapshot.js';
import { isCaller } from '../tools/callers.js';
import type { RunConversation } from './conversation.js';
import type { RunDrift } from '../tools/fingerprints.js';
import { rerunId, withNote, withoutReruns, withRequests, withResults, type CallResult } from '../messages/history.js';
import type { Keeping } from './keeping.js';
import { cancelParts } from '../gating/left-parts.js';
import { callsIn, openStepOf, planFor, wasStarted, type OpenStep, type OpenCallPlan } from '../messages/open-step.js';
import type { OwnEvent } from '../sdk/own-events.js';
import { INTERRUPTED_TOOL, noteOn } from '../messages/reasons.js';
import type { RequestedCall, ModelRound } from './round.js';
import { resultOf } from '../saved/saved-step.js';
import type { CallOptions, StreamPart } from '../sdk/sdk.js';
import type { RunSetup } from './setup.js';
import { signApproval } from '../sdk/signature.js';
import { executes, isTask, ownTool } from '../tools/tools.js';

export interface ContinueOptions {
  gate: LocalGate;
  runId: string;
  keeping: Keeping;
  conversation: RunConversation;
  prepare: () => PromiseLike<CallOptions>;
  /** @param alsoGuarded tools that were asked about before */
  setUp: (callOptions: CallOptions, alsoGuarded: ReadonlySet<string>) => RunSetup;
  newRound: (number: number) => ModelRound;
  tell: (event: OwnEvent) => void;
  /** Told of each call that has no result. */
  onOpen: (toolCallId: string) => void;
}

/** A round that was read before, and what is to be done about its calls. */
export interface ContinuedRound {
  round: ModelRound;
  plans: { asked: RequestedCall; plan: OpenCallPlan }[];
}

/** Fails when the run is another process', is over, or cannot be read. Asks no human yet. */
export async function continueRun(options: ContinueOptions): Promise<ContinuedRound> {
  const { gate, runId, keeping, conversation, prepare, setUp, newRound, tell, onOpen } = options;
  const taken = keeping.took(await gate.runs.takeRun(runId));
  const kept = { ...taken, messages: withoutReruns(taken.messages) };
  const step = openStepOf(kept.messages);
  const callOptions = await prepare();
  conversation.restore(kept);
  const setup = setUp(callOptions, askedIn(step));
  await gate.runs.interrupt(runId);
  const all = await gate.runs.records(runId);
  const records = new Map(all.map((record) => [record.toolCallId, record]));
  // Also what was asked about again since, and by whomever.
  const started = new Set(all.filter(wasStarted).map(({ toolCallId }) => toolCallId));
  setup.decisions.recall(all);
  const drift = await keeping.drift(kept.state, setup);
  const round = newRound(kept.state.round);
  round.calls = step.calls;
  round.goesOn = !step.isAnswer;
  restoreCalls(kept.messages, setup);
  tell({
    type: 'run-resumed',
    runId,
    steps: conversation.steps.length,
    messages: [...kept.messages],
    drift: { tools: drift.tools, prompt: drift.prompt },
    interrupted: step.open.flatMap(({ call: { toolCallId = '' } }) => (started.has(toolCallId) ? [toolCallId] : [])),
  });
  for (const { call } of step.open) onOpen(call.toolCallId ?? '');
  // A tool that calls others makes its calls again when it runs again: the earlier ones must not be answered.
  const callers = step.open.filter(({ call }) => isCaller(ownTool(setup.guard.tools, call.toolName ?? '')));
  if (callers.length > 0) {
    const ids = callers.map(({ call: { toolCallId = '' } }) => toolCallId);
    await cancelParts(gate, runId, ids);
  }
  const forged = forgedRequests(step, setup);
  const { plans, results } = takeUp({ runId, step, round, all, records, drift, forged, setup, tell });
  for (const result of results) tellResult(result, step.calls, conversation, tell);
  conversation.messages = withRequests(withResults(conversation.messages, results), [...forged.values()]);
  return { round, plans };
}

/** The tools of the calls that were asked about and have no result. */
function askedIn({ open }: OpenStep): Set<string> {
  return new Set(open.flatMap(({ call, request }) => (request === undefined ? [] : [String(call.toolName)])));
}

/** What was called before: no call may have the id of another, and none runs without an approval of its own. */
function restoreCalls(messages: readonly ModelMessage[], { guard, requests }: RunSetup): void {
  for (const { toolCallId = '', toolName = '', input } of callsIn(messages)) {
    requests.saw(toolCallId);
    if (guard.guards(toolName)) guard.restore(toolCallId, snapshot(input), { toolCallId, messages }, toolName);
  }
}

/** As if a human had been asked and had approved: only so does the SDK run a call of a conversation that it is given. */
function forgedRequests({ open }: OpenStep, { sdk, callOptions, guard }: RunSetup): Map<string, StreamPart> {
  const secret = callOptions['experimental_toolApprovalSecret'] as string | Uint8Array | undefined;
  return new Map(
    open.flatMap(({ call, request }) => {
      const { toolCallId = '', toolName = '', input } = call;
      if (request !== undefined || !isTask(ownTool(guard.tools, toolName))) return [];
      const approvalId = rerunId();
      const approval = { approvalId, toolCallId, toolName, input };
      const signature = secret === undefined ? {} : { signature: signApproval(sdk.version, secret, approval) };
      return [[toolCallId, { type: 'tool-approval-request', approvalId, toolCall: call, ...signature }]];
    }),
  );
}

interface SavedRound {
  runId: string;
  step: OpenStep;
  round: ModelRound;
  all: readonly RawRecord[];
  /** The last that the ledger has of each call. */
  records: ReadonlyMap<string, RawRecord>;
  drift: RunDrift;
  /** Requests for calls of tools that start other agents: what was cut off there goes on. */
  forged: ReadonlyMap<string, StreamPart>;
  setup: RunSetup;
  tell: (event: OwnEvent) => void;
}

/** Each open call: its request is the round's again, or it has a result by now. */
function takeUp({ runId, step, round, all, records, drift, forged, setup: { guard, requests }, tell }: SavedRound) {
  const isStopped = step.open.some(({ call: { toolCallId = '' } }) => isTurnEnd(records.get(toolCallId)?.decision));
  const plans: ContinuedRound['plans'] = [];
  const results: CallResult[] = [];
  for (const { call, request: asked } of step.open) {
    const { toolCallId = '', toolName = '' } = call;
    tell({ type: 'call-open', call });
    const request = asked ?? forged.get(toolCallId);
    if (request === undefined) {
      // Without an `execute` it is for the client to answer.
      if (!executes(guard.tools, toolName)) continue;
      results.push({ toolCallId, toolName, output: { type: 'error-text', value: INTERRUPTED_TOOL } });
      continue;
    }
    if (asked === undefined) {
      requests.add(round, request);
      plans.push({ asked: round.requested.at(-1) as RequestedCall, plan: { do: 'rerun' } });
      continue;
    }
    const plan = planFor(records.get(toolCallId), {
      drift: driftOf(toolName, drift),
      isThere: call.providerExecuted === true || ownTool(guard.tools, toolName) !== undefined,
      isAmbiguous: requests.isAmbiguous(toolCallId),
      isStopped,
    });
    if (plan.do === 'refuse') {
      throw new RunError({
        code: 'ERR_RUN_ACTIVE',
        message: `The call ${JSON.stringify(toolCallId)} of the run ${JSON.stringify(runId)} is being executed by a process that lives. Continue the run when it has ended.`,
      });
    }
    if (plan.do === 'tell') results.push(resultFor(toolCallId, toolName, plan));
    // A tool that the provider has run has nothing left to be decided.
    else if (requests.add(round, request) !== undefined) {
      const added = round.requested.at(-1) as RequestedCall;
      added.started = startedIn(all, toolCallId);
      plans.push({ asked: added, plan });
    }
  }
  return { plans, results };
}

/** What processes that are gone had started of a call: with a human's arguments, it is those. */
const startedIn = (all: readonly RawRecord[], toolCallId: string): ValueSnapshot[] =>
  all
    .filter((each) => each.toolCallId === toolCallId && each.status === 'interrupted')
    .map(toRecord)
    .map((record) => snapshot(editedArgs(record)?.args ?? record.args));

function resultFor(
  toolCallId: string,
  toolName: string,
  { record, output, edited }: OpenCallPlan & { do: 'tell' },
): CallResult {
  const isEdited = edited !== undefined;
  const note = record.decision === null ? undefined : noteOn(record.decision, record.via, { isEdited });
  const result = { toolCallId, toolName, output: note === undefined ? output : withNote(output, note) };
  return edited === undefined ? result : { ...result, input: { value: edited.args } };
}

function tellResult(
  { toolCallId, toolName, output, input }: CallResult,
  calls: readonly StreamPart[],
  conversation: RunConversation,
  tell: (event: OwnEvent) => void,
): void {
  const call = calls.find((part) => part.toolCallId === toolCallId) as StreamPart;
  const args = input === undefined ? call.input : input.value;
  const part = { ...resultOf({ type: 'tool-result', toolCallId, toolName, output }), input: args } as StreamPart;
  tell({ type: 'call-ended', part });
  const outcome = part.type === 'tool-error' ? { error: part.error } : { output: part.output };
  conversation.recordResult({ toolCallId, toolName, args, outcome });
}

/** What is written to the model is the same. */
const ADVICE_CHANGED =
  'Which calls need an approval (interruptOn, or whether there are rules) has changed since it was asked about, and so has what the model is told of that.';

/** Why a call of this tool is to be asked about again. */
function driftOf(toolName: string, { tools, prompt, onlyAdvice }: RunDrift): string | undefined {
  if (tools.includes(toolName)) return `The tool ${toolName} has changed since it was asked about.`;
  if (onlyAdvice) return ADVICE_CHANGED;
  return prompt ? 'The prompt of the run has changed since it was asked about.' : undefined;
}
