/** "Yes, but keep a backup": what a human says with an approval reaches the model, and why it is asked reaches the human. */
import * as ai from 'ai';
import type { UIMessageChunk } from 'ai';
import { describe, expect, it } from 'vitest';
import { createGate, gateTools, parsePolicy, streamWithEvents, withApprovalDetails } from '../../ts/index.js';
import { call, calls, collect, major, resultsIn, says, scripted, stepCount, text } from '../support/model.js';
import { play } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { askThenLeave, goOn, stage } from '../resume/stage.js';

const turns = () => [calls(call('del', { path: '/a' }, 'c1')), says('Done.')];
const SAID = 'Note: the human who approved this call said: keep a backup';
const note = (result: string) => ({ type: 'text', value: `${result}\n\n${SAID}` });

describe('the reason of an approval', () => {
  it('reaches the model with the result, and the event has it', async () => {
    const { tools } = recordingTools();
    const onApprovalRequest = () => ({ type: 'approve' as const, reason: 'keep a backup' });
    const { prompts, of } = await play({ turns: turns(), tools, interruptOn: { del: true }, onApprovalRequest });
    expect(resultsIn(prompts[1])).toEqual({ c1: note('deleted /a') });
    expect(of('approval-response')).toMatchObject([{ approved: true, reason: 'keep a backup' }]);
    // What the tool gave is what it gave.
    expect(of('tool-result')).toMatchObject([{ result: 'deleted /a' }]);
  });

  it('of an edit, beside that it was one', async () => {
    const { tools } = recordingTools();
    const onApprovalRequest = () => ({ type: 'edit' as const, args: { path: '/b' }, reason: 'not that one' });
    const { prompts } = await play({ turns: turns(), tools, interruptOn: { del: true }, onApprovalRequest });
    expect(resultsIn(prompts[1])).toMatchObject({
      c1: {
        value: expect.stringMatching(/^deleted \/b\n\nNote: the human changed .* They said: not that one$/) as string,
      },
    });
  });

  it('reaches the model also when the tool fails', async () => {
    const { tools } = recordingTools();
    const failing = { ...tools, del: { ...tools.del, execute: () => Promise.reject(new Error('no disk')) } };
    const onApprovalRequest = () => ({ approved: true, reason: 'keep a backup' });
    const { prompts } = await play({ turns: turns(), tools: failing, interruptOn: { del: true }, onApprovalRequest });
    expect(JSON.stringify(resultsIn(prompts[1])['c1'])).toMatch(/no disk.*keep a backup/);
  });

  it.each([
    [
      'it is there already',
      { type: 'text', value: 'it is there already\n\nNote: a human gave this result, and said: look first' },
    ],
    [{ n: 1 }, { type: 'text', value: '{"n":1}\n\nNote: a human gave this result, and said: look first' }],
  ])('of an answer in the place of the result (%j), by each way', async (output, told) => {
    const { tools } = recordingTools();
    const onApprovalRequest = () => ({ type: 'respond' as const, output, reason: 'look first' });
    const interruptOn = { del: true };
    const { prompts, of } = await play({ turns: turns(), tools, interruptOn, onApprovalRequest });
    expect(resultsIn(prompts[1])).toEqual({ c1: told });
    expect(of('tool-result')).toMatchObject([{ result: output }]);
    const other = scripted(turns());
    const gated = gateTools(tools, { interruptOn, onApprovalRequest });
    await ai.generateText({ model: other.model, prompt: 'go', tools: gated, stopWhen: stepCount(3) });
    expect(resultsIn(other.prompts[1])).toEqual({ c1: told });
  });

  it.each(['', '  ', undefined])('that says nothing (%j) adds nothing', async (reason) => {
    const { tools } = recordingTools();
    const onApprovalRequest = () => ({ type: 'approve' as const, ...(reason === undefined ? {} : { reason }) });
    const { prompts } = await play({ turns: turns(), tools, interruptOn: { del: true }, onApprovalRequest });
    expect(resultsIn(prompts[1])).toEqual({ c1: { type: 'text', value: 'deleted /a' } });
  });

  it('tells two calls of a step apart', async () => {
    const { tools } = recordingTools();
    const both = [calls(call('del', { path: '/a' }, 'c1'), call('del', { path: '/b' }, 'c2')), says('Done.')];
    const onApprovalRequest = ({ toolCallId }: { toolCallId: string }) => ({
      type: 'approve' as const,
      reason: `for ${toolCallId}`,
    });
    const { prompts } = await play({ turns: both, tools, interruptOn: { del: true }, onApprovalRequest });
    const said = resultsIn(prompts[1]) as Record<string, { value: string }>;
    expect(said['c1']?.value).toMatch(/said: for c1$/);
    expect(said['c2']?.value).toMatch(/said: for c2$/);
  });

  it('through gateTools that wait', async () => {
    const { tools } = recordingTools();
    const onApprovalRequest = () => ({ type: 'approve' as const, reason: 'keep a backup' });
    const { model, prompts } = scripted(turns());
    const gated = gateTools(tools, { interruptOn: { del: true }, onApprovalRequest });
    await ai.generateText({ model, prompt: 'go', tools: gated, stopWhen: stepCount(3) });
    expect(resultsIn(prompts[1])).toEqual({ c1: note('deleted /a') });
  });

  it('given while no process ran, to a call that runs when the run goes on', async () => {
    const on = stage();
    const one = [[...text('A'), ...calls(call('del', { path: '/a' }, 'c1'))]];
    const { waiting } = await askThenLeave(on, one, 1);
    await on.gate().approve(waiting[0]?.approvalId ?? '', 'keep a backup');
    const { prompts } = await goOn(on, [says('done')]);
    expect(resultsIn(prompts[0])).toEqual({ c1: note('deleted /a') });
  });
});

