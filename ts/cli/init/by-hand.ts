/** The lines to add by hand, where a file is not understood. */

const SCRIPT = `import { createGate, gateTools, terminalApprover } from 'countersign';

const approvals = createGate({ policyFiles: true });

// In the call, or in the agent:
tools: gateTools(tools, { gate: approvals, onApprovalRequest: terminalApprover() }),`;

const ROUTE = `import { createGate, gateTools, verifyApprovals } from 'countersign';

// One for the whole server. In \`next dev\`, keep it in globalThis, which outlives a reload.
const approvals = createGate({ policyFiles: true });

// In the handler; \`id\` is the id of the chat, from the request:
const verified = await verifyApprovals(messages, approvals, { runId: id });
const gated = gateTools(tools, { gate: approvals, mode: 'stop', runId: id });

// In streamText:
tools: gated,
messages: await convertToModelMessages(verified, { tools: gated }),

// And the response:
result.toUIMessageStreamResponse({ originalMessages: verified })`;

export const linesByHand = (shape: 'script' | 'route'): string[] =>
  (shape === 'route' ? ROUTE : SCRIPT).split('\n').map((line) => (line === '' ? '' : `    ${line}`));

/** What a page of \`useChat\` needs beside its route. */
export const PAGE = [
  'In your page, answer with addToolApprovalResponse, or with ApprovalCard of countersign/react:',
  '',
  "    import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';",
  '',
  '    useChat({ sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses })',
];
