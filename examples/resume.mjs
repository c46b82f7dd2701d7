// @ts-check
/**
 * A run that outlives its process. The first process asks and is killed; the human answers from another; a third one
 * continues the run: the tool runs once, and the model is not asked again for what it has said.
 *
 *     node examples/resume.mjs
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tool } from 'ai';
import { createGate, listRuns, resume, streamWithEvents } from 'countersign';
import { z } from 'zod';
import { askOnTerminal } from './ask.mjs';
import { scriptedModel } from './model.mjs';

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  [{ tool: 'pay', args: { to: 'ada', amount: 120 } }],
  (results) => `Done: ${results.join()}.`,
);

const tools = {
  pay: tool({
    description: 'Pays somebody',
    inputSchema: z.object({ to: z.string(), amount: z.number() }),
    execute: async ({ to, amount }) => {
      console.log(`  the tool runs: ${amount} to ${to}`);
      return `paid ${amount} to ${to}`;
    },
  }),
};
const runId = 'invoice-17';

/** What both processes say of the run, but for what it is about. @param {import('countersign').Gate} gate */
const optionsWith = (gate) => ({ model, tools, gate, runId, interruptOn: { pay: true }, system: 'You pay invoices.' });

/** The process that starts the run, and does not live to see the answer. @param {string} ledger */
async function begin(ledger) {
  const gate = createGate({ ledger: `sqlite:${ledger}` });
  for await (const event of streamWithEvents({ ...optionsWith(gate), prompt: 'Pay invoice 17.' })) {
    if (event.type !== 'approval-requested') continue;
    console.log(`  asks: ${event.description}`);
    process.kill(process.pid, 'SIGKILL');
  }
}

/** The process that goes on. @param {string} ledger */
async function goOn(ledger) {
  const gate = createGate({ ledger: `sqlite:${ledger}` });
  for await (const event of resume(optionsWith(gate))) {
    if (event.type === 'run-resumed') console.log(`  goes on after ${event.steps} step`);
    if (event.type === 'tool-denied') console.log(`  did not run ${event.toolName}: ${event.reason}`);
    if (event.type === 'done') console.log(`  ${event.text}`);
  }
  await gate.close();
}

/** All three, one after another. */
async function showAll() {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-example-'));
  const ledger = join(folder, 'approvals.db');
  /** @param {string} role */
  const inProcess = (role) =>
    spawnSync(process.execPath, [import.meta.filename, role, ledger], { stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    console.log('A process begins:');
    console.log(`  and is gone (${inProcess('begin').signal}).`);

    console.log('Another one answers:');
    const gate = createGate({ ledger: `sqlite:${ledger}` });
    for (const { status, pending } of await listRuns(gate)) console.log(`  ${runId}: ${status}, ${pending} waiting`);
    for (const request of await gate.pending()) await gate.decide(request.approvalId, await askOnTerminal(request));
    await gate.close();

    console.log('A third one goes on:');
    inProcess('goOn');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [role, ledger = ''] = process.argv.slice(2);
if (role === 'begin') await begin(ledger);
else if (role === 'goOn') await goOn(ledger);
else await showAll();
