/**
 * How often one call crosses the binding between JavaScript and the core, there or back. Each crossing writes and reads JSON,
 * and one that looks at files waits for a thread. A number here goes down, or up with a reason.
 */
import { tool } from 'ai';
import { z } from 'zod';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApprovalRequest, Gate, RunOptions } from '../../index.js';
import { createGate, gateTools, streamWithEvents } from '../../ts/index.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crossed } from '../support/crossings.js';
import { PATIENTLY } from '../runtimes.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { askUserTool, COLOUR } from '../support/questions.js';

vi.mock('../../binding/binding.js', async () => (await import('../support/crossings.js')).countingBinding());

/** One set of tools for both runs: what is known of it stays known. */
const execute = tool({ inputSchema: z.object({ command: z.string() }), execute: async () => 'done' });
const write_file = tool({
  inputSchema: z.object({ path: z.string(), content: z.string() }),
  execute: async () => 'done',
});
const tools = { execute, write_file, ask_user: askUserTool() };
const policyThat = (effect: 'ask' | 'deny') => ({ version: 1, rule: [{ tools: ['execute'], effect }] }) as const;

const removal = () => call('execute', { command: 'rm notes.txt' }, 'c1');
const yes = { onApprovalRequest: () => true };

/** What crosses for one call of a run that is not the first, at least, without what making the run takes. */
async function crossingsOf(
  options: Omit<RunOptions<typeof tools>, 'gate'> & { gate?: Gate },
  asked = removal(),
  names: (string | undefined)[] = ['first', 'second', 'third'],
) {
  // On a busy machine the ledger may look in the middle of a call what others have done: not in each.
  let least: string[] | undefined;
  for (const [index, runId] of names.entries()) {
    const { model } = scripted([calls(asked), says('Done.')]);
    const messages = [{ role: 'user', content: 'go' }] as const;
    const run = streamWithEvents({ model, messages, tools, runId, ...options } as never);
    crossed();
    await collect(run);
    // Where others may look it up, the schema of a tool is kept once, and nobody waits for it.
    const seen: string[] = [];
    const isKept = () => expect(seen.push(...crossed()) > 0 && seen).toContain('setValue');
    if (index === 0 && options.gate !== undefined) await vi.waitFor(isKept, PATIENTLY);
    if (index === 0) continue;
    seen.push(...crossed());
    if (least === undefined || seen.length < least.length) least = seen;
  }
  return least ?? [];
}

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function durable(): Gate {
  const folder = mkdtempSync(join(tmpdir(), 'crossings-'));
  folders.push(folder);
  return createGate({ ledger: `sqlite:${join(folder, 'ledger.db')}` });
}

/** The names in their order say which one is too many. */
const expectAtMost = (crossings: readonly string[], most: number) =>
  expect.soft(crossings.length, crossings.join(' · ')).toBeLessThanOrEqual(most);

beforeEach(() => void crossed());

it('a run is made with no more crossings than', () => {
  const { model } = scripted([]);
  const make = () => streamWithEvents({ model, prompt: 'go', tools, interruptOn: { execute: true }, ...yes });
  make();
  crossed();
  make();
  expectAtMost(crossed(), 2);
});

describe('one call crosses the binding no more often than', () => {
  it('when it is approved in memory', async () => {
    expectAtMost(await crossingsOf({ interruptOn: { execute: true }, ...yes }), 4);
  });

  it('when a policy asks and it is approved', async () => {
    // Each step asks the policies in the same crossing.
    expectAtMost(await crossingsOf({ policy: policyThat('ask'), ...yes }), 5);
  });

  it('when a policy of the gate asks, and one of the run', async () => {
    await using gate = createGate({ policy: policyThat('ask') });
    expectAtMost(await crossingsOf({ policy: policyThat('ask'), ...yes, gate }), 5);
  });

  it('when a policy asks, it is approved, and the ledger is a file', async () => {
    await using gate = durable();
    const unnamed = [undefined, undefined];
    expectAtMost(await crossingsOf({ policy: policyThat('ask'), ...yes, gate }, removal(), unnamed), 7);
  });

  it('when a policy asks about a change of a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crossings-'));
    folders.push(folder);
    const change = call('write_file', { path: join(folder, 'notes.txt'), content: 'new' }, 'c1');
    const asked = { version: 1, rule: [{ tools: ['write_file'], effect: 'ask' }] } as const;
    // The decision does not wait for a look at the file: that comes after it.
    expectAtMost(await crossingsOf({ policy: asked, ...yes }, change), 6);
  });

  it('when interruptOn does not name it', async () => {
    expectAtMost(await crossingsOf({ interruptOn: { ask_user: true }, ...yes }), 0);
  });

  it('when it is rejected', async () => {
    expectAtMost(await crossingsOf({ interruptOn: { execute: true }, onApprovalRequest: () => false }), 2);
  });

  it('when a policy denies it', async () => {
    expectAtMost(await crossingsOf({ policy: policyThat('deny'), ...yes }), 3);
  });

  it('when it is approved and the ledger is a file', async () => {
    await using gate = durable();
    const unnamed = [undefined, undefined];
    expectAtMost(await crossingsOf({ interruptOn: { execute: true }, ...yes, gate }, removal(), unnamed), 6);
  });

  it('when the run has a name, too, of which the ledger is asked first whether it began before', async () => {
    await using gate = durable();
    expectAtMost(await crossingsOf({ interruptOn: { execute: true }, ...yes, gate }), 7);
  });

  it('when it is answered through a shared gate', async () => {
    const gate = createGate();
    const answering = (async () => {
      for await (const event of gate.events())
        if (event.type === 'requested') await gate.approve(event.request.approvalId);
    })();
    const crossings = await crossingsOf({ interruptOn: { execute: true }, gate });
    await gate.close();
    await answering;
    expectAtMost(crossings, 4);
  });

  it('when a policy asks and it is answered through a shared gate', async () => {
    // After the answer, the waiting caller checks that the call still is what was shown.
    const gate = createGate({ policy: policyThat('ask') });
    const answering = (async () => {
      for await (const event of gate.events())
        if (event.type === 'requested') await gate.approve(event.request.approvalId);
    })();
    const crossings = await crossingsOf({ gate });
    await gate.close();
    await answering;
    expectAtMost(crossings, 6);
  });

  it('when a callback reads what "always" would save', async () => {
    const onApprovalRequest = ({ always, rows }: ApprovalRequest) => always.allow !== null && rows.length === 1;
    expectAtMost(await crossingsOf({ interruptOn: { execute: true }, onApprovalRequest }), 7);
  });

  it('when it is a question', async () => {
    const question = call('ask_user', { questions: [COLOUR] }, 'c1');
    expectAtMost(await crossingsOf({ onQuestion: () => ['red'] }, question), 8);
  });

  it('when the loop is not ours', async () => {
    const gated = gateTools({ execute }, { interruptOn: { execute: true }, ...yes });
    const run = (toolCallId: string) =>
      gated.execute.execute?.({ command: 'rm notes.txt' }, { toolCallId, messages: [], context: undefined } as never);
    await run('c1');
    crossed();
    await run('c2');
    expectAtMost(crossed(), 4);
  });

  it('when the loop is not ours and a policy asks', async () => {
    const gated = gateTools({ execute }, { policy: policyThat('ask'), ...yes });
    const run = (toolCallId: string) =>
      gated.execute.execute?.({ command: 'rm notes.txt' }, { toolCallId, messages: [], context: undefined } as never);
    await run('c1');
    crossed();
    await run('c2');
    expectAtMost(crossed(), 5);
  });
});
