/**
 * `toolSearch` of AI SDK 7, which finds tools that the model is not shown before. The SDK puts an `execute` of its own in the
 * place of the tool's, and each of its calls forgets what was found before: a run makes a new one after each approval.
 */
import type { ModelMessage, Tool, ToolSet } from 'ai';
import type { CallBody } from './callers.js';
import { partsOf } from '../messages/messages.js';
import { isRecord, ownTool } from './tools.js';

/** Ranks the tools that a query is for: of these names, the best first. */
export type SearchFunction = (options: { query: string; tools: readonly SearchCandidate[] }) => unknown;

export interface SearchCandidate {
  name: string;
  description?: string;
}

/** Where the SDK finds that a tool is a search. */
const SEARCH = Symbol.for('vercel.ai.toolSearch');
/** Where it finds the user's function. */
export const SEARCH_FUNCTION = Symbol.for('vercel.ai.toolSearch.search');
const MOST = Symbol.for('vercel.ai.toolSearch.maxResults');

type MarkedTool = Record<symbol, unknown>;

export function isSearch(tool: Tool | undefined): tool is Tool {
  return (tool as unknown as MarkedTool | undefined)?.[SEARCH] === true;
}

/** Whether the model is shown it only when it was found. */
export function isDeferred(tool: Tool | undefined): boolean {
  return Boolean((tool as { deferLoading?: unknown } | undefined)?.deferLoading);
}

/** The names of the tools that the query is for, the best first: by the user's function, or as the SDK ranks them. */
export async function searchTools(
  tool: Tool,
  query: unknown,
  candidates: readonly SearchCandidate[],
): Promise<string[]> {
  const own = (tool as unknown as MarkedTool)[SEARCH_FUNCTION] as SearchFunction | undefined;
  const text = String(query);
  const ranked: unknown = own === undefined ? rank(text, candidates) : await own({ query: text, tools: candidates });
  const names = new Set(candidates.map(({ name }) => name));
  const most = Number((tool as unknown as MarkedTool)[MOST] ?? 5);
  return [...new Set(Array.isArray(ranked) ? (ranked as string[]) : [])]
    .filter((name) => names.has(name))
    .slice(0, most);
}

function rank(query: string, candidates: readonly SearchCandidate[]): string[] {
  const terms = new Set(wordsOf(query));
  const count = (words: readonly string[]) => [...terms].filter((term) => words.includes(term)).length;
  return candidates
    .map(({ name, description = '' }) => ({ name, score: 2 * count(wordsOf(name)) + count(wordsOf(description)) }))
    .filter(({ score }) => score > 0)
    .toSorted((left, right) => right.score - left.score)
    .map(({ name }) => name);
}

function wordsOf(text: string): string[] {
  const apart = text.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2');
  return apart.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** What a run has found so far. */
export class RunSearches {
  readonly #tools: ToolSet;
  readonly #found = new Set<string>();
  /** `experimental_toolCallers`: a tool is found only for who may call it. */
  readonly #callers: Record<string, unknown>;

  constructor(tools: ToolSet, toolCallers: unknown) {
    this.#tools = tools;
    this.#callers = isRecord(toolCallers) ? toolCallers : {};
  }

  /** Shown to the model as soon as it was found. */
  show(name: string, tool: Tool): Tool {
    const isHidden = () => !this.#found.has(name);
    return Object.defineProperty(tool, 'deferLoading', { get: isHidden, enumerable: true, configurable: true });
  }

  /** What an approved search runs: the SDK runs it outside of its own. */
  bodyOf(name: string, tool: Tool): CallBody {
    const call = async (input: unknown) => {
      const candidates = this.#candidates(name);
      const query = isRecord(input) ? input['query'] : undefined;
      const names = await searchTools(tool, query, candidates);
      for (const each of names) this.#found.add(each);
      return { tools: names.map((each) => candidates.find((candidate) => candidate.name === each)) };
    };
    return { execute: call, call };
  }

  /** Takes in what searches of these messages have found. */
  recall(messages: readonly ModelMessage[]): void {
    const results = messages.flatMap((message) => (message.role === 'tool' ? partsOf(message) : []));
    for (const { type, toolName, output } of results) {
      if (type !== 'tool-result' || !isSearch(ownTool(this.#tools, String(toolName)))) continue;
      for (const each of namesOf(isRecord(output) ? output['value'] : undefined)) this.#found.add(each);
    }
  }

  #candidates(search: string): SearchCandidate[] {
    const callersOf = (name: string) => (this.#callers[name] as readonly string[] | undefined) ?? [DIRECTLY];
    return Object.entries(this.#tools)
      .filter(([name, tool]) => isDeferred(tool) && !isSearch(tool) && !this.#found.has(name))
      .filter(([name]) => callersOf(search).some((caller) => callersOf(name).includes(caller)))
      .map(([name, { description }]) => (typeof description === 'string' ? { name, description } : { name }));
  }
}

/** The names in the result of a search, the caller. */
export function namesOf(result: unknown): string[] {
  const tools: unknown = isRecord(result) ? result['tools'] : undefined;
  return (Array.isArray(tools) ? tools : []).flatMap((each: unknown) =>
    isRecord(each) && typeof each['name'] === 'string' ? [each['name']] : [],
  );
}

/** The SDK's name for the model among those who call a tool. */
const DIRECTLY = 'AI_SDK_DIRECT_TOOL_CALL';
