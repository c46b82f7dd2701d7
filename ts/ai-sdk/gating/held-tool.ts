/**
 * The tool of a call under `toolApproval`. The AI SDK takes it from the user's own set once all calls of a step are decided: the
 * one who
 * replaces it until then would have another one run on what was said of this one.
 */
import type { Tool, ToolSet } from 'ai';
import { InvalidConfigError } from '../../errors/index.js';
import { isRecord, ownTool } from '../tools/tools.js';

/** A tool in its set, as it was when its call came. */
export class HeldTool {
  readonly toolName: string;
  readonly tool: Tool | undefined;
  /** Whether something had a say in its call. */
  wasJudged = true;
  readonly #tools: ToolSet | undefined;
  readonly #fields: readonly unknown[];

  constructor(tools: ToolSet | undefined, toolName: string) {
    this.#tools = tools;
    this.toolName = toolName;
    this.tool = this.now;
    this.#fields = fieldsOf(this.tool);
  }

  /** What is in its place. */
  get now(): Tool | undefined {
    return ownTool(this.#tools, this.toolName);
  }

  /** Why it is not the one that the call was for any more; `undefined`: it is. */
  get objection(): string | undefined {
    const { now } = this;
    const fields = fieldsOf(now);
    const isSame = now === this.tool && this.#fields.every((field, index) => field === fields[index]);
    return isSame ? undefined : `The tool ${this.toolName} is no longer the one that was asked about.`;
  }
}

/** What it is known by, and what it runs, without asking a getter: it may make something new at each look. */
function fieldsOf(tool: Tool | undefined): unknown[] {
  return FIELDS.map((name) => {
    let at: object | null = isRecord(tool) ? tool : null;
    for (; at !== null; at = Object.getPrototypeOf(at) as object | null) {
      const descriptor = Object.getOwnPropertyDescriptor(at, name);
      if (descriptor !== undefined) return descriptor.get ?? (descriptor.value as unknown);
    }
    return undefined;
  });
}

const FIELDS = ['execute', 'inputSchema', 'description'] as const;

/** The calls of each step that are to run. */
export class HeldSteps {
  /** By the messages that the step began with, which the AI SDK passes with each of its calls. */
  readonly #steps = new WeakMap<object, HeldTool[]>();

  /**
   * Looks at those that were decided before in this step: they cannot be denied any more, but the step can be ended.
   *
   * @param decides whether a call of the tool that is there now would have to be decided
   * @throws {InvalidConfigError} when another tool would run in the place of one of them
   */
  check(messages: readonly object[], decides: (held: HeldTool) => boolean): void {
    for (const held of this.#steps.get(messages) ?? []) {
      const why = held.objection;
      // What is not there does not run.
      if (why === undefined || held.now === undefined || !decides(held)) continue;
      throw new InvalidConfigError({
        message: `toolApproval: ${why} It was replaced while another call of the same step was asked about, so that no call of this step runs. Replace tools between two runs, or give them to gateTools, which keeps them.`,
      });
    }
  }

  add(messages: readonly object[], held: HeldTool): void {
    const step = this.#steps.get(messages) ?? [];
    this.#steps.set(messages, [...step, held]);
  }
}
