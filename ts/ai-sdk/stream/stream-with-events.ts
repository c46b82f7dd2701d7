import { isPromise } from 'node:util/types';
import type { ToolSet } from 'ai';
import type * as Api from '../../../index.js';
import type { AgentLike, AgentRun, InterruptOn, RunOptions } from '../../../index.js';
import { InvalidConfigError, UnsupportedAgentError } from '../../errors/index.js';
import { CallAsker } from '../../gate/asker.js';
import { checkRunId } from '../../gate/run-ids.js';
import { refuseMisplaced, takePassedOn } from '../../options/check.js';
import { checkForm } from '../../options/forms.js';
import { kindOf } from '../../options/names.js';
import { nearestOf } from '../../options/nearest.js';
import { agentClassOf, isOfSdk } from '../sdk/agent-class.js';
import { IterableRun } from './agent-run.js';
import { arrangedTools } from '../tools/arranged-tools.js';
import { checkModel } from '../sdk/check-model.js';
import { checkInstalled } from '../sdk/installed.js';
import { checkUnanswered } from '../messages/left-calls.js';
import { originOf, parentOf } from '../tools/parent.js';
import { misplacedEntry, misplacedTools } from '../tools/misplaced-entry.js';
import type { ParentRun } from '../tools/parent-run.js';
import { planFor, warnAtStart, warnUnanswered } from '../tools/plan.js';
import { refuseQuestions } from '../tools/questions.js';
import type { OpenCall } from '../run/run-options.js';
import { loadSdk, type CallOptions, type LoadedSdk, type SdkVersion, type StreamResult } from '../sdk/sdk.js';
import { hostJudgeOf } from '../tools/host-judge.js';
import { takeCall, takeTools } from '../tools/tool-set.js';
import { copyToolSet, isRecord } from '../tools/tools.js';
import { timeLimitOf } from '../tools/time-limit.js';
import { changesBy } from '../sdk/hooks.js';
import { SDK_OPTIONS, warnNotRead } from '../sdk/not-read.js';
import { toldValue } from '../../errors/told-value.js';
import { warnOnce } from '../../errors/warn-once.js';
import { untilAborted } from '../../values/in-time.js';

type RunPlace = 'streamWithEvents' | 'resume';

type EventCallback = (event: never) => unknown;

/** Which options are ours; everything else is the SDK's. */
type OwnOptions = RunOptions<ToolSet> & { agent?: AgentLike };

/** @see types/ */
export const streamWithEvents: typeof Api.streamWithEvents = (options: object) =>
  runOf(options, 'streamWithEvents') as never;

/**
 * A run of these options.
 *
 * @param place who made it. `resume`: the ledger has it, and it goes on from there
 */
