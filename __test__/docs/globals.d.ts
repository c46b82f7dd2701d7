/** What the snippets of the documentation leave out. `preamble.mjs` gives it to those that run. */
import type { LanguageModel, Tool } from 'ai';
import type { Decision, ToolCallInfo } from '../../index.js';

declare global {
  /** Deletes `notes.txt`, then says what came of it. */
  const model: LanguageModel;
  /** Deletes `a.txt`, `b.txt` and `c.txt` in one step, then says what came of it. */
  const tidyingModel: LanguageModel;
  /** Pays 900 euros to ACME with `pay`, then says what came of it. */
  const payingModel: LanguageModel;
  /** Writes `hello.txt` with `write_file`, then says what came of it. */
  const writingModel: LanguageModel;
  /** Has the subagent `cleaner` delete `notes.txt`, then says what came of it. */
  const delegatingModel: LanguageModel;
  /** Asks two questions, then repeats what it was told. */
  const askingModel: LanguageModel;
  const tools: {
    read_file: Tool<{ path: string }, string>;
    delete_file: Tool<{ path: string }, string>;
  };
  /** Says yes. */
  function askTheHuman(request: ToolCallInfo & { preview: string }): Promise<Decision<never>>;
}
