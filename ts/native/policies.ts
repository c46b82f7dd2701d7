/** Policies of the core that judge. */
import type { Grant } from '../../index.js';
import { binding, open, operationText } from '../addon.js';
import { after, type Awaitable } from '../values/awaitable.js';
import type {
  FindSealed,
  NativeAnsweredCall,
  NativeCall,
  NativeJudged,
  NativeLayers,
  NativeNetwork,
  NativePolicyOptions,
  NativeProposal,
  NativeRefreshed,
  NativeSealed,
  NativeSeen,
  NativeShown,
  PolicyOperations,
} from '../wire.js';

/** Policies that judge. What may have to look at files answers later where it does. */
export class NativePolicies {
  readonly #policies: binding.NativePolicies;

  /** Those that an operation of a gate is given. */
  static bindings(all: readonly NativePolicies[]): binding.NativePolicies[] {
    return all.map((policies) => policies.#policies);
  }

  /** Fails with `ERR_POLICY`. */
  constructor(options: NativePolicyOptions) {
    this.#policies = new binding.NativePolicies(JSON.stringify(options));
    this.#now('ready', {});
  }

  /** At once, also where it has to wait for files. */
  #now<NAME extends keyof PolicyOperations>(
    operation: NAME,
    takes: PolicyOperations[NAME]['takes'],
  ): PolicyOperations[NAME]['answers'] {
    return open(this.#policies.callNow(operationText(operation, takes)));
  }

  #ask<NAME extends keyof PolicyOperations>(
    operation: NAME,
    takes: PolicyOperations[NAME]['takes'],
  ): Awaitable<PolicyOperations[NAME]['answers']> {
    const answer = this.#policies.call(operationText(operation, takes));
    return after(answer, (text) => open<PolicyOperations[NAME]['answers']>(text));
  }

  async #later<NAME extends keyof PolicyOperations>(
    operation: NAME,
    takes: PolicyOperations[NAME]['takes'],
  ): Promise<PolicyOperations[NAME]['answers']> {
    return this.#ask(operation, takes);
  }

  /** At once, or later where files must be looked at. */
  judge(call: NativeCall): Awaitable<NativeJudged> {
    return this.#ask('judge', call);
  }

  /** What a human is shown: offers to remember, diffs, and the preview with them. At once: it waits for files. */
  showNow(call: NativeCall): NativeShown {
    return this.#now('show', call);
  }

  /** The explanation as text. */
  explain(call: NativeCall): Promise<string> {
    return this.#later('explain', call);
  }

  /** The numbers of the conditions of rules for this tool. */
  conditions(toolName: string, otherNames: readonly string[] = []): number[] {
    return this.#now('conditions', { toolName, otherNames });
  }

  /** Reads policy files that changed. `problems`: `null` when none did. `changed`: files with another content. */
  refresh(files: NativeSeen[]): Promise<NativeRefreshed> {
    return this.#later('refresh', { files });
  }

  /** The files that a command must not reach: below the current folder, and below some more. */
  sealed(look: FindSealed): Promise<NativeSealed> {
    return this.#later('sealed', look);
  }

  /** What a confined command reaches of the network; `null`: no policy says anything of that. */
  network(): Promise<NativeNetwork | null> {
    return this.#later('network', {});
  }

  /** The policies that count now. */
  layers(): Promise<NativeLayers> {
    return this.#later('layers', {});
  }

  hidden(toolNames: readonly string[]): string[] {
    return this.#now('hidden', { toolNames });
  }

  forbids(mode: string): string | null {
    return this.#now('forbids', { mode });
  }

  /** Why nothing is remembered here; `null`: it is. */
  forgets(): Promise<string | null> {
    return this.#later('forgets', {});
  }

  grant(grant: Omit<Grant, 'id'>): Promise<Grant> {
    return this.#later('grant', grant);
  }

  grants(now: number): Promise<Grant[]> {
    return this.#later('grants', { now });
  }

  revoke(id: string): Promise<boolean> {
    return this.#later('revoke', { id });
  }

  /** Rules for the project's policy, from what was asked about. Fails with `ERR_INVALID_CONFIG`. */
  propose(asked: NativeAnsweredCall[]): Promise<NativeProposal> {
    return this.#later('propose', { asked });
  }

  /** Forgets what was granted for this run. */
  endRun(runId: string): void {
    this.#now('endRun', { runId });
  }
}