export function runOf(given: object, place: RunPlace): AgentRun {
  checkInstalled(place);
  const { options, unknown } = takePassedOn(
    place,
    given,
    SDK_OPTIONS,
    (name) => misplacedEntry(place, toolsIn(given), name),
    (value) => misplacedTools(place, toolsIn(given), value),
  );
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
    reviewer,
    hideDeniedTools = false,
    approvalTimeout,
    parent: parentOptions,
    place: paths,
    runId: ownRunId,
    requester,
    origin: ownOrigin,
    unanswered,
    maxSteps,
    includeRawParts = false,
    logger,
    ...call
  } = options as OwnOptions & CallOptions;
  const parent = parentOf(
    { parent: parentOptions, gate, onApprovalRequest, askOrder, reviewer, runId: ownRunId, requester },
    place,
  );
  const runId = parent === undefined ? checkRunId(ownRunId ?? crypto.randomUUID(), place) : parent.childId();
  const origin = parent === undefined ? ownOrigin : originOf(parent, ownOrigin, place);
  const interruptOn = ownInterruptOn ?? (parent?.inheritance.interruptOn as typeof ownInterruptOn);
  // What is inherited was made for the tools of another.
  const unknownTools = ownInterruptOn === undefined && parent !== undefined ? 'ignore' : ownUnknownTools;
  checkCall(call, agent, place);
  const source = agent === undefined ? ofStreamText(call, place) : ofAgent(agent, call, place);
  const asker = new CallAsker(
    runId,
    {
      gate,
      policy,
      reviewer,
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
  );
  const planned = {
    interruptOn: interruptOn as InterruptOn | undefined,
    unknownTools,
    unknownInPolicies: ownUnknownTools,
    place,
    judgesAll: asker.judgesAll,
    mayJudgeAll: asker.mayJudgeAll,
    hostJudges: hostJudgeOf(source.toolApproval, call, source.tools, {
      place,
      unknownTools: source.mayChangeTools ? 'ignore' : unknownTools,
    }),
    inherited: parent?.inheritance,
    isInherited: ownInterruptOn === undefined,
  };
  /** With all that can be told of them, once it is known which ones there are. */
  const plan = (tools: ToolSet, areAll = true) => {
    if (parent !== undefined) refuseQuestions(tools, place);
    if (!areAll) return planFor({ ...planned, unknownTools: 'ignore', tools });
    const made = planFor({ ...planned, tools });
    warnAtStart(made, { ...planned, tools }, asker);
    return made;
  };
  // Mistakes in the configuration are told here, at the call, not in the middle of a run.
  const first = plan(source.tools, !source.mayChangeTools);
  if (parent === undefined) warnUnanswered({ tools: source.tools, place }, asker);
  return new IterableRun({
    sdk: async () => {
      const sdk = await loadSdk();
      warnNotTaken(unknown, options, sdk.version, place);
      checkModel(source.model, sdk.version, place);
      return sdk;
    },
    asker,
    // Those of an agent are known when its first call is prepared.
    plan: (tools) => (tools === source.tools && !source.mayChangeTools ? first : plan(tools)),
    unknownTools,
    interruptOn: interruptOn as InterruptOn | undefined,
    maxSteps,
    unanswered: checkUnanswered(unanswered, place),
    hideDeniedTools,
    signal: signalOf(call['abortSignal'] as AbortSignal | undefined, parent),
    timeLimit: source.timeLimit,
    parent,
    includeRaw: includeRawParts,
    call,
    open: source.open,
    prepare: source.prepare,
    resumes: place === 'resume' || (parent?.resumes === true && 'maybe'),
    isNamed: ownRunId !== undefined,
    callbacks: source.callbacks,
  }) as unknown as AgentRun;
}

/** Those of the call, or of its agent, as they were given. */
function toolsIn(given: object): unknown {
  const { tools, agent } = given as { tools?: unknown; agent?: unknown };
  return tools ?? (isRecord(agent) ? agent['tools'] : undefined);
}

/** What the SDK would say late, and not say what to do. @throws {InvalidConfigError} */
function checkCall(call: CallOptions, agent: AgentLike | undefined, place: string): void {
  const { model, prompt, messages, onError, abortSignal } = call;
  const wrong = (message: string) => new InvalidConfigError({ message: `${place}: ${message}` });
  if (agent === undefined && model === undefined)
    throw wrong(
      "model must be given: a model of a provider's package, or its name, such as 'anthropic/claude-sonnet-4.5'.",
    );
  if (onError !== undefined && typeof onError !== 'function')
    throw wrong(`onError must be a function, not ${kindOf(onError)}: what fails would be told nobody.`);
  checkForm('signal', abortSignal, `${place}: abortSignal`);
  if (prompt !== undefined && typeof prompt !== 'string' && !Array.isArray(prompt))
    throw wrong(`prompt must be a text or a list of messages, not ${toldValue(prompt)}.`);
  checkMessages(messages, `${place}: messages`);
  if (prompt !== undefined && messages !== undefined)
    throw wrong(
      "give prompt or messages, not both: messages: [...messages, { role: 'user', content: prompt }] has the prompt at its end.",
    );
  if (agent === undefined && place !== 'resume' && prompt === undefined && messages === undefined)
    throw wrong('prompt or messages must be given: what is the model to do?');
}

