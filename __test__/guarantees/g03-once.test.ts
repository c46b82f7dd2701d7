/**
 * G3. One decision per request, one execution per approval, over any number of processes, clicks and replays.
 *
 * Here within one process, whose own a ledger in memory is; over several: `g03-once.processes.long.test.ts`.
 */
import type { ModelMessage } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import type { ApprovalRecord, Gate, GateEvent } from '../../index.js';
import { AlreadyDecidedError, createGate, verifyApprovals } from '../../ts/index.js';
import { sample } from '../support/effort.js';
import { answer, stoppingEntries, waitingEntries } from '../support/entries.js';
import { call, calls, collect, says } from '../support/model.js';
import { of, start, until } from '../support/play.js';
import { recordingTools } from '../support/tools.js';

const turns = [calls(call('del', { path: '/a' }, 'c1')), says('.')];
const user: ModelMessage = { role: 'user', content: 'go' };

type Decide = (gate: Gate, id: string, by: string) => Promise<ApprovalRecord>;
/** All decisions, through all ways that a gate has for them. */
const ways: [name: string, status: string, Decide][] = [
  ['approve', 'approved', (gate, id, by) => gate.approve(id, { by })],
  ['reject', 'rejected', (gate, id, by) => gate.reject(id, { by })],
  ['reject and stop', 'rejected', (gate, id, by) => gate.reject(id, { by, stop: true })],
  ['edit', 'edited', (gate, id, by) => gate.edit(id, { path: '/e' }, { by })],
  ['respond', 'responded', (gate, id, by) => gate.respond(id, 'x', { by })],
  ['skip', 'skipped', (gate, id, by) => gate.skip(id, { by })],
  ['decide true', 'approved', (gate, id, by) => gate.decide(id, true, { by })],
  ['decide false', 'rejected', (gate, id, by) => gate.decide(id, false, { by })],
  ['decide edit', 'edited', (gate, id, by) => gate.decide(id, { type: 'edit', args: { path: '/e' } }, { by })],
  ['decide respond', 'responded', (gate, id, by) => gate.decide(id, { type: 'respond', output: 1 }, { by })],
  ['decide skip', 'skipped', (gate, id, by) => gate.decide(id, { type: 'skip' }, { by })],
];

/** The first one wins, and all others are told who it was. */
async function expectOneWinner(attempts: Promise<ApprovalRecord>[]): Promise<ApprovalRecord> {
  const settled = await Promise.allSettled(attempts);
  const won = settled.filter((one) => one.status === 'fulfilled');
  expect(won).toHaveLength(1);
  const winner = (won[0] as PromiseFulfilledResult<ApprovalRecord>).value;
  for (const one of settled) {
    if (one.status === 'fulfilled') continue;
    expect(one.reason).toBeInstanceOf(AlreadyDecidedError);
    expect((one.reason as AlreadyDecidedError).winner).toMatchObject({
      approvalId: winner.approvalId,
      decision: winner.decision,
      decidedBy: winner.decidedBy,
      decidedAt: winner.decidedAt,
    });
  }
  return winner;
}

