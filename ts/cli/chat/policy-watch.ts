/** Policy files that cannot be read: their prohibitions are unknown. */
import type { Gate, PolicyProblem } from '../../../index.js';

export class PolicyWatch {
  /** What is wrong with the files as they are now. */
  problems: readonly PolicyProblem[] = [];
  #tell: (problems: readonly PolicyProblem[]) => void = () => {};

  /** Watches until the gate is closed. */
  static async of(gate: Gate): Promise<PolicyWatch> {
    const watch = new PolicyWatch();
    void watch.#follow(gate);
    // The first judged call has the files read.
    await gate.check({ toolName: 'ls', args: {} });
    // What that told is here by the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    return watch;
  }

  /** Calls it with what is wrong now, when that is anything, and after each change. */
  follow(tell: (problems: readonly PolicyProblem[]) => void): void {
    this.#tell = tell;
    if (this.problems.length > 0) tell(this.problems);
  }

  async #follow(gate: Gate): Promise<void> {
    try {
      for await (const event of gate.events()) {
        if (event.type !== 'policy-changed') continue;
        this.problems = event.problems;
        this.#tell(event.problems);
      }
    } catch {
      // The gate goes away, or its events came too fast: what was wrong last stays wrong.
    }
  }
}