/** @throws {InvalidConfigError} for what the SDK would refuse in words that do not say what to do */
function checkMessages(messages: unknown, place: string): void {
  if (messages === undefined) return;
  const wrong = (message: string) => new InvalidConfigError({ message: `${place}${message}` });
  if (isPromise(messages)) throw wrong(' is a promise: await it, as in await convertToModelMessages(uiMessages).');
  if (!Array.isArray(messages)) throw wrong(` must be a list of messages, not ${toldValue(messages)}.`);
  for (const [at, message] of (messages as unknown[]).entries()) {
    if (!isRecord(message)) throw wrong(`[${at}] must be a message, not ${toldValue(message)}.`);
    if (Array.isArray(message['parts']) && message['content'] === undefined)
      throw wrong(' are those of a UI, such as useChat has: give await convertToModelMessages(messages).');
    if (typeof message['content'] !== 'string' && !Array.isArray(message['content']))
      throw wrong(`[${at}] must have content, a text or a list of parts.`);
  }
}

function signalOf(own: AbortSignal | undefined, parent: ParentRun | undefined): AbortSignal | undefined {
  if (parent === undefined) return own;
  return own === undefined ? parent.signal : AbortSignal.any([own, parent.signal]);
}

/** What the loop does itself where the SDK does not know it. */
const OF_THE_LOOP: ReadonlySet<string> = new Set(['toolApproval']);

/** Warns of options that neither we know nor this version of the SDK. */
function warnNotTaken(unknown: readonly string[], options: object, version: SdkVersion, place: string): void {
  const own = new Set(unknown);
  for (const name of Object.keys(options)) {
    const isTheirs = SDK_OPTIONS.has(name) && !version.optionNames.has(name) && !OF_THE_LOOP.has(name);
    if (!(isTheirs || own.has(name)) || (options as Record<string, unknown>)[name] === undefined) continue;
    const near = nearestOf(name, version.optionNames);
    warnOnce(
      `option:${place}:${name}`,
      `${place}: neither countersign nor AI SDK ${version.major} knows the option ${JSON.stringify(name)}${near === undefined ? '.' : `: did you mean ${JSON.stringify(near)}?`}`,
    );
  }
}

interface RunSource {
  tools: ToolSet;
  /** A hook of the agent may add to them: which names they have is known when its first call is prepared. */
  mayChangeTools: boolean;
  model: unknown;
  /** The user's own `toolApproval` of the SDK. */
  toolApproval: unknown;
  open: (sdk: LoadedSdk) => OpenCall;
  /** The options of a call, before any is made. */
  prepare: (sdk: LoadedSdk, signal: AbortSignal) => Promise<CallOptions>;
  callbacks: (names: readonly string[]) => EventCallback[];
  /** Of each call, in ms. */
  timeLimit: number | undefined;
}

