/** The approver is told the outcome: whether the run goes on, what it was given to do, what the tool gave back. */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DecideAnswer, RequestDetail } from '../../ts/inbox/protocol.js';
import { createGate, gateTools, resume, streamWithEvents } from '../../ts/index.js';
import { inboxOf, Person, scratch } from '../inbox/support.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { waiting } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { countersign } from './command.js';

/** A run that looked at something, and waits for leave to delete it. */
async function asking() {
  const ledger = `sqlite:${join(scratch(), 'ledger.db')}` as const;
  const gate = createGate({ ledger });
  onTestFinished(() => gate.close());
  const { tools } = recordingTools([]);
  const turns = [
    calls(call('read', { path: 'notes.txt' }, 'call_0')),
    calls(call('del', { path: 'notes.txt' }, 'call_1')),
    says('It is gone.'),
  ];
  const run = streamWithEvents({
    model: scripted(turns).model,
    tools,
    prompt: 'Tidy up\u202e, please',
    interruptOn: { del: true, read: false },
    gate,
    runId: 'the-run',
  } as never);
  const done = collect(run).catch(() => []);
  const [request] = await waiting(gate, 1);
  const command = (...args: string[]) => countersign([...args, '-l', ledger], { env: { NO_COLOR: '1' } });
  return { gate, ledger, tools, done, id: request!.approvalId, command };
}

describe('on the command line', () => {
  test('a run that a process has goes on; then what the tool gave back is shown', async () => {
    const { command, id, done } = await asking();
    const before = await command('show', id);
    expect(before.stdout).toContain('prompt    Tidy up\\u{202E}, please');
    expect(before.stdout).toMatch(/before {4}read notes\.txt/);
    const { stdout } = await command('approve', id);
    expect(stdout).toContain(`approved  ${id.slice(-8)}  its run goes on\n`);
    await done;
    const after = await command('show', id);
    expect(after.stdout).toMatch(/gave back\n.*\n.*deleted notes\.txt/);
    expect(after.stdout).toContain('its run is over');
  });

  test('a run that no process has: nothing runs, and how it is resumed', async () => {
    const { command, id, gate, done } = await asking();
    await gate.close();
    await done;
    const { stdout } = await command('approve', id);
    expect(stdout).toMatch(
      /no process continues its run, so nothing runs yet: resume the run the-run, with resume\(\) in its program or \/resume in the chat\n$/,
    );
  });

  test('one of three calls of a step: the run waits for the others; history is in the order of the decisions', async () => {
    const ledger = `sqlite:${join(scratch(), 'ledger.db')}` as const;
    const gate = createGate({ ledger });
    onTestFinished(() => gate.close());
    const { tools } = recordingTools([]);
    const three = ['a', 'b', 'c'].map((path, at) => call('del', { path }, `call_${at}`));
    const { model } = scripted([calls(...three), says('Done.')]);
    collect(streamWithEvents({ model, tools, prompt: 'Tidy up', interruptOn: { del: true }, gate } as never)).catch(
      () => [],
    );
    const ids = (await waiting(gate, 3)).map(({ approvalId }) => approvalId);
    const ends = [
      'its run waits for 2 more to be decided',
      'its run waits for 1 more to be decided',
      'its run goes on',
    ];
    for (const [turn, id] of ids.toReversed().entries()) {
      const { stdout } = await countersign(['approve', id, '-l', ledger], { env: { NO_COLOR: '1' } });
      expect(stdout).toContain(`approved  ${id.slice(-8)}  ${ends[turn]}\n`);
    }
    const { stdout } = await countersign(['history', '-l', ledger, '--json']);
    const told = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { approvalId: string }).approvalId);
    expect(told).toEqual(ids.toReversed());
    const last = await countersign(['history', '-l', ledger, '--json', '--limit', '1']);
    expect(last.stdout).toContain(ids[0]);
  });

  test('a request outside of any run is decided without a word of one', async () => {
    const ledger = `sqlite:${join(scratch(), 'ledger.db')}` as const;
    const gate = createGate({ ledger });
    onTestFinished(() => gate.close());
    gate.request({ toolName: 'deploy', args: {} }).catch(() => {});
    const [request] = await waiting(gate, 1);
    const { stdout } = await countersign(['reject', request!.approvalId, '-l', ledger], { env: { NO_COLOR: '1' } });
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`rejected  ${request!.approvalId.slice(-8)}`);
  });

  test('a call of gateTools, which is no part of a run, is said to run in the process that asked', async () => {
    const ledger = `sqlite:${join(scratch(), 'ledger.db')}` as const;
    const gate = createGate({ ledger });
    onTestFinished(() => gate.close());
    const { tools, ran } = recordingTools();
    const gated = gateTools(tools, { interruptOn: { del: true }, gate, runId: 'mine' });
    const { execute } = gated.del as unknown as { execute: (input: unknown, options: unknown) => Promise<unknown> };
    const done = execute({ path: '/one' }, { toolCallId: 'one', messages: [] });
    const [request] = await waiting(gate, 1);
    const { stdout } = await countersign(['approve', request!.approvalId, '-l', ledger], { env: { NO_COLOR: '1' } });
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      `approved  ${request!.approvalId.slice(-8)}  it runs in the process that asked, if that still waits for it`,
    );
    await done;
    expect(ran).toEqual(['del /one']);
  });
});

