/** How often the like of a request was approved before is counted when it is shown, and the prompts point at "always" then. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonSchema } from 'ai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ApprovalRequest, Gate, GateOptions, PolicyDocument } from '../../index.js';
import { createGate, gateTools, UnknownApprovalError } from '../../ts/index.js';
import { askedOften } from '../../ts/gate/asked-before.js';
import { askOf } from '../../ts/cli/chat/asks.js';
import { whole } from '../../ts/cli/shown.js';
import { countersign } from '../cli/command.js';
import { PATIENTLY } from '../runtimes.js';
import { kept } from '../cli/kept.js';

const policy: PolicyDocument = { version: 1 };

function gateOf(options: GateOptions = {}): Gate {
  const gate = createGate({ policy, ...options });
  onTestFinished(() => gate.close());
  return gate;
}

let made = 0;

function toolOf(gate: Gate) {
  const execute = async (): Promise<string> => 'done';
  const tools = gateTools({ execute: { inputSchema: jsonSchema({ type: 'object' }), execute } } as never, { gate });
  return (tools as { execute: { execute: (args: object, options: object) => Promise<string> } }).execute;
}

/** A call, and the request that it makes. */
async function asks(
  gate: Gate,
  command = 'npm run build',
): Promise<{ request: ApprovalRequest; before: number; ended: Promise<unknown> }> {
  made++;
  const toolCallId = `call-${made}`;
  const ended = toolOf(gate)
    .execute({ command }, { toolCallId, messages: [] })
    .catch(() => {});
  const request = await vi.waitFor(async () => {
    const found = (await gate.pending()).find((each) => each.toolCallId === toolCallId);
    expect(found).toBeDefined();
    return found!;
  }, PATIENTLY);
  return { request, before: await gate.askedBefore(request.approvalId), ended };
}

async function approves(gate: Gate, times: number, command?: string): Promise<void> {
  for (let time = 0; time < times; time++) {
    const { request, ended } = await asks(gate, command);
    await gate.approve(request.approvalId);
    await ended;
  }
}

const folder = (): string => {
  const temporary = mkdtempSync(join(tmpdir(), 'asked-before-'));
  onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
  return temporary;
};

describe('askedBefore', () => {
  it('counts what a person approved and the same offer would have answered, and nothing else', async () => {
    const gate = gateOf();
    expect((await asks(gate)).before).toBe(0);
    await approves(gate, 2);
    const { request, before, ended } = await asks(gate);
    expect(before).toBe(2);
    await gate.reject(request.approvalId);
    await ended;
    // What was rejected as well is not pointed at, and other words are others.
    expect((await asks(gate)).before).toBe(0);
    expect((await asks(gate, 'npm run lint')).before).toBe(0);
  });

  it('counts no approval of the mode', async () => {
    const gate = gateOf({ mode: 'auto' });
    const { execute } = toolOf(gate);
    for (let time = 0; time < 3; time++)
      await execute({ command: 'npm run build' }, { toolCallId: `auto-${time}`, messages: [] });
    await gate.setMode('safe');
    expect((await asks(gate)).before).toBe(0);
  });

  it('counts what another process approved before, on a ledger, and nothing of another project', async () => {
    const place = folder();
    const ledger = `sqlite:${join(place, 'ledger.db')}` as const;
    const projects = ['one', 'other'].map((name) => join(place, name));
    for (const project of projects) mkdirSync(project);
    const at = (index: number): GateOptions => ({
      ledger,
      place: { cwd: projects[index]!, project: projects[index]! },
    });
    const first = createGate({ policy, ...at(0) });
    await approves(first, 3);
    await first.close();
    const { request, before } = await asks(gateOf(at(0)));
    expect(before).toBe(3);
    // Another gate counts the same, and the command says so.
    const look = gateOf(at(1));
    expect(await look.askedBefore(request.approvalId)).toBe(3);
    const shown = await countersign(['show', request.approvalId, '--ledger', ledger], { cwd: place });
    expect(shown.stdout).toContain('approved 3 times before: --remember always');
    expect((await asks(look)).before).toBe(0);
  });

  it('is 0 where nothing is offered, and an error for a request that is not there', async () => {
    const gate = gateOf();
    await approves(gate, 3, 'bash -c "$X"');
    expect((await asks(gate, 'bash -c "$X"')).before).toBe(0);
    await expect(gate.askedBefore('nothing')).rejects.toThrow(UnknownApprovalError);
  });
});

describe('the prompts', () => {
  const allow = { label: 'Always allow exactly `npm run build`', rules: [], also: ['exactly `npm run build`'] };
  const record = kept({
    toolName: 'execute',
    args: { command: 'npm run build' },
    details: { always: { allow, deny: null } },
  });

  it.each([
    [2, undefined],
    [3, 'approved 3 times before'],
  ])('point at "always" from the third time on: %i', (times, said) => {
    expect(askedOften(times, record)).toBe(said);
    const ask = askOf({ ...record, always: { allow, deny: null } }, 1, 1, { before: times });
    expect(ask.kind === 'approval' && ask.why.includes('s remembers it')).toBe(times >= 3);
    const shown = whole(record, 80, Date.now(), { run: null, askedBefore: times });
    expect(shown.some((line) => line.includes('--remember always'))).toBe(times >= 3);
  });

  it('say nothing of it for what stands out', () => {
    const label = { label: 'Always allow `rm` in this project', rules: [], also: [] };
    const risky = kept({
      toolName: 'execute',
      args: { command: 'rm -rf src' },
      details: { always: { allow: label, deny: null } },
    });
    const ask = askOf({ ...risky, always: { allow: label, deny: null } }, 1, 1, { before: 6 });
    expect(ask.kind === 'approval' && [ask.dangers.length > 0, ask.why.includes('6 times')]).toEqual([true, false]);
    expect(whole(risky, 80, Date.now(), { run: null, askedBefore: 6 }).join(' ')).not.toContain('6 times');
  });

  it('say nothing of it where nothing is offered', () => {
    const ask = askOf({ ...record, always: { allow: null, deny: null } }, 1, 1, { before: 9 });
    expect(ask.kind === 'approval' && ask.why).not.toContain('before');
  });
});