function ofStreamText(given: CallOptions, place: string): RunSource {
  const call = takeCall(given, place);
  return {
    tools: (call['tools'] ?? {}) as ToolSet,
    mayChangeTools: false,
    model: call['model'],
    toolApproval: call['toolApproval'],
    open: (sdk) => async (change) => sdk.ai.streamText((await change(call)) as never),
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

function ofAgent(agent: AgentLike, given: CallOptions, place: RunPlace): RunSource {
  const agentClass = isToolLoopAgent(agent) ? agentClassOf(agent) : undefined;
  if (runsByItself(agent))
    throw new UnsupportedAgentError({
      message: `${place}: a deep agent runs by itself: call agent.${place}(${place === 'resume' ? '{ runId }' : '{ prompt }'}).`,
    });
  if (!isToolLoopAgent(agent) || agentClass === undefined) throw unsupportedAgent(place);
  const call = takeCall(given, place);
  refuseMisplaced(
    place,
    agent.settings,
    `${place}: agent.settings`,
    SDK_OPTIONS,
    (name) => misplacedEntry(place, agent.tools, name),
    (value) => misplacedTools(place, agent.tools, value),
  );
  warnNotRead(agent.settings, `${place}: agent.settings`, OF_AGENTS);
  const settings = takeCall(agent.settings, place);
  const shown = (agent.tools as ToolSet | undefined) ?? {};
  const tools = shown === agent.settings['tools'] ? (settings['tools'] as ToolSet) : takeTools(shown, place);
  const ownTools = settings['tools'] as ToolSet | undefined;
  // Nothing of the agent's runs before its calls pass the gate, no matter who has replaced what makes them.
  const unrun = ownTools === undefined ? {} : { tools: arrangedTools(ownTools, place) };
  let prepared: Promise<CallOptions> | undefined;
  let rounds = 0;
  const open =
    (sdk: LoadedSdk): OpenCall =>
    async (change, abortSignal) => {
      if (!isOfSdk(agentClass, sdk)) throw unsupportedAgent(place);
      const { version } = sdk;
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
      let isPrepared = false;
      const prepareCall = async (base: CallOptions): Promise<CallOptions> => {
        // Once per run: a hook that adds to the messages would add to them in every round.
        prepared ??= preparedBy(settings.prepareCall, base);
        // A promise that never settles must not hold up an abort or a time limit.
        changed = await change({
          ...(await untilAborted(prepared, abortSignal)),
          onError: call['onError'] ?? settings['onError'],
        });
        isPrepared = true;
        return changed;
      };
      const inner = Object.create(agent, {
        settings: { value: { ...settings, ...unrun, ...silence, prepareCall } },
      }) as AgentInside;
      const relays = ours.map(
        (name) => [name, (event: never) => (changed[name] as EventCallback | undefined)?.(event)] as const,
      );
      const options = { ...call, ...silence, ...Object.fromEntries(relays), abortSignal };
      const opened = await (Reflect.apply(agentClass.stream, inner, [options]) as PromiseLike<StreamResult>);
      if (!isPrepared) throw unsupportedAgent(place);
      return opened;
    };
  /** The hook may put tools into the set that it gets: it has one of its own, and the tools are taken when it is done. */
  const preparedBy = async (
    hook: ((options: CallOptions) => unknown) | undefined,
    base: CallOptions,
  ): Promise<CallOptions> => {
    const own = base['tools'] === undefined ? base : { ...base, tools: copyToolSet(base['tools'] as ToolSet) };
    const said = (changesBy('prepareCall', await hook?.(own), place) ?? own) as CallOptions;
    refuseMisplaced(place, said, `${place}: prepareCall`, SDK_OPTIONS);
    warnNotRead(said, `${place}: prepareCall`, [...OF_AGENTS, ...Object.keys(base)]);
    return takeCall(said, place);
  };
  const prepare = async (sdk: LoadedSdk, signal: AbortSignal): Promise<CallOptions> => {
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
      throw new UnsupportedAgentError({
        message: `${place}: the agent does not prepare its calls. Give its tools to gateTools, and call the agent yourself.`,
      });
    return made;
  };
  return {
    tools,
    mayChangeTools: typeof settings.prepareCall === 'function',
    model: settings['model'],
    toolApproval: settings['toolApproval'],
    open,
    prepare,
    callbacks: (names) => [...firstOf(settings, names), ...firstOf(call, names)],
    timeLimit: timeLimitOf(call, settings),
  };
}

/** What an agent has beside the options of its calls. */
const OF_AGENTS: readonly string[] = ['id', 'callOptionsSchema', 'prepareCall', 'version'];

const unsupportedAgent = (place: string) =>
  new UnsupportedAgentError({
    message: `${place}: agent must be a ToolLoopAgent of AI SDK 6 or 7, whose stream and prepareCall are the SDK's own. For another agent, give it gateTools(tools, …) and call it yourself.`,
  });

const runsByItself = (agent: unknown): boolean =>
  typeof (agent as { streamWithEvents?: unknown } | null)?.streamWithEvents === 'function';

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
function firstOf(options: CallOptions, names: readonly string[]): EventCallback[] {
  const found = names.map((name) => options[name]).find((value) => typeof value === 'function');
  return found === undefined ? [] : [found as EventCallback];
}
