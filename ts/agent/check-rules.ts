import type { ToolSet } from 'ai';
import type { InterruptOn, PolicyInput } from '../../index.js';
import { planFor } from '../ai-sdk/tools/plan.js';
import { checkPolicyNames } from '../ai-sdk/tools/policy-names.js';
import { InvalidConfigError } from '../errors/index.js';
import { serverOf } from '../policy/foreign.js';
import { Policies } from '../policy/policies.js';

/** Has mistakes in a configuration told when an agent is made, not in the middle of a run. @throws as createDeepAgent */
export function checkRules({
  tools,
  builtins,
  above = [],
  interruptOn,
  policy,
  root,
  place = 'createDeepAgent',
}: {
  tools: ToolSet;
  /** Those whose names stand in the prompt for what they do. */
  builtins: ToolSet;
  /** Of the agents that start it. */
  above?: readonly ToolSet[];
  interruptOn: InterruptOn | undefined;
  policy: PolicyInput | readonly PolicyInput[] | undefined;
  root: string;
  /** Whose rules they are, for messages. */
  place?: string;
}): void {
  refuseForeign(tools, [...Object.keys(builtins), 'task']);
  planFor({ tools, interruptOn, unknownTools: undefined, place, judgesAll: policy !== undefined });
  if (policy === undefined) return;
  const policies = new Policies({ policy, files: 'none', place: { cwd: root } }, place);
  checkPolicyNames(
    // Rules are often those of a whole family: also of the tool that the others start it with.
    { tools, above: [builtins, { task: {} as ToolSet[string] }, ...above], unknownTools: undefined, place },
    { strangers: (names) => ({ own: policies.strangers(names), shared: [] }) },
  );
}

/** A server calls its tools what it likes: only a tool of the user's own takes the place of a built-in one. */
function refuseForeign(tools: ToolSet, builtins: readonly string[]): void {
  const foreign = builtins.find((name) => Object.hasOwn(tools, name) && serverOf(name, tools[name]) !== undefined);
  if (foreign === undefined) return;
  throw new InvalidConfigError({
    message: `createDeepAgent: the tool ${JSON.stringify(foreign)} of an MCP server would take the place of the built-in one. Name the tools by their server: mcpTools(client, { server }) of countersign/mcp.`,
  });
}
