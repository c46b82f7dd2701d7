/**
 * What is kept of a run, and when: before somebody is asked, when a step ends, when what ran meanwhile has its result, and
 * at the run's own end. Only where the ledger is durable.
 */
import type { ModelMessage, ToolSet } from 'ai';
import { GateClosedError, RunError } from '../../errors/index.js';
import type { CallAsker } from '../../gate/asker.js';
import type { LocalGate } from '../../gate/gate.js';
import type { NativeSavedRun } from '../../native.js';
import type { Awaitable } from '../../values/awaitable.js';
import type { RunConversation } from './conversation.js';
import { driftBetween, fingerprintsOf, type RunDrift, type RunFingerprints } from '../tools/fingerprints.js';
import { RunKeeper } from '../saved/keep-run.js';
import type { ParentRun } from '../tools/parent-run.js';
import type { ModelRound } from './round.js';
import { decode, stateOf, type KeptRun } from '../saved/saved-run.js';
import type { SdkStep } from '../sdk/sdk.js';
import type { RunSetup } from './setup.js';
import { addUsage } from '../sdk/steps.js';
import { executes } from '../tools/tools.js';

export class Keeping {
  readonly #gate: LocalGate;
  readonly #runId: string;
  readonly #conversation: RunConversation;
  readonly #keeper: RunKeeper;
  readonly #parent: ParentRun | undefined;
  #fingerprints: Promise<RunFingerprints> | undefined;
  /** How many moments of steps that go on were looked at. */
  #moments = 0;
  /** The last of them that was given to be kept. */
  #last: { moment: number; kept: Promise<void> } | undefined;

  constructor(asker: CallAsker, conversation: RunConversation, parent: ParentRun | undefined) {
    const { gate, runId, unwritten } = asker;
    this.#gate = gate;
    this.#parent = parent;
    this.#runId = runId;
    this.#conversation = conversation;
    this.#keeper = new RunKeeper(gate.runs, runId, unwritten);
  }

  /** Whether the ledger knows this run as the one that this process continues. What waits in any other is not ours. */
  get isOurs(): boolean {
    return this.#keeper.isOurs;
  }

  /** It was taken from the ledger. Fails when it cannot be read. */
  took(saved: NativeSavedRun): KeptRun {
    return this.#keeper.took(saved);
  }

  /**
   * Of a run that is begun: a second begin, as a queue does with a job, would ask anew about what was
   * answered.
   *
   * @throws {RunError} where the ledger has it
   */
  async refuseIfKept(): Promise<void> {
    const saved = await this.#gate.runs.run(this.#runId);
    if (saved === null) return;
    const { active, status } = saved.info;
    const run = `The run ${JSON.stringify(this.#runId)}`;
    if (status === 'done' || status === 'cancelled')
      throw new RunError({
        code: 'ERR_RUN_OVER',
        message: `${run} is ${status}: start a new one under another runId.`,
      });
    throw active
      ? new RunError({
          code: 'ERR_RUN_ACTIVE',
          message: `${run} goes on in a process that lives: wait for it, or end it.`,
        })
      : new RunError({
          code: 'ERR_RUN_EXISTS',
          message: `${run} was begun before and can be continued: use resume({ gate, runId, … }), or start another under a runId of its own.`,
        });
  }

