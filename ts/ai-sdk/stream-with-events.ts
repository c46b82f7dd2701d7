import type { ToolSet } from 'ai';
import type * as Api from '../../index.js';
import type { AgentLike, AgentRun, InterruptOn, RunOptions } from '../../index.js';
import { InvalidConfigError, UnsupportedAgentError } from '../errors/index.js';
import { Asker } from '../gate/asker.js';
import { checkRunId } from '../gate/run-ids.js';
import { interruptPlan } from '../native.js';
import { IterableRun } from './agent-run.js';
import { originOf, parentOf, type Parent } from './parent.js';
import { refuseQuestions } from './questions.js';
import type { OpenCall } from './run-options.js';
import { loadSdk, type CallOptions, type Sdk, type StreamResult } from './sdk.js';
import { warnUnknown } from './warnings.js';
import { timeLimitOf } from './time-limit.js';

type Callback = (event: never) => unknown;

/** Which options are ours; everything else is the SDK's. */
type OwnOptions = RunOptions<ToolSet> & { agent?: AgentLike };

/** @see index.d.ts */
export const streamWithEvents: typeof Api.streamWithEvents = (options: object) =>
  runOf(options, 'streamWithEvents', false) as never;

/**
 * A run of these options.
 *
 * @param place who made it, for messages
 * @param resumes whether the ledger has it, and it goes on from there
 */
export function runOf(options: object, place: string, resumes: boolean): AgentRun {
  if (typeof options !== 'object' || options === null) {
    throw new InvalidConfigError({ message: `${place}: pass an object of options.` });
  }
  const {
    agent,
    interruptOn: ownInterruptOn,
    unknownTools: ownUnknownTools,
    onApprovalRequest,
    onQuestion,
    askOrder,
    repeatedRejections,
    gate,
    policy,
    hideDeniedTools = false,
    approvalTimeout,
    parent: parentOptions,
    place: paths,
    runId: ownRunId,
    requester,
    origin: ownOrigin,
    maxSteps,
    includeRawParts = false,
    logger,
    ...call
  } = options as OwnOptions & CallOptions;
  if (maxSteps !== undefined && !(Number.isInteger(maxSteps) && maxSteps > 0)) {
    throw new InvalidConfigError({
      message: `${place}: maxSteps must be a whole number above 0, not ${String(maxSteps)}.`,
    });
  }
  const parent = parentOf(
    { parent: parentOptions, gate, onApprovalRequest, askOrder, runId: ownRunId, requester },
    place,
  );
  const runId = parent === undefined ? checkRunId(ownRunId ?? crypto.randomUUID(), place) : parent.childId();
  const origin = parent === undefined ? ownOrigin : originOf(parent, ownOrigin, place);
  const interruptOn = ownInterruptOn ?? (parent?.inheritance.interruptOn as typeof ownInterruptOn);
  // What is inherited was made for the tools of another.
  const unknownTools = ownInterruptOn === undefined && parent !== undefined ? 'ignore' : ownUnknownTools;
  checkCall(call, agent, place, resumes);
  const source = agent === undefined ? ofStreamText(call) : ofAgent(agent, call, place);
  const planFor = (tools: ToolSet) => {
    const made = interruptPlan(tools, interruptOn, unknownTools);
    warnUnknown(made.unknown);
    if (parent !== undefined) refuseQuestions(tools, place);
    return made;
  };
  // Mistakes in the configuration are told here, at the call, not in the middle of a run.
  const first = planFor(source.tools);
  const plan = (tools: ToolSet) => (tools === source.tools ? first : planFor(tools));
  return new IterableRun({
    sdk: loadSdk,
    asker: new Asker(
      runId,
      {
        gate,
        policy,
        onApprovalRequest,
        onQuestion,
        askOrder,
        repeatedRejections,
        approvalTimeout,
        requester,
        origin,
        logger,
        place: paths,
        parent: parent?.asker,
      },
      place,
    ),
    plan,
    interruptOn: interruptOn as InterruptOn | undefined,
    maxSteps,
    hideDeniedTools,
    signal: signalOf(call['abortSignal'] as AbortSignal | undefined, parent),
    timeLimit: source.timeLimit,
    parent,
    includeRaw: includeRawParts,
    call,
    open: source.open,
    prepare: source.prepare,
    resumes: resumes || (parent?.resumes === true && 'maybe'),
    callbacks: source.callbacks,
  }) as unknown as AgentRun;
}

/** What the SDK would say late, and not say what to do. @throws {InvalidConfigError} */
function checkCall(call: CallOptions, agent: AgentLike | undefined, place: string, resumes: boolean): void {
  const { model, prompt, messages } = call;
  const wrong = (message: string) => new InvalidConfigError({ message: `${place}: ${message}` });
  if (agent === undefined && model === undefined)
    throw wrong(
      "model must be given: a model of a provider's package, or its name, such as 'anthropic/claude-sonnet-4.5'.",
    );
  if (prompt !== undefined && messages !== undefined)
    throw wrong(
      "give prompt or messages, not both: messages: [...messages, { role: 'user', content: prompt }] has the prompt at its end.",
    );
  if (agent === undefined && !resumes && prompt === undefined && messages === undefined)
    throw wrong('prompt or messages must be given: what is the model to do?');
}

