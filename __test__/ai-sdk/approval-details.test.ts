/** What a page is told of the calls that wait, in the stream and beside it. */
import * as ai from 'ai';
import type { UIMessage, UIMessageChunk } from 'ai';
import { describe, expect, it } from 'vitest';
import type { ApprovalDetails, Gate } from '../../index.js';
import {
  approvalDetails,
  createGate,
  definePolicy,
  gateTools,
  streamWithEvents,
  withApprovalDetails,
} from '../../ts/index.js';
import { PATIENTLY } from '../runtimes.js';
import { call, calls, major, says, scripted, type ModelTurn } from '../support/model.js';
import { recordingTools } from '../support/tools.js';

const options = { runId: 'chat-1' };
const user: UIMessage = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] };

/** A route's answer in mode `'stop'`, before details are added. */
async function stopped(gate: Gate, turns: ModelTurn[], extra: object = {}) {
  const { model, prompts } = scripted(turns);
  const tools = gateTools(recordingTools().tools, {
    interruptOn: { del: true },
    gate,
    mode: 'stop',
    ...options,
    ...extra,
  });
  const respond = async (messages: UIMessage[]) =>
    ai
      .streamText({ model, tools, messages: await ai.convertToModelMessages(messages, { tools }) })
      .toUIMessageStream({ originalMessages: messages }) as ReadableStream<UIMessageChunk>;
  return { respond, prompts };
}