test('what was called before is what ran: not a call beside it, decided or not, nor what was rejected', async () => {
  const gate = createGate({ ledger: `sqlite:${join(scratch(), 'ledger.db')}` });
  onTestFinished(() => gate.close());
  const { tools } = recordingTools([]);
  const { model } = scripted([
    calls(call('read', { path: 'notes.txt' }, 'c1'), call('del', { path: 'no.txt' }, 'c2')),
    calls(call('del', { path: 'a' }, 'c3'), call('del', { path: 'b' }, 'c4'), call('del', { path: 'c' }, 'c5')),
    says('Done.'),
  ]);
  collect(streamWithEvents({ model, tools, prompt: 'Tidy up', interruptOn: { del: true }, gate } as never)).catch(
    () => [],
  );
  const [no] = await waiting(gate, 1);
  await gate.reject(no!.approvalId, 'not that one');
  const step = await waiting(gate, 3);
  await gate.approve(step[0]!.approvalId);
  const mia = new Person(inboxOf(gate), 'mia');
  const { body } = await mia.get<RequestDetail>(`api/requests/${step[2]!.approvalId}`);
  expect(body.run?.steps).toEqual(['read notes.txt']);
});

test('in the inbox: the prompt, what was called before, what becomes of it, and what the tool gave back', async () => {
  const { gate, ledger, tools, done, id } = await asking();
  await gate.close();
  await done;
  const other = createGate({ ledger });
  onTestFinished(() => other.close());
  const mia = new Person(inboxOf(other), 'mia');
  const shown = async () => (await mia.get<RequestDetail>(`api/requests/${id}`)).body;
  expect(await shown()).toMatchObject({
    run: { status: 'suspended', prompt: 'Tidy up\\u{202E}, please', steps: ['read notes.txt'] },
    becomes: '',
    gave: null,
  });
  const { body } = await mia.decide(id, { type: 'approve' });
  expect((body as unknown as DecideAnswer).becomes).toMatch(
    /so nothing runs yet: resume the run the-run, with resume\(\) in its program or \/resume in the chat$/,
  );
  expect((await shown()).becomes).toMatch(/^no process continues its run/);
  await collect(
    resume({ runId: 'the-run', gate: other, model: scripted([says('It is gone.')]).model, tools } as never),
  );
  expect(await shown()).toMatchObject({
    becomes: 'its run is over',
    gave: expect.stringContaining('deleted notes.txt'),
  });
});
