/**
 * Runs of agents, some at a time. Each asks for two executions, one after the other; a run that cannot go on is continued
 * until it is over. What an execution does is a line in a file.
 *
 *     agents.mjs <ledger> <name> <how many runs> <how many at once> <file of what ran>
 */
import { appendFileSync } from 'node:fs';
import * as ai from 'ai';
import { createGate, resume, streamWithEvents } from 'countersign';
import { call, finish, randomOf, say, says, scripted, sleep } from './lib.mjs';

const [ledger, name, count, atOnce, ran] = process.argv.slice(2);
const random = randomOf(name);
const del = ai.tool({
  inputSchema: ai.jsonSchema({ type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }),
  execute: async ({ path }) => {
    // One write at the end of the file: lines of several processes do not mix.
    appendFileSync(ran, `${path}\n`);
    return `deleted ${path}`;
  },
});
const gate = createGate({ ledger });
await gate.ready();
say('ready');

/** Says what comes after the results that it is shown. */
const modelOf = (runId) => ({
  ...scripted(),
  doStream({ prompt }) {
    const step = 1 + prompt.filter(({ role }) => role === 'tool').flatMap(({ content }) => content).length;
    const turn = step > 2 ? says('done') : [call(`${runId}.${step}`, `c${step}`), finish('tool-calls')];
    return scripted(turn).doStream();
  },
});

async function live(runId) {
  const options = { tools: { del }, interruptOn: 'all', gate, runId, approvalTimeout: 600_000, model: modelOf(runId) };
  for (let run = streamWithEvents({ ...options, prompt: 'go' }); ; run = resume(options)) {
    const end = await endOf(run);
    say(end, runId);
    if (end === 'over' || end === 'ERR_RUN_OVER') return;
    await sleep(50 + random() * 200);
    // It was never kept: nobody was asked.
    if (end === 'ERR_UNKNOWN_RUN') return live(runId);
  }
}

/** `over`, or the code of what ended it before. */
async function endOf(run) {
  try {
    for await (const event of run) {
      if (event.type === 'done') return 'over';
      if (event.type === 'error') return event.error.code ?? 'ERROR';
    }
    return 'CUT';
  } catch (error) {
    return error.code ?? 'ERROR';
  }
}

const left = Array.from({ length: Number(count) }, (_, number) => `${name}.${number}`);
const work = async () => {
  for (let runId = left.shift(); runId !== undefined; runId = left.shift()) await live(runId);
};
await Promise.all(Array.from({ length: Number(atOnce) }, work));
await gate.close();
say('finished');
