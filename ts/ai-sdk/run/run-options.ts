/** What a run is made of. */
import type { ToolSet } from 'ai';
import type { InterruptOn } from '../../../index.js';
import type { CallAsker } from '../../gate/asker.js';
import type { InterruptPlan } from '../../native.js';
import type { Awaitable } from '../../values/awaitable.js';
import type { ParentRun } from '../tools/parent-run.js';
import type { CallOptions, LoadedSdk, StreamResult } from '../sdk/sdk.js';
import type { UnheardError } from '../sdk/unheard.js';

/** Opens one `streamText` call, from the options for this round. */
export type OpenCall = (
  change: (options: CallOptions) => Awaitable<CallOptions>,
  signal: AbortSignal,
) => PromiseLike<StreamResult>;

export interface RunOptions {
  sdk: () => Promise<LoadedSdk>;
  asker: CallAsker;
  plan: (tools: ToolSet) => InterruptPlan;
  interruptOn: InterruptOn | undefined;
  /** What is done about names that no tool has. */
  unknownTools: string | undefined;
  maxSteps: number | undefined;
  /** What becomes of requests of calls that the conversation has left behind. */
  unanswered: 'cancel' | 'keep';
  hideDeniedTools: boolean;
  signal: AbortSignal;
  /** Of each `streamText` call, in ms. */
  timeLimit: number | undefined;
  /** What the user passed for the SDK: its messages are the conversation until the first call is opened. */
  call: CallOptions;
  /** How a round is opened: with `streamText` or with an agent. */
  open: (sdk: LoadedSdk) => OpenCall;
  /** The same options before any call is opened: for a run that is continued. */
  prepare: (sdk: LoadedSdk, signal: AbortSignal) => PromiseLike<CallOptions>;
  /** Whether the ledger has this run, and it goes on from there; `maybe`: it is begun where the ledger does not know it. */
  resumes: boolean | 'maybe';
  /** Whether the user named it: then the ledger may have a run of that id. */
  isNamed: boolean;
  /** What it is a part of. */
  parent: ParentRun | undefined;
  /** Reports an unobserved failure. */
  unheard: UnheardError;
  /** The user's callbacks of the given names, from wherever they may stand. */
  callbacks: FindCallbacks;
}

export type FindCallbacks = (names: readonly string[]) => ((event: never) => unknown)[];