describe('one decision', () => {
  it.each(
    sample(
      ways.flatMap((first) => ways.map((second) => [first[0], second[0], first, second] as const)),
      ways.length,
    ),
  )('after %s, %s comes too late', async (_first, _second, [, status, decide], [, , again]) => {
    await using gate = createGate();
    const asking = gate.request({ toolName: 't', args: { path: '/a' } });
    const id = (await gate.pending())[0]?.approvalId ?? '';
    const record = await decide(gate, id, 'first');
    expect(record.status).toBe(status);
    const { decision, decidedAt } = record;
    const stands = { decision, decidedAt, decidedBy: 'first' };
    await expect(again(gate, id, 'second')).rejects.toMatchObject({ code: 'ERR_ALREADY_DECIDED', winner: stands });
    expect(await gate.get(id)).toMatchObject(stands);
    expect(await asking).toMatchObject({
      decidedBy: 'first',
      approved: status === 'approved' || status === 'edited',
    });
  });

  it('of 100 at once: one wins, the others are told who', async () => {
    await using gate = createGate();
    const events: GateEvent[] = [];
    const reader = gate.events();
    const reading = (async () => {
      for await (const event of reader) events.push(event);
    })();
    const asking = gate.request({ toolName: 't', args: { path: '/a' } });
    const id = (await gate.pending())[0]?.approvalId ?? '';
    const attempts = Array.from({ length: 100 }, (_, index) =>
      (ways[index % ways.length] as (typeof ways)[number])[2](gate, id, `human ${index}`),
    );
    const winner = await expectOneWinner(attempts);
    expect((await asking).decidedBy).toBe(winner.decidedBy);
    await gate.close();
    await reading;
    // Closing the gate takes back what was approved and not used: that is no second human.
    expect(events.filter((event) => event.type === 'decided' && event.via === 'gate')).toHaveLength(1);
  });

  it('of 100 at once in a run: the call runs once, or not at all', async () => {
    for (const offset of sample([...ways.keys()], 3)) {
      await using gate = createGate();
      const { ran, tools } = recordingTools();
      const { run } = start({ turns, tools, interruptOn: 'all', gate });
      const { approvalId } = await until(run, 'approval-requested');
      const attempts = Array.from({ length: 100 }, (_, index) =>
        (ways[(index + offset) % ways.length] as (typeof ways)[number])[2](gate, approvalId, `human ${index}`),
      );
      const [winner, events] = await Promise.all([expectOneWinner(attempts), collect(run)]);
      const { type } = winner.decision ?? { type: undefined };
      expect(ran).toEqual(type === 'approve' ? ['del /a'] : type === 'edit' ? ['del /e'] : []);
      expect(of(events)('approval-response')).toHaveLength(1);
      expect(of(events)('approval-response')[0]?.decidedBy).toBe(winner.decidedBy);
    }
  });

  it.each([
    ['callback first', true],
    ['gate first', false],
  ])('of a callback and a gate: %s', async (_, callbackFirst) => {
    await using gate = createGate();
    const { ran, tools } = recordingTools();
    let late: unknown;
    const { run } = start({
      turns,
      tools,
      interruptOn: 'all',
      gate,
      onApprovalRequest: async ({ approvalId }) => {
        if (callbackFirst) return { type: 'reject', reason: 'callback' };
        await gate.approve(approvalId, { by: 'gate' });
        return { type: 'reject', reason: 'callback' };
      },
    });
    const response = await until(run, 'approval-response');
    late = await gate.approve(response.approvalId).catch((error: unknown) => error);
    await collect(run);
    expect(late).toBeInstanceOf(AlreadyDecidedError);
    expect(response.decidedBy).toBe(callbackFirst ? 'callback' : 'gate');
    expect(ran).toEqual(callbackFirst ? [] : ['del /a']);
  });

  it('of two edits that are checked at the same time', async () => {
    await using gate = createGate();
    const { ran, tools } = recordingTools();
    const { run } = start({ turns, tools, interruptOn: 'all', gate });
    const { approvalId } = await until(run, 'approval-requested');
    const edits = ['/x', '/y'].map((path) => gate.edit(approvalId, { path }, { by: path }));
    const [winner] = await Promise.all([expectOneWinner(edits), collect(run)]);
    expect(ran).toEqual([`del ${String(winner.decidedBy)}`]);
  });
});

describe.each(waitingEntries)('one execution: %s', (_, entry) => {
  it('runs once, and the gate knows it has', async () => {
    await using gate = createGate();
    const { ran, tools } = recordingTools();
    let id = '';
    const onApprovalRequest = ({ approvalId }: { approvalId: string }) => (id = approvalId) !== '';
    await entry({ turns, tools, interruptOn: 'all', gate, runId: 'chat', onApprovalRequest });
    expect(ran).toEqual(['del /a']);
    expect((await gate.get(id))?.status).toBe('succeeded');
    // The same call once more, in the same run: nobody is asked, nothing runs.
    const again = vi.fn(() => true);
    await entry({ turns, tools, interruptOn: 'all', gate, runId: 'chat', onApprovalRequest: again });
    expect([ran, again.mock.calls.length]).toEqual([['del /a'], 0]);
  });
});