describe('why a human is asked', () => {
  const requestIn = (chunks: UIMessageChunk[]) => chunks.find(({ type }) => type === 'tool-approval-request');

  it.each([
    [
      'by a rule',
      { policy: '[[rule]]\neffect = "ask"\ntools = ["del"]\nreason = "files are gone for good"' },
      /for good/,
    ],
    ['by interruptOn', { interruptOn: { del: true } }, /del.*\/a/],
    ['in the words of the program', { interruptOn: { del: { description: 'Deletes /a' } } }, /^Deletes \/a$/],
  ])('%s, in the UI stream of a run', async (_, asks, reason) => {
    const gate = createGate();
    const { tools } = recordingTools();
    const given = 'policy' in asks ? { policy: parsePolicy(`version = 1\ndefault = "allow"\n${asks.policy}`) } : asks;
    const run = streamWithEvents({ model: scripted(turns()).model, prompt: 'go', tools, gate, ...given } as never);
    const chunks: UIMessageChunk[] = [];
    for await (const chunk of run.toUIMessageStream() as unknown as AsyncIterable<UIMessageChunk>) {
      chunks.push(chunk);
      if (chunk.type === 'tool-approval-request') await gate.reject(chunk.approvalId);
    }
    // AI SDK 6 refuses a chunk with a field that it does not know.
    if (major === 6) expect(requestIn(chunks)).not.toHaveProperty('reason');
    else expect(requestIn(chunks)).toMatchObject({ reason: expect.stringMatching(reason) as string });
  });

  it("by gateTools in mode 'stop', through withApprovalDetails", async () => {
    const gate = createGate();
    const { tools } = recordingTools();
    const interruptOn = { del: { description: 'Deletes /a' } };
    const gated = gateTools(tools, { interruptOn, gate, mode: 'stop', runId: 'r' });
    const result = ai.streamText({ model: scripted(turns()).model, prompt: 'go', tools: gated });
    const stream = withApprovalDetails(result.toUIMessageStream(), gate, { runId: 'r' });
    const request = requestIn(await collect(stream as unknown as AsyncIterable<UIMessageChunk>));
    expect(request).toBeDefined();
    if (major === 6) expect(request).not.toHaveProperty('reason');
    else expect(request).toMatchObject({ reason: 'Deletes /a' });
  });

  it.runIf(major === 7)('reaches the message of the page as requestReason', async () => {
    const gate = createGate();
    const { tools } = recordingTools();
    const interruptOn = { del: { description: 'Deletes /a' } };
    const run = streamWithEvents({ model: scripted(turns()).model, prompt: 'go', tools, gate, interruptOn } as never);
    const stream = run.toUIMessageStream() as ReadableStream<UIMessageChunk>;
    let seen = '';
    for await (const message of ai.readUIMessageStream({ stream })) {
      const part = message.parts.find(({ type }) => type === 'tool-del') as { approval?: { requestReason?: string } };
      seen ||= part?.approval?.requestReason ?? '';
      if (seen !== '') for (const { approvalId } of await gate.pending()) await gate.reject(approvalId);
    }
    expect(seen).toBe('Deletes /a');
  });
});
