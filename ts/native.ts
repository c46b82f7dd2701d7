/**
 * The native core as the rest of the TypeScript sees it: the generated binding with its JSON texts given types.
 * Same order as `src/`, for side-by-side review. Nothing here decides anything.
 */
import type {
  ApprovalRecord,
  ApprovalRequest,
  DecidedVia,
  DecisionOutcome,
  DecisionType,
  GateEvent,
} from '../index.js';
import * as binding from '../binding/binding.js';
import { fromNative, type NativeError } from './errors/from-native.js';

/** How the core answers: a value or an error, never an exception. */
type Envelope<T> = { ok: T } | { error: NativeError };

/** What `interruptOn` says about one tool. */
export type Gating = {
  /** `ask`, `allow`: decided by configuration. `judge`: by the entry's `shouldApprove`. `own`: by the tool's `needsApproval`. */
  action: 'ask' | 'allow' | 'judge' | 'own';
  /** The entry that decided or that the options come from: the tool's name, `*`, or none. */
  entry: string | null;
  allowedDecisions: DecisionType[] | null;
  /** ms */
  timeout: number | null;
};

export type InterruptPlan = {
  /** One per own property of `tools`, in their order. A list of pairs, since a name may be `__proto__`. */
  tools: [name: string, gating: Gating][];
  /** Names that no tool has and that are no error. */
  unknown: string[];
};

export type NativeRequest = {
  runId: string;
  toolCallId: string;
  toolName: string;
  args: unknown;
  origin: readonly string[];
  /** `null`: the core describes the call itself. */
  description: string | null;
  allowedDecisions: readonly DecisionType[] | null;
  /** ms; `null`: no deadline. */
  timeoutMs: number | null;
};

/** What may be executed: the core's own copy of the arguments. */
export type Claim = { approvalId: string; args: unknown; edited: boolean };

function open<T>(text: string): T {
  const envelope = JSON.parse(text) as Envelope<T>;
  if ('error' in envelope) throw fromNative(envelope.error);
  return envelope.ok;
}

/** What `interruptOn` means for each of these tools. */
export function interruptPlan(tools: object, interruptOn: unknown, unknownTools: string | undefined): InterruptPlan {
  return open(binding.interruptPlan(tools, interruptOn, unknownTools));
}

/** The tools with `needsApproval` set on the gated ones, and the names to warn about. */
export function applyInterruptConfig<T extends object>(
  tools: T,
  interruptOn: unknown,
  unknownTools: string | undefined,
): { tools: T; unknown: string[] } {
  const { tools: applied, plan } = binding.applyInterruptConfig(tools, interruptOn, unknownTools);
  return { tools: applied === null ? tools : (applied as T), unknown: open<InterruptPlan>(plan).unknown };
}

export function hasApprovalTools(interruptOn: unknown): boolean {
  return open(binding.hasApprovalTools(interruptOn));
}

/** RFC 8785 text and its SHA-256 (hex). */
export function canonicalize(json: string): { text: string; digest: string } {
  return open(binding.canonicalize(json));
}

/** A call as plain text that is safe to show, at most `width` columns wide. */
export function preview(toolName: string, args: unknown, width?: number): { text: string; flags: string[] } {
  return open(binding.preview(JSON.stringify({ toolName, args, width: width ?? null })));
}

/** The gate of the core: a synchronous state machine. Every change it makes is queued as an event until `drain`. */
export class NativeGate {
  readonly #gate: binding.NativeGate;

  constructor(options: { maxArgumentBytes: number; keepDecided: number }) {
    this.#gate = new binding.NativeGate(JSON.stringify(options));
  }

  /** `wake` is called when events were queued by something other than a call of this class. Never keeps the process alive. */
  onWake(wake: () => void): void {
    this.#gate.onWake(wake);
  }

  /** Fails with `ERR_DUPLICATE_CALL` (`existing`: record) when this run already asked about this call id. */
  request(request: NativeRequest): ApprovalRecord {
    return open(this.#gate.request(JSON.stringify(request)));
  }

  get(approvalId: string): ApprovalRecord | null {
    return open(this.#gate.get(approvalId));
  }

  /** The records of this call id; of all runs when `runId` is `null`. */
  find(runId: string | null, toolCallId: string): ApprovalRecord[] {
    return open(this.#gate.find(runId, toolCallId));
  }

  /** Oldest first. */
  pending(runId: string | null): ApprovalRequest[] {
    return open(this.#gate.pending(runId));
  }

  /** Reads any answer (see `ApprovalAnswer`) into a decision. Fails with `ERR_INVALID_DECISION`. */
  parseAnswer(answer: string, toolName: string): DecisionOutcome {
    return open(this.#gate.parseAnswer(answer, toolName));
  }

  /**
   * Decides, if it is still open. `editedArgs`: for an edit, the arguments that will run, as the tool's schema gave them.
   * Fails with `ERR_ALREADY_DECIDED` (`winner`), `ERR_EXPIRED`, `ERR_DECISION_NOT_ALLOWED` (`allowedDecisions`; never for
   * `reject` through `system`, `expired` or `cancelled`), `ERR_UNKNOWN_APPROVAL`, `ERR_INVALID_ARGUMENTS`.
   */
  decide(
    approvalId: string,
    decision: DecisionOutcome,
    meta: { by: string | null; via: DecidedVia; editedArgs?: unknown },
  ): ApprovalRecord {
    return open(this.#gate.decide(approvalId, JSON.stringify(decision), JSON.stringify(meta)));
  }

  /** Cancels what this run still waits for and takes back what was approved but not started. */
  cancelRun(runId: string, reason: string, via: DecidedVia): void {
    open(this.#gate.cancelRun(runId, reason, via));
  }

  /** Takes back an approval that was not started. `false`: there was nothing to take back. */
  revoke(approvalId: string, reason: string): boolean {
    return open(this.#gate.revoke(approvalId, reason));
  }

  /**
   * The one claim on an approval, checked against the digest of what was approved. Fails with `ERR_NOT_APPROVED`
   * (`status`, or `null` when there is no such request), `ERR_DIGEST_MISMATCH`, `ERR_ALREADY_STARTED`.
   */
  claim(runId: string | null, toolCallId: string, toolName: string, args: unknown): Claim {
    return open(this.#gate.claim(runId, toolCallId, JSON.stringify({ toolName, args })));
  }

  settle(approvalId: string, succeeded: boolean): void {
    open(this.#gate.settle(approvalId, succeeded));
  }

  /** What happened since the last call, oldest first. */
  drain(): GateEvent[] {
    const events: GateEvent[] = [];
    for (;;) {
      const text = this.#gate.drain();
      const batch = open<GateEvent[]>(text);
      events.push(...batch);
      // A batch ends at 128 events or at about 4 MiB: only a full one can have left something.
      if (batch.length < 128 && text.length < 1_000_000) return events;
      if (batch.length === 0) return events;
    }
  }

  /** Cancels what waits and refuses what comes. */
  close(reason: string): void {
    open(this.#gate.close(reason));
  }
}
