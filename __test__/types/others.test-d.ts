/** Checked by `tsc`: applyInterruptConfig, gateTools, toolApproval, verifyApprovals, createGate, mcpTools. */
import { generateText, tool, type LanguageModel, type ModelMessage, type Tool, type UIMessage } from 'ai';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import type { ApprovalRecord, ApprovalRequest, Gate, GateEvent, GateToolsOptions, Resolution } from '../../index.js';
import {
  applyInterruptConfig,
  createGate,
  gateTools,
  hasApprovalTools,
  toolApproval,
  verifyApprovals,
} from '../../ts/index.js';
import { mcpTools } from '../../ts/protocols/mcp.js';

declare const model: LanguageModel;

const tools = { del: tool({ inputSchema: z.object({ path: z.string() }), execute: async ({ path }) => path.length }) };

export function toolsKeepTheirType(): void {
  expectTypeOf(applyInterruptConfig(tools, { del: true })).toEqualTypeOf<typeof tools>();
  // @ts-expect-error nothing is configured
  applyInterruptConfig(tools);
  // @ts-expect-error nobody would ask
  gateTools(tools, { interruptOn: 'all', mode: 'stop' });
  const mode = Math.random() < 0.5 ? 'wait' : 'stop';
  gateTools(tools, { interruptOn: 'all', mode, gate: createGate() });
  const wrapped = (options: GateToolsOptions): unknown => gateTools(tools, options);
  wrapped({ mode: 'wait' });
  expectTypeOf(gateTools(tools, { interruptOn: 'all' })).toEqualTypeOf<typeof tools>();
  void generateText({ model, tools: gateTools(tools, { interruptOn: { del: true } }), prompt: 'go' });
  // @ts-expect-error a typo
  applyInterruptConfig(tools, { dell: true });
  // @ts-expect-error a typo
  gateTools(tools, { interruptOn: { dell: true } });
  expectTypeOf(hasApprovalTools('all')).toEqualTypeOf<boolean>();
}

export function toolApprovalFitsTheSdk(): void {
  void generateText({
    model,
    tools,
    prompt: 'go',
    toolApproval: toolApproval({ interruptOn: { del: true }, gate: createGate() }),
  });
}

export async function messagesKeepTheirType(ui: UIMessage[], messages: ModelMessage[]): Promise<void> {
  expectTypeOf(await verifyApprovals(ui, createGate())).toEqualTypeOf<UIMessage[]>();
  expectTypeOf(await verifyApprovals(messages, createGate(), { runId: 'r', by: 'ada' })).toEqualTypeOf<
    ModelMessage[]
  >();
}

export async function theGate(): Promise<void> {
  await using gate = createGate({ timeout: 1, keepDecided: 5 });
  expectTypeOf(gate).toEqualTypeOf<Gate>();
  expectTypeOf(await gate.pending()).toEqualTypeOf<ApprovalRequest[]>();
  expectTypeOf(await gate.get('x')).toEqualTypeOf<ApprovalRecord | undefined>();
  expectTypeOf(await gate.reject('x', 'no', { by: 'ada' })).toEqualTypeOf<ApprovalRecord>();
  expectTypeOf(await gate.request({ toolName: 'x', args: {} })).toEqualTypeOf<Resolution>();
  for await (const event of gate.events()) {
    expectTypeOf(event).toEqualTypeOf<GateEvent>();
    if (event.type === 'settled') expectTypeOf(event.status).toEqualTypeOf<'succeeded' | 'failed' | 'interrupted'>();
  }
  // @ts-expect-error nothing to decide
  await gate.approve();
  // @ts-expect-error not a ledger of this version
  createGate({ ledger: 'mysql:' });
}

export async function toolsAreNamedByTheirServer(client: {
  tools(): Promise<{ list: Tool<{ path: string }, string> }>;
}) {
  const named = await mcpTools(client, { server: 'github' });
  expectTypeOf(named).toEqualTypeOf<{ mcp__github__list: Tool<{ path: string }, string> }>();
  // @ts-expect-error the server must be named
  await mcpTools(client, {});
}
