/**
 * G5. Time is a decision: a deadline passed is `expired`, also when it passed while no process ran.
 *
 * Here the event loop stands still; over several processes, and when none ran: `g05-time-is-a-decision.processes.long.test.ts`.
 */
import type { ModelMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import type { Gate, GateEvent } from '../../index.js';
import { localGate } from '../../ts/gate/gate.js';
import { ApprovalExpiredError, createGate, verifyApprovals } from '../../ts/index.js';
import { snapshot } from '../../ts/values/snapshot.js';
import { answer, stoppingEntries, waitingEntries } from '../support/entries.js';
import { call, calls, collect, says } from '../support/model.js';
import { of, play, start, until } from '../support/play.js';
import { recordingTools } from '../support/tools.js';

const turns = [calls(call('del', { path: '/a' }, 'c1')), says('.')];
const never = () => new Promise<boolean>(() => {});

/** Nothing else happens in this process meanwhile. */
function stand(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

async function expired(gate: Gate): Promise<GateEvent & { type: 'decided' }> {
  for await (const event of gate.events()) if (event.type === 'decided') return event;
  throw new Error('the gate was closed');
}

const ways: [name: string, (gate: Gate, id: string) => Promise<unknown>][] = [
  ['approve', (gate, id) => gate.approve(id)],
  ['reject', (gate, id) => gate.reject(id)],
  ['edit', (gate, id) => gate.edit(id, { path: '/e' })],
  ['respond', (gate, id) => gate.respond(id, 1)],
  ['skip', (gate, id) => gate.skip(id)],
  ['decide', (gate, id) => gate.decide(id, true)],
];

describe('gate.request', () => {
  it.each([
    ['its own timeout', {}, { timeout: 30 }],
    ["the gate's timeout", { timeout: 30 }, {}],
    ['the shorter of its own', { timeout: 60_000 }, { timeout: 30 }],
  ])('expires after %s', async (_, options, request) => {
    await using gate = createGate(options);
    const told = expired(gate);
    // By the same clock as deadlines: it may be set meanwhile.
    const begun = Date.now();
    const resolution = await gate.request({ toolName: 't', args: {}, ...request });
    expect(Date.now() - begun).toBeGreaterThanOrEqual(29);
    expect(resolution).toMatchObject({ approved: false, decision: { type: 'expired' }, decidedBy: 'deadline' });
    expect(await told).toMatchObject({ decision: { type: 'expired' }, via: 'deadline' });
    expect(await gate.get(resolution.approvalId)).toMatchObject({ status: 'expired', via: 'deadline' });
    expect(await gate.pending()).toEqual([]);
  });

  it.each(ways)('refuses %s when the deadline has passed and nobody has noticed yet', async (_, decide) => {
    const requested: { approvalId: string }[] = [];
    // Told at once, in the call: on a busy machine the deadline may pass before anything that is awaited.
    const info = (message: string, fields: object) =>
      void (message === 'approval requested' && requested.push(fields as never));
    await using gate = createGate({ timeout: 40, logger: { info } });
    const asking = gate.request({ toolName: 't', args: {} });
    const [request] = requested;
    stand(60);
    // In the same turn of the event loop: no timer and no thread could have told this process anything.
    const late = decide(gate, request?.approvalId ?? '');
    await expect(late).rejects.toBeInstanceOf(ApprovalExpiredError);
    await expect(late).rejects.toMatchObject({ code: 'ERR_EXPIRED', approvalId: request?.approvalId });
    expect(await asking).toMatchObject({ approved: false, decision: { type: 'expired' } });
    // And again, now that it is written down.
    await expect(decide(gate, request?.approvalId ?? '')).rejects.toBeInstanceOf(ApprovalExpiredError);
  });

  it.each(ways)('refuses %s in the millisecond after the deadline', async (_, decide) => {
    const requested: { approvalId: string; expiresAt: number }[] = [];
    // Told at once, in the call: the shortest deadlines pass before anything that is awaited.
    const info = (message: string, fields: object) =>
      void (message === 'approval requested' && requested.push(fields as never));
    await using gate = createGate({ timeout: 2, logger: { info } });
    for (let attempt = 0; attempt < 20; attempt++) {
      const asking = gate.request({ toolName: 't', args: {} });
      const { approvalId = '', expiresAt = 0 } = requested.at(-1) ?? {};
      // Most likely before the thread that watches the deadlines has woken up.
      while (Date.now() <= expiresAt);
      await expect(decide(gate, approvalId)).rejects.toBeInstanceOf(ApprovalExpiredError);
      expect((await asking).decision.type).toBe('expired');
    }
    expect(requested).toHaveLength(20);
  });

  it.each(ways)('takes %s just before the deadline, and then no deadline changes it', async (_, decide) => {
    // On a busy machine it may be too late for that: then again, before a later one.
    for (let timeout = 40; ; timeout *= 4) {
      await using gate = createGate({ timeout });
      const asking = gate.request({ toolName: 't', args: {} });
      const [request] = await gate.pending();
      if (request === undefined) continue;
      const isTooLate = await decide(gate, request.approvalId).then(
        () => false,
        (error: unknown) => {
          expect(error).toBeInstanceOf(ApprovalExpiredError);
          expect(Date.now()).toBeGreaterThanOrEqual(request.expiresAt ?? Number.POSITIVE_INFINITY);
          return true;
        },
      );
      if (isTooLate) continue;
      stand(timeout + 20);
      const { status } = (await gate.get(request.approvalId)) ?? {};
      expect(status).not.toMatch(/pending|expired/);
      expect((await asking).decision.type).not.toBe('expired');
      return;
    }
  });

  it('lets each request expire at its own time, whatever their order', async () => {
    await using gate = createGate();
    const order: (number | null | undefined)[] = [];
    const asked: number[] = [];
    const timeouts = [120, 30, 90, 60];
    await Promise.all(
      timeouts.map(async (timeout) => {
        const { decision, approvalId } = await gate.request({ toolName: 't', args: {}, timeout });
        expect(decision.type).toBe('expired');
        asked.push(timeout);
        order.push((await gate.get(approvalId))?.expiresAt);
      }),
    );
    expect(asked.toSorted((one, other) => one - other)).toEqual([30, 60, 90, 120]);
    expect(order).toEqual(order.toSorted((one, other) => (one ?? 0) - (other ?? 0)));
  });
});

describe.each(waitingEntries)('%s', (_, entry) => {
  it.each([
    ["the tool's timeout", { interruptOn: { del: { timeout: 30 } }, onApprovalRequest: never }],
    [
      "the tool's timeout, before the run's",
      { interruptOn: { del: { timeout: 30 } }, onApprovalRequest: never, approvalTimeout: 60_000 },
    ],
    ["the timeout of '*'", { interruptOn: { '*': { timeout: 30 } }, onApprovalRequest: never }],
    ["the run's", { interruptOn: 'all', onApprovalRequest: never, approvalTimeout: 30 }],
    [
      "the run's, before the gate's",
      { interruptOn: 'all', onApprovalRequest: never, approvalTimeout: 30, gate: { timeout: 60_000 } },
    ],
  ] as const)(
    'does not run after %s',
    async (
      _name,
      {
        gate: gateOptions,
        ...gating
      }: { gate?: object; interruptOn: object | 'all'; onApprovalRequest: typeof never; approvalTimeout?: number },
    ) => {
      await using gate = createGate(gateOptions);
      const told = expired(gate);
      const { ran, tools } = recordingTools();
      await entry({ turns, tools, gate, ...gating } as never);
      expect(ran).toEqual([]);
      expect(await told).toMatchObject({
        decision: { type: 'expired' },
        via: 'deadline',
        request: { toolName: 'del' },
      });
    },
  );

  it('does not run what is approved after the deadline, before the loop could turn', async () => {
    // On a busy machine it may pass before anybody is asked: then again, with a later one.
    const asked: number[] = [];
    for (let timeout = 40; asked.length === 0; timeout *= 4) {
      await using gate = createGate();
      const { ran, tools } = recordingTools();
      const onApprovalRequest = () => {
        asked.push(timeout);
        stand(1.5 * timeout);
        return true;
      };
      await entry({ turns, tools, gate, interruptOn: { del: { timeout } }, onApprovalRequest });
      expect(ran).toEqual([]);
    }
  });
});

describe('streamWithEvents', () => {
  it('tells it, and the model', async () => {
    const { ran, tools } = recordingTools();
    await using gate = createGate({ timeout: 30 });
    const { events, prompts } = await play({ turns, tools, interruptOn: 'all', gate });
    expect(ran).toEqual([]);
    expect(of(events)('approval-response')).toMatchObject([
      { approved: false, decision: { type: 'expired' }, decidedBy: 'deadline' },
    ]);
    expect(of(events)('tool-denied')).toHaveLength(1);
    expect(JSON.stringify(prompts[1])).toContain('execution-denied');
  });

  it('lets one call expire and runs the other', async () => {
    const { ran, tools } = recordingTools();
    await using gate = createGate();
    const both = [calls(call('del', { path: '/a' }, 'c1'), call('read', { path: '/b' }, 'c2')), says('.')];
    const { run } = start({ turns: both, tools, interruptOn: { del: { timeout: 30 }, read: true }, gate });
    await until(run, 'approval-response');
    const [open] = await gate.pending();
    await gate.approve(open?.approvalId ?? '');
    await collect(run);
    expect(ran).toEqual(['read /b']);
  });

  it('has no deadline with a callback unless there is one set, and 300 s without', async () => {
    const { tools } = recordingTools();
    await using gate = createGate();
    const expiry = async (options: object) => {
      const { run } = start({ turns, tools, interruptOn: 'all', ...options });
      const { createdAt, expiresAt } = await until(run, 'approval-requested');
      await run.return();
      return expiresAt === null ? null : expiresAt - createdAt;
    };
    expect(await expiry({ onApprovalRequest: never })).toBe(null);
    expect(await expiry({ onApprovalRequest: never, gate })).toBe(null);
    expect(await expiry({ gate })).toBe(300_000);
    expect(await expiry({ gate: createGate({ timeout: 5000 }) })).toBe(5000);
    expect(await expiry({})).toBe(300_000);
  });
});

describe.each(stoppingEntries)('%s', (_, open) => {
  const user: ModelMessage = { role: 'user', content: 'go' };
  it.each([
    ["the gate's timeout", { timeout: 40 }, {}],
    ["the run's timeout", {}, { approvalTimeout: 40 }],
    ["the tool's timeout", {}, { interruptOn: { del: { timeout: 40 } } }],
  ])('refuses an answer after %s', async (_name, gateOptions, options) => {
    const { ran, tools } = recordingTools();
    const chat = open({ gate: createGate(gateOptions), tools, interruptOn: 'all', ...options });
    const history = await chat.speak([user], [turns[0] as never]);
    stand(60);
    const refused: string[] = [];
    const sent = await verifyApprovals(answer(history, true), chat.gate, {
      runId: 'chat',
      onRefused: ({ reason }) => refused.push(reason),
    });
    await chat.speak(sent, [says('.')]);
    expect(ran).toEqual([]);
    expect(refused).toEqual([expect.stringMatching(/expired|deadline/i)]);
  });
});

it('a request that expires right when it is made is told of, though the next one brings that', async () => {
  const gate = localGate(createGate(), 'test');
  const call = { toolCallId: 'c', toolName: 'del', args: snapshot({}) };
  const look = await gate.control.lookAt(call, 'del', [], { floor: false, offers: true });
  const plain = {
    origin: ['main'],
    description: null,
    allowedDecisions: null,
    context: null,
    details: null,
    page: null,
  };
  const request = (runId: string) => ({ ...call, ...plain, ...look, runId, timeoutMs: 5, supersedes: null });
  const first = gate.openAndWait(request('first'));
  // In memory nothing else tells that it waits: its maker knows of it at once.
  expect(first).not.toBeInstanceOf(Promise);
  stand(50);
  await gate.openAndWait(request('second'));
  expect((await (await first).decided).decision.type).toBe('expired');
});