  /** A run that has ended, as it was kept; `undefined`: it has not. */
  async over(): Promise<KeptRun | undefined> {
    const saved = await this.#gate.runs.run(this.#runId);
    return saved?.info.status === 'done' ? decode(this.#runId, saved.entries, saved.state) : undefined;
  }

  /** Of the prompt and the tools that the run has in this process. */
  fingerprints({ callOptions, guard }: RunSetup): Promise<RunFingerprints> {
    this.#fingerprints ??= fingerprintsOf(callOptions, guard.tools, (name) => guard.asks(name));
    return this.#fingerprints;
  }

  /** What another process has kept against what there is here. */
  async drift(kept: RunFingerprints, setup: RunSetup): Promise<RunDrift> {
    const { callOptions, guard } = setup;
    // A call that waits here for the answer on its request waits as it did there, though no new one would be asked about.
    const guarded = await fingerprintsOf(callOptions, guard.tools, (name) => guard.guards(name));
    return driftBetween(kept, await this.fingerprints(setup), guarded);
  }

  // --- while it goes on ---------------------------------------------------------------------------------------------

  /** Keeps the run as it is between two rounds. Fails when it cannot be kept: then its calls may not be asked about. */
  async save(setup: RunSetup, round: ModelRound | undefined): Promise<void> {
    await this.#keeper.save(await this.#kept(setup, round));
  }

  /**
   * Keeps a step that goes on. Fails when it cannot be kept: then its calls may not be asked about.
   *
   * @param isRead whether the round is still being read, when it comes to writing
   * @returns whether it is kept: else its calls may not be asked about yet
   */
  async saveSoFar(setup: RunSetup, round: ModelRound, isRead: () => boolean): Promise<boolean> {
    if (round.soFar === undefined) return true;
    const moment = ++this.#moments;
    const { version } = setup.sdk;
    const messages = [
      ...version.messagesSoFar(round.ownSteps, round.first),
      ...(await round.soFar.messages(setup.guard.tools, version)),
    ];
    const kept = await this.#kept(setup, round, messages, round.steps);
    // The SDK may have said it itself meanwhile: that is kept when it has been read.
    if (!isRead() || round.finish !== undefined) return false;
    // An earlier moment that took longer to look at gives way to a later one.
    if (this.#last === undefined || moment > this.#last.moment) this.#last = { moment, kept: this.#keeper.save(kept) };
    await this.#last.kept;
    return true;
  }

  /** Keeps a step that has ended and after which the SDK goes on by itself. */
  saveStep(setup: RunSetup, round: ModelRound): void {
    const messages = setup.sdk.version.messagesSoFar(round.ownSteps, round.first);
    void this.#kept(setup, round, messages, round.steps)
      .then((kept) => this.#keeper.save(kept))
      // It is kept before somebody is asked, or not at all.
      .catch(this.#notKept);
  }

  /** From here on it stays as it was last kept. */
  stop(): void {
    this.#keeper.stop();
  }

  // --- at its end ---------------------------------------------------------------------------------------------------

  async done(setup: RunSetup, round: ModelRound): Promise<void> {
    await this.#keeper.end('done', this.#notKept, await this.#kept(setup, round));
  }

  /** It is cancelled, once nothing of it can start any more. Never rejects. */
  async cancelled(when: Awaitable<void>): Promise<void> {
    await when;
    await this.#keeper.end('cancelled', this.#notKept);
  }

  /** Also for a run that was never kept: it can be continued from its beginning. Never rejects. */
  async failed(setup: RunSetup | undefined, round: ModelRound | undefined): Promise<void> {
    try {
      await this.#keeper.end('failed', this.#notKept, setup === undefined ? undefined : await this.#kept(setup, round));
    } catch (error) {
      this.#notKept(error);
    }
  }

  /** Lets go of it as it was last kept, so that another process may continue it. Never rejects. */
  release(): Promise<void> {
    return this.#keeper.release(this.#notKept);
  }

  // --- what is kept -------------------------------------------------------------------------------------------------

  /** The run as it is at this moment, with what the current round has added so far. */
  async #kept(
    setup: RunSetup,
    round: ModelRound | undefined,
    added: readonly ModelMessage[] = [],
    steps: readonly SdkStep[] = [],
  ): Promise<KeptRun> {
    const fingerprints = this.fingerprints(setup);
    const { messages, marks, inputLength: input, usage, finishReason } = this.#conversation;
    const whole = [...messages, ...added];
    const allMarks = added.length === 0 ? marks : this.#conversation.marksWith(added, steps);
    const state = {
      sdk: setup.sdk.version.major,
      input,
      round: round?.number ?? 0,
      usage: steps.reduce((sum: unknown, step) => addUsage(sum, step.usage), usage),
      finishReason: steps.at(-1)?.finishReason ?? finishReason,
    };
    // All that may change has been looked at by now.
    const kept = { messages: whole, marks: allMarks, state: stateOf({ ...state, ...(await fingerprints) }) };
    // The process that continues the parent must find the call, and by it this run.
    await this.#parent?.keep();
    return kept;
  }

  readonly #notKept = (error: unknown): void => {
    // A gate that is closed lets go of its runs by itself, and what is over is kept.
    const isExpected = GateClosedError.isInstance(error) || (error as { name?: unknown } | null)?.name === 'AbortError';
    if (!isExpected) this.#gate.notKept(this.#runId, error);
  };
}

/** Where the run is kept, a human is asked on what the SDK itself says of the step; unless another call still runs. */
export function isWorthAsking({ calls, soFar }: ModelRound, tools: ToolSet): boolean {
  if (soFar === undefined) return true;
  return calls.some(({ toolCallId, toolName, invalid, providerExecuted }) => {
    if (invalid === true || providerExecuted === true || !executes(tools, toolName as string)) return false;
    return !soFar.hasResult(toolCallId as string) && !soFar.isAskedAbout(toolCallId as string);
  });
}
