/**
 * What a gate tells OpenTelemetry of the requests of this process. It makes nothing known but ids, names, kinds and times:
 * no arguments, no reasons, no messages of errors.
 */
import { AsyncResource } from 'node:async_hooks';
import type { ApprovalRequest, GateOptions, PolicyEffect, PolicyVerdict, Vote } from '../../index.js';
import { InvalidConfigError } from '../errors/index.js';
import { takeOptions } from '../options/check.js';
import { loadApi } from './api.js';
import { SpanRecorder, type DecisionReport, type ExecutionReport } from './recorder.js';

/** How much is remembered until the API is loaded. */
const MAX_WAITING = 10_000;

export class Telemetry {
  #recorder: SpanRecorder | undefined;
  readonly #loading: Promise<void>;
  /** What happened before the API was loaded; `undefined`: it is, or it cannot be. */
  #waiting: ((recorder: SpanRecorder) => void)[] | undefined = [];

  private constructor(tracer: unknown, meter: unknown) {
    this.#loading = this.#load(tracer, meter);
  }

  /** `undefined`: it is off. @throws {InvalidConfigError} */
  static from(options: GateOptions['telemetry']): Telemetry | undefined {
    if (options === undefined || options === false) return undefined;
    if (options !== true && (typeof options !== 'object' || options === null || Array.isArray(options)))
      throw wrong('telemetry must be true, false or { tracer, meter }.');
    const given = takeOptions('createGate: telemetry', options === true ? {} : options);
    const { tracer, meter, recordArguments } = given;
    if (tracer !== undefined && typeof tracer?.startSpan !== 'function')
      throw wrong('telemetry.tracer must be a Tracer of @opentelemetry/api.');
    if (meter !== undefined && typeof meter?.createHistogram !== 'function')
      throw wrong('telemetry.meter must be a Meter of @opentelemetry/api.');
    if (recordArguments !== undefined && recordArguments !== false)
      throw wrong('telemetry.recordArguments can only be false: arguments are not recorded.');
    return new Telemetry(tracer, meter);
  }

  /** This process is about to make a request: what is returned tells that it did, and remembers who asked. */
  asking(): (request: ApprovalRequest) => void {
    return AsyncResource.bind((request: ApprovalRequest) => this.#record((recorder) => recorder.asked(request)));
  }

  /** A request was decided, perhaps not one of this process. */
  decided(decision: DecisionReport): void {
    this.#record((recorder) => recorder.decided(decision));
  }

  /** An approval was counted, and more are needed. */
  voted(approvalId: string, vote: Pick<Vote, 'by' | 'via' | 'at'>): void {
    this.#record((recorder) => recorder.voted(approvalId, vote));
  }

  /** This process runs an approved call. To be called in the async context of the execution. */
  started(execution: ExecutionReport): void {
    const at = Date.now();
    this.#record((recorder) => recorder.started(execution, at));
  }

  settled(approvalId: string, succeeded: boolean): void {
    const at = Date.now();
    this.#record((recorder) => recorder.settled(approvalId, succeeded, at));
  }

  /** A call was judged. */
  judged(effect: PolicyEffect, said: PolicyVerdict | null | undefined): void {
    const layer = said?.effect === effect ? said.rule?.layer : undefined;
    this.#record((recorder) => recorder.judged(effect, layer));
  }

  /** An operation of a durable ledger. `errorType`: the code of the error that it failed with. */
  readonly onLedgerOperation = (operation: string, seconds: number, errorType?: string): void => {
    this.#record((recorder) => recorder.ledgerOperation(operation, seconds, errorType));
  };

  /** Nothing more is heard of what is still open. Then everything is told: the host may flush its exporters. */
  async closed(): Promise<void> {
    const at = Date.now();
    this.#record((recorder) => recorder.closed(at));
    await this.#loading;
  }

  #record(step: (recorder: SpanRecorder) => void): void {
    if (this.#recorder !== undefined) attempt(step, this.#recorder);
    // Bound to where it happened: that is what the span hangs under.
    else if (this.#waiting !== undefined && this.#waiting.length < MAX_WAITING)
      this.#waiting.push(AsyncResource.bind(step));
  }

  async #load(tracer: unknown, meter: unknown): Promise<void> {
    const api = await loadApi();
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    if (api === undefined) return;
    attempt(() => (this.#recorder = new SpanRecorder(api, tracer, meter)), undefined);
    if (this.#recorder !== undefined) for (const step of waiting) attempt(step, this.#recorder);
  }
}

/** An SDK that throws must not change what runs. */
function attempt<T>(step: (given: T) => void, given: T): void {
  try {
    step(given);
  } catch {
    // Nothing here could handle it.
  }
}

const wrong = (message: string): InvalidConfigError => new InvalidConfigError({ message: `createGate: ${message}` });
