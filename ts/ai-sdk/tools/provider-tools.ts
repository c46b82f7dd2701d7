/** Tools that the model's provider runs itself: the call has its result before anybody here could be asked about it. */
import type { Tool } from 'ai';
import { isRecord } from './tools.js';
import { warnOnce } from '../../errors/warn-once.js';

/** AI SDK 6 does not mark them. Names without their dates; what may run elsewhere (`bash`, `computer`, `shell` …) is not in it. */
const BY_ID =
  /^[\w-]+\.(?:web_search|web_search_preview|web_fetch|code_execution|code_interpreter|file_search|image_generation|google_search|google_maps|enterprise_web_search|url_context|vertex_rag_store|tool_search_bm25|tool_search_regex|x_search|view_image|view_x_video|browser_search|perplexity_search|parallel_search)(?:_\d{8})?$/;

/** Whether it is known that the provider runs it. */
export function isRunByProvider(tool: Tool | undefined): boolean {
  if (!isRecord(tool) || tool['type'] !== 'provider' || tool['execute'] !== undefined) return false;
  const { isProviderExecuted, supportsDeferredResults, id } = tool as Record<string, unknown>;
  if (isProviderExecuted !== undefined) return isProviderExecuted === true;
  return supportsDeferredResults === true || (typeof id === 'string' && BY_ID.test(id));
}

export function warnProviderRuns(toolName: string): void {
  warnOnce(
    `provider-executed:${toolName}`,
    `countersign cannot gate "${toolName}": the model's provider runs it itself. Remove the tool, or its entry from interruptOn.`,
  );
}

/** A model may say anything of its calls. */
export function warnForgedRun(toolName: string): void {
  warnOnce(
    `forged:${toolName}`,
    `The model's answer claims that its provider ran "${toolName}", which is a tool of this program: it was not run here, and nobody was asked.`,
  );
}