describe.each(stoppingEntries)('one execution: %s', (name, open) => {
  const asked = async () => {
    const { ran, tools } = recordingTools();
    const chat = open({ gate: createGate(), tools, interruptOn: 'all', runId: 'chat' });
    const history = await chat.speak([user], [turns[0] as never]);
    const verify = (messages: ModelMessage[]) => verifyApprovals(messages, chat.gate, { runId: 'chat' });
    return { ran, chat, history, sent: answer(history, true), verify };
  };
  const speakOrNot = (speaking: Promise<unknown>) => speaking.catch(() => {});

  it('of the same messages sent twice', async () => {
    const { ran, chat, sent, verify } = await asked();
    await chat.speak(await verify(sent), [says('.')]);
    for (let replay = 0; replay < 3; replay++) await speakOrNot(chat.speak(await verify(sent), [says('.')]));
    expect(ran).toEqual(['del /a']);
  });

  it('of the same messages sent ten times at once', async () => {
    const { ran, chat, sent, verify } = await asked();
    await Promise.all(Array.from({ length: 10 }, async () => speakOrNot(chat.speak(await verify(sent), [says('.')]))));
    expect(ran.length).toBe(1);
  });

  it('of messages that were verified once and used twice', async () => {
    const { ran, chat, sent, verify } = await asked();
    const verified = await verify(sent);
    await Promise.all([1, 2, 3].map(() => speakOrNot(chat.speak(verified, [says('.')]))));
    await speakOrNot(chat.speak(sent, [says('.')]));
    expect(ran).toEqual(['del /a']);
  });

  it('of an answer that stands there twice', async () => {
    const { ran, chat, sent, verify } = await asked();
    const last = sent.at(-1) as { role: 'tool'; content: unknown[] };
    const doubled = [...sent.slice(0, -1), { ...last, content: [...last.content, ...last.content] }] as ModelMessage[];
    await speakOrNot(chat.speak(await verify(doubled), [says('.')]));
    expect(ran.length).toBeLessThanOrEqual(1);
  });

  it('of an answer after a denial', async () => {
    const { ran, chat, history, sent, verify } = await asked();
    await chat.speak(await verify(answer(history, false)), [says('.')]);
    await speakOrNot(chat.speak(await verify(sent), [says('.')]));
    expect(ran).toEqual([]);
  });

  it('of a request that was approved in another place too', async () => {
    const { ran, chat, sent, verify } = await asked();
    await chat.gate.approve((await chat.gate.pending())[0]?.approvalId ?? '');
    await chat.speak(await verify(sent), [says('.')]);
    await speakOrNot(chat.speak(await verify(sent), [says('.')]));
    expect(ran).toEqual(['del /a']);
  });

  // The SDK's own option carries out no edits, and its requests take none.
  it.skipIf(name === 'toolApproval')(
    'of a request that was edited in another place: what was approved, not what the client sends back',
    async () => {
      const { ran, chat, sent, verify } = await asked();
      await chat.gate.edit((await chat.gate.pending())[0]?.approvalId ?? '', { path: '/b' });
      await speakOrNot(chat.speak(await verify(sent), [says('.')]));
      await speakOrNot(chat.speak(sent, [says('.')]));
      expect(ran).toEqual(['del /b']);
    },
  );

  it('of a conversation that goes on, with its old answer in it', async () => {
    const { ran, chat, sent, verify } = await asked();
    const done = await chat.speak(await verify(sent), [says('.')]);
    await chat.speak(await verify([...done, user]), [says('again.')]);
    expect(ran).toEqual(['del /a']);
  });
});

it('runs no approval of a run in another run', async () => {
  await using gate = createGate();
  const { ran, tools } = recordingTools();
  for (const runId of ['one', 'two']) {
    const { run } = start({ turns, tools, interruptOn: 'all', gate, runId });
    const { approvalId } = await until(run, 'approval-requested');
    if (runId === 'one') {
      await gate.approve(approvalId);
      await run.return();
    } else {
      await gate.reject(approvalId);
      await collect(run);
    }
  }
  expect(ran).toEqual([]);
});
