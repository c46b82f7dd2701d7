/** The model gives a call the id of an earlier one, and the answers of people come back in the messages. */
import * as ai from 'ai';
import type { ModelMessage, UIMessage } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import type { Gate, RefusedApproval } from '../../index.js';
import { createGate, gateTools, verifyApprovals } from '../../ts/index.js';
import { call, calls, says, scripted, type ModelTurn } from '../support/model.js';
import { PATIENTLY } from '../runtimes.js';
import { asks, chat, kinds, RUN, type Kind } from '../support/stopped-chat.js';
import { recordingTools } from '../support/tools.js';

describe.each(kinds)('a call with the id of an earlier one, with %s', (kind) => {
  it('is asked about once more where that one was taken out of the conversation', async () => {
    const { gate, ran, errors, post, answer, says: types, messages } = chat(kind);
    const first = types('go');
    await post(first, asks());
    await post(first, calls(call('del', { path: '/b' }, 'c1')));
    expect(await gate.pending()).toMatchObject([{ toolCallId: 'c1', args: { path: '/b' } }]);
    answer('c1', { approved: true });
    await post(messages(), says('Done.'));
    expect([ran, errors]).toEqual([['del /b'], []]);
    expect((await gate.history()).map(({ status }) => status).toSorted()).toEqual(['cancelled', 'succeeded']);
  });

  const asked = async (gate: Gate) => (await gate.pending())[0]?.approvalId ?? '';
  const ends: Record<string, (talk: ReturnType<typeof chat>) => Promise<unknown>> = {
    'was rejected in the chat': async ({ post, answer, messages }) => {
      answer('c1', { approved: false });
      await post(messages(), says('As you like.'));
    },
    'was rejected at the gate': async ({ gate }) => gate.reject(await asked(gate), 'No.'),
    'ended the turn': async ({ gate }) => gate.decide(await asked(gate), { type: 'rejectAndStop' }),
    'was skipped': async ({ gate }) => gate.decide(await asked(gate), { type: 'skip' }),
    'has expired': async ({ gate }) => vi.waitFor(async () => expect(await gate.pending()).toEqual([]), PATIENTLY),
  };
  it.each(Object.entries(ends))('is asked about where that one %s and is gone, and a yes runs it', async (how, end) => {
    const talk = chat(kind, createGate(how === 'has expired' ? { timeout: 30 } : {}));
    const { gate, ran, errors, post, answer, says: types, messages } = talk;
    const first = types('go');
    await post(first, asks());
    await end(talk);
    const [earlier] = await gate.history();
    await post(first, asks());
    if (how !== 'has expired') {
      expect(await gate.pending()).toMatchObject([{ toolCallId: 'c1', askedAgain: { takenBack: false } }]);
      answer('c1', { approved: true });
      await post(messages(), says('Done.'));
      expect([ran, errors]).toEqual([['del /a'], []]);
    }
    await vi.waitFor(async () => expect(await gate.history()).toHaveLength(2), PATIENTLY);
    expect(await gate.get(earlier?.approvalId ?? '')).toMatchObject({ status: earlier?.status });
  });

  it.each([true, false])('is not decided by an answer of another tab to that one: %s', async (approved) => {
    const { gate, ran, errors, post, answer, says: types, messages } = chat(kind);
    const first = types('go');
    await post(first, asks());
    answer('c1', { approved: false });
    const old = structuredClone(messages());
    await post(messages(), says('As you like.'));
    await post(first, asks());
    const waiting = await asked(gate);
    const stale = JSON.parse(JSON.stringify(old).replace('"approved":false', `"approved":${approved}`)) as typeof old;
    await post(stale, says('Hm.'));
    expect(await gate.get(waiting)).toMatchObject({ status: 'pending' });
    expect([ran, errors]).toEqual([[], []]);
  });

  it('is not decided by an answer with the id that the gate gave that one', async () => {
    const { gate, ran, errors, post, answer, says: types, messages } = chat(kind);
    const first = types('go');
    await post(first, asks());
    const earlier = await asked(gate);
    await gate.reject(earlier, 'No.');
    await post(first, asks());
    const waiting = await asked(gate);
    answer('c1', { approved: true });
    const own = kind === 'model messages' ? /("approvalId":")[^"]*/g : /("approval":\{"id":")[^"]*/g;
    const stale = JSON.parse(JSON.stringify(messages()).replace(own, `$1${earlier}`)) as UIMessage[];
    await post(stale, says('Hm.'));
    expect(await gate.get(waiting)).toMatchObject({ status: 'pending' });
    expect([ran, errors]).toEqual([[], []]);
  });

  const lastTurn = (all: ModelMessage[]) => all.slice(all.findLastIndex(({ role }) => role === 'user'));
  describe.each([
    ['was rejected', { approved: false, reason: 'n' }],
    ['was not answered', undefined],
  ])('where that one %s, and the route sends the model the last turn alone', (_, first) => {
    it.each(['/a', '/b'])('is decided by the answer to it: %s', async (path) => {
      for (const approved of [true, false]) {
        const { gate, ran, errors, post, answer, says: types, messages } = chat(kind, createGate(), lastTurn);
        const refused: unknown[] = [];
        const onRefused = (one: RefusedApproval) => refused.push(one);
        await post(types('go'), asks());
        if (first !== undefined) {
          answer('c1', first);
          await post(messages(), says('As you like.'));
        }
        await post(types('once more'), calls(call('del', { path }, 'c1')));
        const waiting = await asked(gate);
        expect(await gate.get(waiting)).toMatchObject({ status: 'pending', args: { path } });
        answer('c1', { approved, reason: 'then' });
        const { verified } = await post(messages(), says('Done.'), { onRefused });
        expect([ran, errors, refused]).toEqual([approved ? [`del ${path}`] : [], [], []]);
        expect(await gate.get(waiting)).toMatchObject({ status: approved ? 'succeeded' : 'rejected' });
        expect(JSON.stringify(verified).match(/"approved":true/g)?.length ?? 0).toBe(approved ? 1 : 0);
        if (first !== undefined) expect(JSON.stringify(verified)).toContain('"reason":"n"');
      }
    });
  });

  it('is not decided by a yes where it has no request, and the answer is told', async () => {
    const { gate, ran, errors, post, says: types, messages } = chat(kind, createGate(), lastTurn);
    const refused: RefusedApproval[] = [];
    await post(types('go'), asks());
    const sent = [...messages(), ...structuredClone(messages())] as UIMessage[];
    const own = kind === 'model messages' ? /("approvalId":")[^"]*/g : /("approval":\{"id":")[^"]*/g;
    await verifyApprovals<UIMessage | ModelMessage>(messages(), gate, { runId: RUN, unanswered: 'keep' });
    const copy = JSON.parse(JSON.stringify(messages()).replace(own, '$1other')) as UIMessage[];
    sent.splice(messages().length, messages().length, ...copy);
    const response = {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: 'other', approved: true }],
    };
    const answered =
      kind === 'model messages'
        ? [...sent, response]
        : JSON.parse(
            JSON.stringify(sent).replace(
              /(.*)"approval-requested"(.*)"id":"other"/,
              '$1"approval-responded"$2"id":"other","approved":true',
            ),
          );
    await post(answered as UIMessage[], says('Hm.'), { onRefused: (one: RefusedApproval) => refused.push(one) });
    expect(refused).toMatchObject([{ toolCallId: 'c1', reason: expect.stringMatching(/same tool call id/) as string }]);
    expect([ran, errors]).toEqual([[], []]);
  });

  it('has no request of its own where that one was approved, and nothing has run on the approval', async () => {
    const { gate, ran, errors, post, says: types } = chat(kind);
    const first = types('go');
    await post(first, asks());
    await gate.approve(await asked(gate));
    const { tools } = recordingTools();
    const gated = gateTools(tools, { interruptOn: { del: true }, gate, mode: 'stop', runId: RUN });
    const { model } = scripted([asks(), says('Hm.')]);
    await ai.generateText({ model, tools: gated, prompt: 'go' });
    expect(await gate.pending()).toEqual([]);
    expect((await gate.history()).map(({ status }) => status)).toEqual(['approved']);
    expect([ran, errors]).toEqual([[], []]);
  });

  it('is denied at once where that one stands in the conversation', async () => {
    const { gate, ran, errors, post, answer, says: types, messages } = chat(kind);
    await post(types('go'), asks());
    answer('c1', { approved: true });
    await post(messages(), says('Done.'));
    await post(types('again'), asks());
    expect(await gate.pending()).toEqual([]);
    expect(JSON.stringify(messages().at(-1))).not.toContain('approval-requested');
    expect(JSON.stringify(messages())).toMatch(/Two calls have the same tool call id|a call is asked about once/);
    expect([ran, errors]).toEqual([['del /a'], []]);
  });

  const talks = (kind: Kind, path: string, keeps: boolean) => {
    const talk = chat(kind, createGate(), lastTurn);
    const refused: RefusedApproval[] = [];
    const options = { onRefused: (one: RefusedApproval) => refused.push(one), unanswered: keeps ? 'keep' : 'cancel' };
    const del = (to: string) => calls(call('del', { path: to }, 'c1'));
    const post = (sent: Parameters<typeof talk.post>[0], turn: ModelTurn) => talk.post(sent, turn, options);
    const paths = async () =>
      [...(await talk.gate.history()), ...(await talk.gate.pending())].map(
        (one) => `${(one.args as { path: string }).path} ${'status' in one ? one.status : 'pending'}`,
      );
    return { ...talk, refused, post, first: del('/a'), second: del(path), del, paths };
  };

  it('is denied at once where the request of that one is kept for others', async () => {
    const { ran, errors, post, says: types, messages, first, second, paths } = talks(kind, '/b', true);
    await post(types('go'), first);
    await post(types('once more'), second);
    // No card that would decide about another call.
    expect(JSON.stringify(messages().at(-1))).not.toContain('approval-request');
    expect(JSON.stringify(messages())).toMatch(/Two calls have the same tool call id|a call is asked about once/);
    expect([await paths(), ran, errors]).toEqual([['/a pending'], [], []]);
  });

  it.each([
    ['kept', true, '/a pending'],
    ['over', false, '/a cancelled'],
  ])('has a no to itself that is not one to that one, which is %s, and it is told', async (_, keeps, path) => {
    const { ran, refused, post, says: types, messages, answer, first, paths } = talks(kind, '/b', keeps);
    await post(types('go'), first);
    answer('c1', { approved: false, reason: 'not b' });
    const sent = JSON.parse(JSON.stringify(messages()).replaceAll('/a', '/b')) as UIMessage[];
    const { prompt } = await post(sent, says('Hm.'));
    expect([await paths(), ran]).toEqual([[path], []]);
    expect(refused).toMatchObject([{ reason: expect.stringMatching(/not the one that was asked about/) as string }]);
    expect(JSON.stringify(prompt)).toContain('not b');
  });

  it.each(['/a', '/b'])('is over when the user wants another answer, whose call has the id, too: %s', async (path) => {
    const {
      gate,
      ran,
      errors,
      post,
      answer,
      says: types,
      messages,
      first,
      second,
      del,
      paths,
    } = talks(kind, path, false);
    await post(types('go'), first);
    answer('c1', { approved: false, reason: 'n' });
    await post(messages(), says('As you like.'));
    const sent = types('once more');
    await post(sent, second);
    const old = structuredClone(messages());
    expect(await paths()).toEqual(['/a rejected', `${path} pending`]);
    await post(sent, del('/c'));
    expect(await paths()).toEqual(expect.arrayContaining(['/a rejected', `${path} cancelled`, '/c pending']));
    const waiting = await asked(gate);
    answer('c1', { approved: true });
    await post(messages(), says('Done.'));
    expect([ran, errors, (await gate.get(waiting))?.status]).toEqual([['del /c'], [], 'succeeded']);
    // A tab that still shows the answer before.
    const yes = JSON.parse(
      JSON.stringify(old).replace(
        /(.*)"approval-requested"(.*?)"id":"([^"]*)"/,
        '$1"approval-responded"$2"id":"$3","approved":true',
      ),
    );
    await post(yes, says('Hm.'));
    expect(ran).toEqual(['del /c']);
  });

  it('is over then, too, when another person had approved it', async () => {
    const { gate, post, answer, says: types, messages, first, second, paths } = talks(kind, '/b', false);
    await post(types('go'), first);
    answer('c1', { approved: false, reason: 'n' });
    await post(messages(), says('As you like.'));
    const sent = types('once more');
    await post(sent, second);
    await gate.approve(await asked(gate), { by: 'ada' });
    await post(sent, says('Hm.'));
    expect(await paths()).toEqual(expect.arrayContaining(['/a rejected', '/b cancelled']));
  });

  it.runIf(kind !== 'model messages')('has a no to itself, and a yes to that one is told', async () => {
    const { gate, ran, refused, post, says: types, messages, first, second, answer } = talks(kind, '/b', false);
    await post(types('go'), first);
    await post(types('once more'), second);
    const waiting = await asked(gate);
    answer('c1', { approved: false, reason: 'n' });
    const both = JSON.parse(
      JSON.stringify(messages()).replace(
        /"approval-requested"(.*?)"id":"([^"]*)"/,
        '"approval-responded"$1"id":"$2","approved":true',
      ),
    ) as UIMessage[];
    await post(both, says('Hm.'));
    expect([ran, (await gate.get(waiting))?.status]).toEqual([[], 'rejected']);
    expect(refused).toMatchObject([{ toolCallId: 'c1', reason: expect.stringMatching(/earlier call/) as string }]);
  });
});
