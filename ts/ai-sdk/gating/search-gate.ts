/**
 * A search in a loop that is not ours: the AI SDK has an `execute` of its own for it, so that what waits for the decision is the
 * function that it searches with.
 */
import type { Tool } from 'ai';
import type { CallBody } from '../tools/callers.js';
import { isExecutionDenied } from './denied.js';
import { RefusedExecution } from '../../gate/refused-execution.js';
import { namesOf, SEARCH_FUNCTION, searchTools, type SearchFunction } from '../tools/tool-search.js';
import { copyTool, isRecord, type ExecuteFunction, type ExecuteOptions } from '../tools/tools.js';

/** @param gate makes an `execute` that waits of what it is to run */
export function searchingTool(name: string, tool: Tool, gate: (body: CallBody) => ExecuteFunction): Tool {
  // The function is not told which call it is for: the SDK names it right before.
  const calls: { query: unknown; options: ExecuteOptions }[] = [];
  const search: SearchFunction = async ({ query, tools }) => {
    const at = calls.findIndex((call) => call.query === query);
    const [called] = at === -1 ? [] : calls.splice(at, 1);
    const run = (input: unknown) => searchTools(tool, isRecord(input) ? input['query'] : undefined, tools);
    const found = await gate({ execute: run, call: run })(
      { query },
      called?.options ?? { toolCallId: crypto.randomUUID() },
    );
    if (isExecutionDenied(found))
      throw new RefusedExecution(`${name} was not run: ${found.reason ?? 'it was denied.'}`);
    return Array.isArray(found) ? found : namesOf(found);
  };
  const onInputAvailable = async (available: { input: unknown } & ExecuteOptions): Promise<void> => {
    const { input, ...options } = available;
    if (calls.length >= WAITING) calls.shift();
    calls.push({ query: isRecord(input) ? input['query'] : undefined, options });
    await tool.onInputAvailable?.(available as never);
  };
  GATED.add(search);
  // Ours decides now: the tool's own `needsApproval` would stop the loop as well.
  const own = tool.needsApproval === undefined ? {} : { needsApproval: false };
  return copyTool(tool, { [SEARCH_FUNCTION]: search, onInputAvailable, ...own });
}

/** Whether its function waits already, even if the SDK has given it another `execute`. */
export function isSearchGated(tool: Tool): boolean {
  const search = (tool as unknown as Record<symbol, unknown>)[SEARCH_FUNCTION];
  return typeof search === 'function' && GATED.has(search);
}

const GATED = new WeakSet<object>();

/** Calls that may be named before one of them runs. */
const WAITING = 1_000;
