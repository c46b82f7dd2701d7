/**
 * G2: what was approved runs, and nothing else. A callback whose answers never hold does not keep the process: the call is denied
 * in the end, and everything else goes on meanwhile.
 */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateText, stepCountIs, tool } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { PolicyDocument } from '../../index.js';
import { createGate, gateTools, streamWithEvents } from '../../ts/index.js';
import { scratch } from '../policy/support.js';
import { call, calls, collect, says, scripted } from '../support/model.js';

/** A file that leads elsewhere each time that somebody was asked. */
function wandering() {
  const root = scratch();
  for (const folder of ['a', 'b']) {
    mkdirSync(join(root, folder));
    writeFileSync(join(root, folder, 'notes.txt'), 'same\n');
  }
  let turns = 0;
  const turn = () => {
    rmSync(join(root, 'notes.txt'), { force: true });
    symlinkSync(join(turns++ % 2 === 0 ? 'a' : 'b', 'notes.txt'), join(root, 'notes.txt'));
  };
  turn();
  return { place: { cwd: root, project: root, home: '/nonexistent' }, turn };
}

const policy: PolicyDocument = { version: 1, default: 'ask', rule: [] };

test('a callback whose approvals are void when they come is asked 20 times, and timers go on', async () => {
  const { place, turn } = wandering();
  const { model } = scripted([calls(call('read_file', { file_path: 'notes.txt' }, 'c1')), says('.')]);
  const ran: unknown[] = [];
  const read_file = tool({ inputSchema: z.object({ file_path: z.string() }), execute: (args) => void ran.push(args) });
  let asked = 0;
  let ticks = 0;
  const timer = setInterval(() => ticks++, 0);
  const events = await collect(
    streamWithEvents({
      model,
      prompt: 'go',
      tools: { read_file },
      gate: createGate({ policy, place }),
      onApprovalRequest: () => {
        asked++;
        turn();
        return true;
      },
    }),
  ).finally(() => clearInterval(timer));
  expect([ran, asked]).toEqual([[], 20]);
  expect(ticks).toBeGreaterThan(0);
  expect(JSON.stringify(events)).toContain('It was asked about 20 times, and no answer held.');
});

test('so is one of gateTools', async () => {
  const { place, turn } = wandering();
  const ran: unknown[] = [];
  const read_file = tool({ inputSchema: z.object({ file_path: z.string() }), execute: (args) => void ran.push(args) });
  let asked = 0;
  const onApprovalRequest = () => {
    asked++;
    turn();
    return true;
  };
  const gated = gateTools({ read_file }, { gate: createGate({ policy, place }), onApprovalRequest });
  const { model } = scripted([calls(call('read_file', { file_path: 'notes.txt' }, 'c1')), says('.')]);
  await generateText({ model, tools: gated, prompt: 'go', stopWhen: stepCountIs(2) });
  expect([ran, asked]).toEqual([[], 20]);
});

test('so is one who answers what code asks for by itself', async () => {
  const { place, turn } = wandering();
  let asked = 0;
  await using gate = createGate({ policy, place });
  const watching = (async () => {
    for await (const event of gate.events())
      if (event.type === 'requested') {
        asked++;
        turn();
        await gate.approve(event.request.approvalId);
      }
  })();
  const resolution = await gate.request({ toolName: 'read_file', args: { file_path: 'notes.txt' } });
  expect([resolution.approved, asked]).toEqual([false, 20]);
  await gate.close();
  await watching;
});
