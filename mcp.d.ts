/**
 * countersign/mcp: requests and questions as forms of the Model Context Protocol (`elicitation/create`, revision 2025-11-25), for
 * MCP servers whose client asks the human, and what the human filled in as decisions. Also the tools of an MCP client, named by
 * their server. It needs no other package.
 *
 * This file is the public API, written and reviewed by hand. A test keeps it equal to what the package exports.
 *
 * @packageDocumentation
 */
import type { ToolSet } from 'ai';
import type { ApprovalRequest, Decision, GrantScope, QuestionRequest, QuestionsAnswered } from './index.js';

/** Params of `elicitation/create`. All texts in it are safe to show. */
export interface McpElicitation {
  mode: 'form';
  message: string;
  requestedSchema: {
    type: 'object';
    properties: Record<string, McpField>;
    required?: string[];
  };
}

export type McpField =
  | { type: 'string'; title: string; description?: string; maxLength?: number }
  | { type: 'string'; title: string; description?: string; enum: string[] }
  | {
      type: 'array';
      title: string;
      description?: string;
      minItems?: number;
      items: { type: 'string'; enum: string[] };
    };

export interface McpOptions {
  /** For how long "always" is meant. `null`: it is not offered. @default 'session' */
  remember?: GrantScope | null;
  /** Who is at the other end. Needed where requests name approvers or a quorum. @default unknown */
  by?: string;
  /** The groups that this person is in. @default only those of the gate's own `groups` */
  groups?: readonly string[];
}

/** A decision, and who took it, where {@link McpOptions} says so. */
export type McpDecision = Decision & { by?: string; groups?: readonly string[] };

/**
 * A request, or a question, as a form. What the request does not allow is not in it. The message has all of each argument where the
 * preview leaves something out. A call that stands out is approved by `decision: 'approve'` with `confirm: 'yes'`. What may not be
 * what it seems ({@link ApprovalRequest.flags}), may have run, or is a high risk, is not remembered.
 */
export declare function toElicitation(request: ApprovalRequest, options?: McpOptions): McpElicitation;

/**
 * The decision that a form means. A rejection are `decline`, `cancel`, what was not offered, what does not fit, a field that
 * does not go with the decision, and anything else that is odd. So is an edit to a call that stands out, since no person was
 * shown that as it would run. So is an edit of a call that stands under rules, or that may write over a file: nothing here
 * looks at those. Answers to questions become `respond`.
 */
export declare function fromElicitResult(result: unknown, request: ApprovalRequest, options?: McpOptions): McpDecision;

/** What is used of a `Server`, or of an `McpServer`, of `@modelcontextprotocol/sdk`. */
export type McpServerLike = McpElicits | { server: McpElicits };

interface McpElicits {
  elicitInput(params: McpElicitation, options: { signal: AbortSignal; timeout: number }): Promise<unknown>;
}

/**
 * An `onApprovalRequest` that asks the client's human. A client that has no forms, and a connection that fails, reject. An edit
 * to a call that stands out is shown in a second form, as it would run.
 *
 * @example streamWithEvents({ …, onApprovalRequest: mcpApprover(server), onQuestion: mcpQuestioner(server) })
 */
export declare function mcpApprover(
  server: McpServerLike,
  options?: McpOptions,
): (request: ApprovalRequest, options: { abortSignal: AbortSignal }) => Promise<McpDecision>;

/** An `onQuestion` that asks the client's human. `null`: the human does not want to answer. */
export declare function mcpQuestioner(
  server: McpServerLike,
): (request: QuestionRequest, options: { abortSignal: AbortSignal }) => Promise<QuestionsAnswered['answers'] | null>;

/** What is used of a client of `@ai-sdk/mcp`. Tools with schemas: `{ tools: () => client.tools({ schemas }) }`. */
export interface McpToolsClient<TOOLS extends ToolSet = ToolSet> {
  tools(): PromiseLike<TOOLS>;
}

/** Tools by the names that {@link mcpTools} gives them: `mcp__server__tool`. */
export type McpNamed<TOOLS extends ToolSet, SERVER extends string> = {
  [NAME in keyof TOOLS & string as `mcp__${SERVER}__${NAME}`]: TOOLS[NAME];
};

/**
 * The tools of an MCP client, named `mcp__server__tool`. So no tool of a server replaces one of another server or one of your
 * own, and rules name a server with `mcp = "github"`.
 *
 * Without it the tools keep the names that their server gave them. They are judged as `mcp__client__tool` then, `client` being
 * the `clientName` of the client.
 *
 * @param options `server`: what you call it; letters, digits, `.`, `-` and single `_` between them
 * @throws {InvalidConfigError} (`ERR_INVALID_CONFIG`) when rules could not tell a server of this name from others
 * @example const tools = await mcpTools(client, { server: 'github' })
 */
export declare function mcpTools<TOOLS extends ToolSet, const SERVER extends string>(
  client: McpToolsClient<TOOLS>,
  options: { server: SERVER },
): Promise<McpNamed<TOOLS, SERVER>>;