async function read<CHUNK>(stream: ReadableStream<CHUNK>): Promise<CHUNK[]> {
  const chunks: CHUNK[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

const one = () => [calls(call('del', { path: '/a' }, 'c1')), says('Done.')];

describe('withApprovalDetails', () => {
  it('tells what waits before it is asked, and nothing else is changed', async () => {
    const gate = createGate({ timeout: 60_000 });
    const { respond } = await stopped(gate, one());
    const chunks = await read(withApprovalDetails(await respond([user]), gate, options));
    const [pending] = await gate.pending(options);
    const at = chunks.findIndex(({ type }) => type === 'data-approval');
    expect(chunks[at]).toEqual({
      type: 'data-approval',
      id: 'c1',
      data: {
        approvalId: pending?.approvalId,
        toolCallId: 'c1',
        toolName: 'del',
        step: null,
        description: pending?.description,
        rows: pending?.rows,
        preview: pending?.preview,
        flags: [],
        origin: ['main'],
        changes: [],
        why: null,
        agentReason: null,
        review: null,
        allowedDecisions: pending?.allowedDecisions,
        startedBefore: false,
        dangers: ['it may delete something for good'],
        harmless: false,
        contents: 'kept',
        needs: [],
        approvedBy: [],
        decidedBy: null,
        createdAt: pending?.createdAt,
        expiresAt: pending?.expiresAt,
      },
    });
    expect(chunks[at + 1]).toMatchObject({ type: 'tool-approval-request', toolCallId: 'c1' });
    expect(chunks.map(({ type }) => type).filter((type) => type.startsWith('data-'))).toHaveLength(1);
  });

  it('stands in the messages that are kept, and the model never sees it', async () => {
    const gate = createGate();
    const { respond, prompts } = await stopped(gate, one());
    let kept: UIMessage[] = [];
    const stream = ai.createUIMessageStream({
      originalMessages: [user],
      execute: async ({ writer }) => writer.merge(withApprovalDetails(await respond([user]), gate, options) as never),
      onFinish: ({ messages }) => void (kept = messages),
    });
    await read(stream);
    const part = kept.at(-1)?.parts.find(({ type }) => type === 'data-approval') as { data: ApprovalDetails };
    expect(part.data.preview).toContain('path: /a');
    expect(JSON.stringify(await ai.convertToModelMessages(kept))).not.toContain(part.data.approvalId);
    expect(JSON.stringify(prompts)).not.toContain(part.data.approvalId);
  });

  it('every text is safe: descriptions, reasons and sources of rules', async () => {
    const gate = createGate({
      policy: definePolicy([{ tools: ['del'], effect: 'ask', reason: 'looks\u202eodd\nand more' }]),
    });
    const { respond } = await stopped(gate, [calls(call('del', { path: '/\u200ba' }, 'c1'))], {
      interruptOn: { del: { description: 'Deletes\u001b[2J it' } },
    });
    await read(await respond([user]));
    const [found] = await approvalDetails(gate, options);
    expect(found?.description).toBe('Deletes\\u{001B}[2J it');
    expect(found?.why).toMatchObject({ effect: 'ask' });
    expect(found?.why?.reason).toContain('looks\\u{202E}odd ⏎ and more');
    expect(found?.preview).toContain('/\\u{200B}a');
    expect(found?.flags).toEqual(['invisible']);
  });

  it('a call that the gate does not know is left as it is', async () => {
    const gate = createGate();
    const { respond } = await stopped(gate, one());
    const chunks = await read(withApprovalDetails(await respond([user]), gate, { runId: 'another' }));
    expect(chunks.some(({ type }) => type === 'data-approval')).toBe(false);
    expect(chunks.some(({ type }) => type === 'tool-approval-request')).toBe(true);
  });

  it('a gate that cannot be read does not end the stream', async () => {
    const gate = createGate();
    const { respond } = await stopped(gate, one());
    const asked = await read(await respond([user]));
    gate.close();
    const chunks = await read(withApprovalDetails(ai.simulateReadableStream({ chunks: asked }), gate, options));
    expect(chunks).toEqual(asked);
    expect(chunks.some(({ type }) => type === 'tool-approval-request')).toBe(true);
  });

  it('a response that stays open', async () => {
    const gate = createGate();
    const { tools, ran } = recordingTools();
    const run = streamWithEvents({
      model: scripted(one()).model,
      messages: [{ role: 'user', content: 'go' }],
      tools,
      interruptOn: { del: true },
      gate,
      ...options,
    });
    const chunks = run.toUIMessageStream() as ReadableStream<UIMessageChunk>;
    const seen: string[] = [];
    for await (const chunk of withApprovalDetails(chunks, gate, options)) {
      seen.push(chunk.type);
      if (chunk.type === 'tool-approval-request') await gate.approve(chunk.approvalId);
    }
    expect(seen.indexOf('data-approval')).toBe(seen.indexOf('tool-approval-request') - 1);
    expect(ran).toEqual(['del /a']);
  });

  it.each(['approve', 'reject'] as const)('says who decided, before the result of the call: %s', async (decision) => {
    const gate = createGate();
    const run = streamWithEvents({
      model: scripted(one()).model,
      messages: [{ role: 'user', content: 'go' }],
      tools: recordingTools().tools,
      interruptOn: { del: true },
      gate,
      ...options,
    });
    const told: (string | null)[] = [];
    let before = '';
    const chunks = run.toUIMessageStream() as ReadableStream<UIMessageChunk>;
    for await (const chunk of withApprovalDetails(chunks, gate, options)) {
      if (chunk.type === 'tool-approval-request') await gate[decision](chunk.approvalId, { by: 'ada\u202e' });
      if (chunk.type === 'data-approval') told.push((chunk.data as ApprovalDetails).decidedBy);
      if (chunk.type.startsWith('tool-output-')) expect(before).toBe('data-approval');
      before = chunk.type;
    }
    expect(told).toEqual([null, 'ada\\u{202E}']);
  });

  it('a reader that leaves cancels what it read', async () => {
    let cancelled: unknown;
    const source = new ReadableStream<UIMessageChunk>({ cancel: (reason) => void (cancelled = reason) });
    await withApprovalDetails(source, createGate(), options).cancel('gone');
    await expect.poll(() => cancelled, PATIENTLY).toBe('gone');
  });

  it('a gate of somebody else is refused at once', () => {
    const stream = new ReadableStream<UIMessageChunk>();
    expect(() => withApprovalDetails(stream, {} as Gate, options)).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_CONFIG' }),
    );
  });
});

describe('approvalDetails', () => {
  it('what waits in the run, and nothing that is over', async () => {
    const gate = createGate();
    const both = [calls(call('del', { path: '/a' }, 'c1'), call('del', { path: '/b' }, 'c2'))];
    await read(await (await stopped(gate, both)).respond([user]));
    expect((await approvalDetails(gate, options)).map(({ toolCallId }) => toolCallId)).toEqual(['c1', 'c2']);
    await gate.reject((await gate.pending(options))[0]!.approvalId);
    expect((await approvalDetails(gate, options)).map(({ toolCallId }) => toolCallId)).toEqual(['c2']);
    expect(await approvalDetails(gate, { runId: 'another' })).toEqual([]);
  });

  it('who must agree, and who has', async () => {
    const gate = createGate();
    const interruptOn = { del: { approvers: ['ada', 'group:ops\u202e'], quorum: 2 } };
    await read(await (await stopped(gate, one(), { interruptOn })).respond([user]));
    await gate.approve((await gate.pending(options))[0]!.approvalId, { by: 'ada' });
    expect(await approvalDetails(gate, options)).toMatchObject([
      { needs: [{ approvers: ['ada', 'group:ops\\u{202E}'], quorum: 2 }], approvedBy: ['ada'] },
    ]);
  });

  it(`is JSON (AI SDK ${major})`, async () => {
    const gate = createGate();
    await read(await (await stopped(gate, one())).respond([user]));
    const found = await approvalDetails(gate, options);
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
  });
});