function signalOf(own: AbortSignal | undefined, parent: Parent | undefined): AbortSignal | undefined {
  if (parent === undefined) return own;
  return own === undefined ? parent.signal : AbortSignal.any([own, parent.signal]);
}

interface Source {
  tools: ToolSet;
  open: (sdk: Sdk) => OpenCall;
  /** The options of a call, before any is made. */
  prepare: (sdk: Sdk, signal: AbortSignal) => Promise<CallOptions>;
  callbacks: (names: readonly string[]) => Callback[];
  /** Of each call, in ms. */
  timeLimit: number | undefined;
}

function ofStreamText(call: CallOptions): Source {
  return {
    tools: (call['tools'] ?? {}) as ToolSet,
    open: (sdk) => async (change) => sdk.ai.streamText(change(call) as never),
    prepare: async () => call,
    callbacks: (names) => firstOf(call, names),
    timeLimit: timeLimitOf(call),
  };
}

/** A `ToolLoopAgent`, as both SDK versions build it: its settings, and a hook that sees the options of each call. */
interface AgentInside {
  readonly tools: ToolSet;
  settings: CallOptions & { prepareCall?: (options: CallOptions) => unknown };
  stream(options: CallOptions): PromiseLike<StreamResult>;
  prepareCall: unknown;
}

function ofAgent(agent: AgentLike, call: CallOptions, place: string): Source {
  if (!isToolLoopAgent(agent)) {
    throw new UnsupportedAgentError({
      message: `${place}: agent must be a ToolLoopAgent of AI SDK 6 or 7. For another agent, give it gateTools(tools, …) and call it yourself.`,
    });
  }
  const { settings } = agent;
  let prepared: Promise<CallOptions> | undefined;
  let rounds = 0;
  const open =
    ({ version }: Sdk): OpenCall =>
    async (change, abortSignal) => {
      // Each callback is passed once, by us: the agent must not call the user's own as well.
      const ours = [version.onStep[0], version.onFinish[0]] as string[];
      const silenced = [
        ...version.onStep,
        ...version.onFinish,
        'onAbort',
        ...(rounds++ === 0 ? [] : version.firstCallOnly),
      ];
      const silence = Object.fromEntries(silenced.map((name) => [name, undefined]));
      let changed: CallOptions = {};
      const prepareCall = async (base: CallOptions): Promise<CallOptions> => {
        // Once per run: a hook that adds to the messages would add to them in every round.
        prepared ??= Promise.resolve(settings.prepareCall?.(base)).then((own) => (own ?? base) as CallOptions);
        changed = change({ ...(await prepared), onError: call['onError'] ?? settings['onError'] });
        return changed;
      };
      const inner = Object.create(agent, {
        settings: { value: { ...settings, ...silence, prepareCall } },
      }) as AgentInside;
      const relays = ours.map(
        (name) => [name, (event: never) => (changed[name] as Callback | undefined)?.(event)] as const,
      );
      return inner.stream({ ...call, ...silence, ...Object.fromEntries(relays), abortSignal });
    };
  const prepare = async (sdk: Sdk, signal: AbortSignal): Promise<CallOptions> => {
    // The agent makes the options of a call by itself; what it does with them then is kept from it.
    const stop = new Error('The options of the agent are known.');
    const options: CallOptions[] = [];
    try {
      await open(sdk)((made) => {
        options.push(made);
        throw stop;
      }, signal);
    } catch (error) {
      if (error !== stop) throw error;
    }
    const [made] = options;
    if (made === undefined)
      throw new UnsupportedAgentError({ message: `${place}: the agent does not prepare its calls.` });
    return made;
  };
  return {
    tools: (agent.tools as ToolSet | undefined) ?? {},
    open,
    prepare,
    callbacks: (names) => [...firstOf(settings, names), ...firstOf(call, names)],
    timeLimit: timeLimitOf(call, settings),
  };
}

function isToolLoopAgent(agent: unknown): agent is AgentInside {
  if (typeof agent !== 'object' || agent === null) return false;
  const { settings, stream, prepareCall } = agent as Partial<AgentInside>;
  return (
    typeof settings === 'object' &&
    settings !== null &&
    typeof stream === 'function' &&
    typeof prepareCall === 'function'
  );
}

/** The first of these options that is a function: the SDK has newer and older names for one callback. */
function firstOf(options: CallOptions, names: readonly string[]): Callback[] {
  const found = names.map((name) => options[name]).find((value) => typeof value === 'function');
  return found === undefined ? [] : [found as Callback];
}
