/** Gates over files: what one asks another answers, and what is asked outlives who asked. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tool } from 'ai';
import { z } from 'zod';
import type { Gate, GateEvent, PolicyDocument } from '../../index.js';
import { createGate, GateClosedError, LedgerError } from '../../ts/index.js';
import { localGate } from '../../ts/gate/gate.js';
import { PATIENTLY } from '../runtimes.js';
import { call, calls, collect, resultsIn, says } from '../support/model.js';
import { of, start, until } from '../support/play.js';
import { recordingTools } from '../support/tools.js';

let folder: string;
let gates: Gate[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-ledger-'));
  gates = [];
});

afterEach(async () => {
  await Promise.all(gates.map((gate) => gate.close()));
  rmSync(folder, { recursive: true, force: true });
});

function open(options: object = {}): Gate {
  const gate = createGate({ ledger: 'sqlite:approvals.db', place: { cwd: folder }, ...options });
  gates.push(gate);
  return gate;
}

const one = () => [calls(call('del', { path: '/1' }, 'c1')), says('.')];
const deploy = { toolName: 'deploy', args: { to: 'prod' } };

describe('a gate that is closed while its callback is asked', () => {
  it.each([
    ['answers', () => true],
    [
      'throws',
      () => {
        throw new Error('the screen is gone');
      },
    ],
  ])('leaves the request to whoever comes next when that %s', async (_, answer) => {
    const { ran, tools } = recordingTools();
    const gate = open();
    const onApprovalRequest = () => {
      void gate.close();
      return answer();
    };
    const { run } = start({ turns: one(), tools, gate, interruptOn: 'all', runId: 'r', onApprovalRequest });
    await collect(run).catch(() => {});
    await gate.close();
    expect(ran).toEqual([]);
    expect(await open().pending()).toMatchObject([{ runId: 'r', toolCallId: 'c1' }]);
  });
});

describe('two gates on one file', () => {
  it('what one asks, the other answers, and the run goes on', async () => {
    const { ran, tools } = recordingTools();
    const [asks, answers] = [open(), open()];
    const { run, prompts } = start({ turns: one(), tools, gate: asks, interruptOn: 'all', runId: 'r' });
    const { approvalId } = await until(run, 'approval-requested');
    expect(await answers.pending()).toMatchObject([{ approvalId, runId: 'r', toolName: 'del', args: { path: '/1' } }]);
    await answers.approve(approvalId, { by: 'mia' });
    const rest = await collect(run);
    expect(of(rest)('approval-response')).toMatchObject([{ approved: true, decidedBy: 'mia' }]);
    expect(ran).toEqual(['del /1']);
    expect(resultsIn(prompts[1])).toEqual({ c1: { type: 'text', value: 'deleted /1' } });
    const record = await answers.get(approvalId);
    expect(record).toMatchObject({ status: 'succeeded', contents: 'kept', decidedBy: 'mia' });
    expect(Object.keys(record ?? {})).not.toEqual(expect.arrayContaining(['context']));
    // Kept for a resume, and not told of otherwise.
    expect(await localGate(answers, 'test').records('r')).toMatchObject([
      { approvalId, result: { type: 'text', value: 'deleted /1' } },
    ]);
  });

  it.each([
    ['fits', { path: '/2' }, ['del /2']],
    ['does not fit', { path: 7 }, []],
  ])('an edit of the other that %s', async (_, args, runs) => {
    const { ran, tools } = recordingTools();
    const [asks, answers] = [open(), open()];
    const { run } = start({ turns: one(), tools, gate: asks, interruptOn: 'all' });
    const { approvalId } = await until(run, 'approval-requested');
    await answers.edit(approvalId, args);
    if (runs.length === 0) {
      const again = await until(run, 'approval-requested');
      expect(again.description).toMatch(/^Asked again: The edited arguments do not fit/);
      expect(await answers.get(approvalId)).toMatchObject({ status: 'cancelled' });
      await answers.reject(again.approvalId);
    }
    await collect(run);
    expect(ran).toEqual(runs);
  });

  it('only the first of many decisions counts, through whichever gate', async () => {
    const both = [open(), open()];
    const asking = both[0]!.request(deploy);
    const [request] = await both[0]!.pending();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => both[index % 2]!.approve(request!.approvalId, { by: `${index}` })),
    );
    const winners = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value.decidedBy] : []));
    expect(winners).toHaveLength(1);
    expect(await asking).toMatchObject({ approved: true, decidedBy: winners[0] });
  });

  it('events tell what the other does, as long as somebody reads them', async () => {
    const [asks, listens] = [open(), open()];
    await listens.ready();
    const told: GateEvent[] = [];
    const events = listens.events();
    const listening = (async () => {
      for await (const event of events) told.push(event);
    })();
    const asking = asks.request(deploy);
    const [request] = await asks.pending();
    await asks.reject(request!.approvalId, 'no', { by: 'mia' });
    await asking;
    await vi.waitFor(() => expect(told.map(({ type }) => type)).toEqual(['requested', 'decided']), PATIENTLY);
    await events.return?.();
    await listening;
  });

  it('attach waits for what another process asked', async () => {
    const [asks, waits] = [open(), open()];
    const asking = asks.request(deploy);
    const [request] = await asks.pending();
    const attached = localGate(waits, 'test').attach(request!.approvalId);
    await asks.skip(request!.approvalId);
    expect(await attached).toMatchObject({ decision: { type: 'skip' } });
    expect((await asking).approved).toBe(false);
  });
});

describe('the end of a gate', () => {
  it('leaves what waits to the next one', async () => {
    const { ran, tools } = recordingTools();
    const first = open();
    const { run } = start({ turns: one(), tools, gate: first, interruptOn: 'all' });
    const { approvalId } = await until(run, 'approval-requested');
    await first.close();
    await collect(run);
    await expect(run.result).rejects.toBeInstanceOf(GateClosedError);
    expect(ran).toEqual([]);
    const second = open();
    expect(await second.pending()).toMatchObject([{ approvalId }]);
    expect(await second.approve(approvalId, { by: 'mia' })).toMatchObject({ status: 'approved' });
  });

  it('an abort cancels, durably, before the loop has ended', async () => {
    const { tools } = recordingTools();
    const stop = new AbortController();
    const first = open();
    const { run } = start({ turns: one(), tools, gate: first, interruptOn: 'all', abortSignal: stop.signal });
    const { approvalId } = await until(run, 'approval-requested');
    stop.abort();
    await collect(run);
    await first.close();
    expect(await open().get(approvalId)).toMatchObject({ status: 'cancelled', via: 'abort' });
  });

  it('leaving the loop cancels too', async () => {
    const { tools } = recordingTools();
    const first = open();
    const { run } = start({ turns: one(), tools, gate: first, interruptOn: 'all' });
    const { approvalId } = await until(run, 'approval-requested');
    await run.return?.();
    await first.close();
    expect(await open().get(approvalId)).toMatchObject({ status: 'cancelled' });
  });
});

describe('opening', () => {
  it('what is no ledger is refused, and nothing runs', async () => {
    const { ran, tools } = recordingTools();
    writeFileSync(join(folder, 'approvals.db'), 'my notes, which are no database at all\n'.repeat(100));
    const gate = open();
    const failure: unknown = await gate.ready().catch((error: unknown) => error);
    expect(LedgerError.isInstance(failure) && failure.code).toMatch(/^ERR_LEDGER_(FOREIGN|CORRUPT)$/);
    const { run } = start({ turns: one(), tools, gate, interruptOn: 'all', onApprovalRequest: () => true });
    // A run that cannot be kept does not go on.
    const events = of(await collect(run));
    expect([events('done').length, events('error').length]).toEqual([0, 1]);
    expect(ran).toEqual([]);
  });

  it('is done by the first who needs it', async () => {
    const gate = open({ ledger: 'sqlite:' });
    expect(await gate.pending()).toEqual([]);
    await expect(gate.ready()).resolves.toBeUndefined();
  });
});

describe('the ledger in a project whose files are all allowed', () => {
  const policy: PolicyDocument = {
    version: 1,
    rule: [
      { effect: 'allow', reads: '**', writes: '**' },
      { effect: 'allow', commands: ['rm **', 'cat **'] },
    ],
  };
  const write = (file_path: string) => ({ toolName: 'write_file', args: { file_path, content: '' } });
  const bash = (command: string) => ({ toolName: 'bash', args: { command } });

  it.each([
    ['ask', write('approvals.db')],
    ['ask', write('approvals.db-wal')],
    ['ask', bash('rm *.db')],
    ['ask', bash('cat approvals.db')],
    ['allow', write('approvals.md')],
    ['allow', bash('cat approvals.md')],
  ])('%s: %j', async (effect, call) => {
    const gate = open({ policy });
    expect(await gate.check(call)).toMatchObject({ effect });
  });

  it('is asked about by the policy of a run as well', async () => {
    const ran: string[] = [];
    const write_file = tool({
      inputSchema: z.object({ file_path: z.string(), content: z.string() }),
      execute: async ({ file_path }) => void ran.push(file_path),
    });
    const args = { file_path: 'approvals.db', content: '' };
    const turns = [calls(call('write_file', args, 'c1')), says('.')];
    const { run } = start({ turns, tools: { write_file }, gate: open(), policy });
    await until(run, 'approval-requested');
    await run.return();
    expect(ran).toEqual([]);
  });
});
