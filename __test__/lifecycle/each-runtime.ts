import { afterAll, beforeAll, describe } from 'vitest';
import { runtimes, type Runtime } from '../runtimes.js';
import { makeSandbox, runProgram, type ProgramOptions, type Ran, type Sandbox } from './sandbox.js';

export type Run = (program: string, options?: ProgramOptions) => Promise<Ran>;

/** The tests once on every runtime, with `ai` standing for one version of the AI SDK. */
export function onEachRuntime(ai: 'ai6' | 'ai7', tests: (run: Run, runtime: Runtime) => void): void {
  describe(ai, () => {
    let sandbox: Sandbox | undefined;
    beforeAll(() => void (sandbox = makeSandbox(ai)));
    afterAll(() => sandbox?.remove());
    for (const runtime of runtimes()) {
      describe.concurrent(runtime.name, () => {
        tests((program, options) => {
          if (sandbox === undefined) throw new Error('no sandbox');
          return runProgram(sandbox, runtime, program, options);
        }, runtime);
      });
    }
  });
}
