/** What is read of the messages of `useChat`, in the shapes of AI SDK 6 and 7. */
import type { UIMessage } from 'ai';
import { describe, expect, test } from 'vitest';
import type { ApprovalDetails } from '../../index.js';
import { askedCalls, detailsOf, previewOf } from '../../ts/react/parts.js';

const message = (parts: object[], role: UIMessage['role'] = 'assistant') => ({ id: 'm', role, parts }) as UIMessage;
const step = { type: 'step-start' };
const call = (more: object = {}) => ({
  type: 'tool-del',
  state: 'approval-requested',
  toolCallId: 'c1',
  input: { path: '/a' },
  approval: { id: 'a1' },
  ...more,
});
const details = (more: Partial<ApprovalDetails> = {}): ApprovalDetails => ({
  approvalId: 'gate-1',
  toolCallId: 'c1',
  toolName: 'del',
  step: 1,
  description: 'Deletes /a',
  rows: [{ name: 'path', value: '/a' }],
  preview: 'del\n│ path: /a',
  allowedDecisions: ['approve', 'edit', 'reject', 'respond', 'skip'],
  flags: [],
  origin: ['main'],
  changes: [],
  why: null,
  contents: 'kept',
  needs: [],
  approvedBy: [],
  decidedBy: null,
  createdAt: 1,
  expiresAt: null,
  startedBefore: false,
  dangers: [],
  harmless: true,
  agentReason: null,
  review: null,
  ...more,
});

describe('the calls', () => {
  test('of a tool and of a tool that the types do not know', () => {
    const dynamic = call({ type: 'dynamic-tool', toolName: 'mcp_del', toolCallId: 'c2', approval: { id: 'a2' } });
    expect(askedCalls([message([step, call(), dynamic])])).toEqual([
      {
        type: 'tool-del',
        toolName: 'del',
        toolCallId: 'c1',
        input: { path: '/a' },
        approvalId: 'a1',
        state: 'requested',
      },
      {
        type: 'dynamic-tool',
        toolName: 'mcp_del',
        toolCallId: 'c2',
        input: { path: '/a' },
        approvalId: 'a2',
        state: 'requested',
      },
    ]);
  });

  test.each([
    ['approval-requested', 'requested'],
    ['approval-responded', 'responded'],
    ['output-available', 'over'],
    ['output-error', 'over'],
    ['output-denied', 'over'],
  ])('%s', (state, read) => {
    expect(askedCalls([message([call({ state })])])).toMatchObject([{ state: read }]);
  });

  test.each<[string, UIMessage[]]>([
    ['of an earlier step', [message([step, call(), step, { type: 'text', text: 'x' }])]],
    ['of an earlier message', [message([call()]), message([{ type: 'text', text: 'never mind' }], 'user')]],
    ['that a policy answered by itself', [message([call({ approval: { id: 'a1', isAutomatic: true } })])]],
    ['that nobody is asked about', [message([call({ state: 'output-available', approval: undefined })])]],
    ['that are still streaming', [message([call({ state: 'input-streaming', approval: undefined })])]],
    ['without an id', [message([call({ toolCallId: undefined }), call({ approval: {} }), call({ approval: null })])]],
    ['in no message', []],
  ])('not those %s', (_, messages) => {
    expect(askedCalls(messages)).toEqual([]);
  });
});

describe('the details', () => {
  const asked = askedCalls([message([call()])])[0]!;
  const data = (sent: unknown) => ({ type: 'data-approval', id: 'c1', data: sent });

  test('of the message; the newest win', () => {
    const messages = [message([call(), data(details()), data(details({ description: 'newer' }))])];
    expect(detailsOf(asked, messages)).toEqual(details({ description: 'newer' }));
    expect(detailsOf(asked, messages, [details({ description: 'newest' })])?.description).toBe('newest');
  });

  test.each([
    ['of another call', details({ toolCallId: 'c2' })],
    ['of another tool', details({ toolName: 'read' })],
    ['of another shape', { ...details(), flags: 'none' }],
    ['without a preview', { ...details(), preview: undefined }],
    ['null', null],
  ])('not %s', (_, sent) => {
    expect(detailsOf(asked, [message([call(), data(sent)])])).toBeUndefined();
  });
});

test('a call without details is shown as it came, made safe', () => {
  const [asked] = askedCalls([message([call({ input: { path: '/a\u202eb', deep: ['\u200b'] } })])]);
  expect(previewOf(asked!)).toBe('del\n{\n  "path": "/a\\u{202E}b",\n  "deep": [\n    "\\u{200B}"\n  ]\n}');
});
