// @ts-check
/**
 * An agent that survives `kill -9`. Its subagent asks and the process is killed; the human answers from another process; a
 * third one goes on where the subagent stood: the file is written once, and no model is asked again for what it has said.
 *
 *     node examples/agents/killed.mjs
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createGate, listRuns, safeText } from 'countersign';
import { createDeepAgent, createLocalBackend } from 'countersign/agent';
import { askOnTerminal } from '../ask.mjs';
import { scriptedModel } from '../model.mjs';
import { scratchFolder, showFiles } from './folder.mjs';

/** @import { Gate } from 'countersign' */

const RUN = 'report-4';

/** What all three share: where the files are, and where what waits is kept. @param {string} folder */
const openGate = (folder) =>
  createGate({
    ledger: `sqlite:${join(folder, 'approvals.db')}`,
    place: { cwd: join(folder, 'files') },
    timeout: 86_400_000,
  });

/** The same in each process: code is not kept, only what happened. @param {string} folder @param {Gate} gate */
const agentIn = (folder, gate) =>
  createDeepAgent({
    // A real one: model: 'anthropic/claude-sonnet-4.5'
    model: scriptedModel(
      [{ tool: 'task', args: { subagent_type: 'author', description: 'Write the report.' } }],
      (results) => `The author says: ${results.join()}`,
    ),
    backend: createLocalBackend({ root: join(folder, 'files') }),
    gate,
    interruptOn: { write_file: true },
    subagents: [
      {
        name: 'author',
        description: 'Writes reports.',
        model: scriptedModel(
          [{ tool: 'read_file', args: { file_path: 'numbers.txt' } }],
          ([read = '']) => {
            console.log('  the author writes a report');
            const content = `Sum: ${read.match(/\d+$/)?.[0]}\n`;
            return [{ tool: 'write_file', args: { file_path: 'report.md', content } }];
          },
          (results) => `${results.at(-1)}`,
        ),
      },
    ],
  });

/** Starts the run, and does not live to see the answer. @param {string} folder */
async function begin(folder) {
  for await (const event of agentIn(folder, openGate(folder)).streamWithEvents({ prompt: 'Report.', runId: RUN })) {
    if (event.type !== 'approval-requested') continue;
    console.log(`  ${event.origin.join(' > ')} asks`);
    process.kill(process.pid, 'SIGKILL');
  }
}

/** @param {string} folder */
async function goOn(folder) {
  const gate = openGate(folder);
  for await (const event of agentIn(folder, gate).resume({ runId: RUN })) {
    if (event.type === 'run-resumed') console.log('  goes on');
    else if (event.type === 'approval-response') console.log(`  ${event.decision.type} by ${event.decidedBy}`);
    else if (event.type === 'file-written') console.log(`  wrote ${safeText(event.path)}`);
    else if (event.type === 'text-segment') console.log(`  ${safeText(event.text)}`);
  }
  await gate.close();
}

/** All three, one after another. This process has never heard of the agent: it only answers. */
async function showAll() {
  const folder = scratchFolder({ 'files/numbers.txt': '42' });
  /** @param {string} role */
  const inProcess = (role) =>
    spawnSync(process.execPath, [import.meta.filename, role, folder], { stdio: ['ignore', 'inherit', 'inherit'] });

  console.log('A process begins:');
  console.log(`  and is gone (${inProcess('begin').signal}).`);

  console.log('Another one answers:');
  const gate = openGate(folder);
  for (const { runId, status, pending } of await listRuns(gate))
    console.log(`  ${runId}: ${status}, ${pending} waiting`);
  for (const request of await gate.pending({ runId: RUN })) {
    await gate.decide(request.approvalId, await askOnTerminal(request), { by: 'mia' });
  }
  await gate.close();

  console.log('A third one goes on:');
  inProcess('goOn');
  showFiles(join(folder, 'files'));
}

const [role, folder = ''] = process.argv.slice(2);
if (role === 'begin') await begin(folder);
else if (role === 'goOn') await goOn(folder);
else await showAll();
