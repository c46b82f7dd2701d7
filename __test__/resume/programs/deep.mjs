/** A deep agent over real files, whose subagent writes and runs a command. Ends itself where it is told to. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as ai from 'ai';
import * as test from 'ai/test';
import { createGate } from 'countersign';
import { createDeepAgent, createLocalBackend } from 'countersign/agent';

const { way, ledger, log, folder, die, answer } = JSON.parse(process.argv[2]);
const root = join(folder, 'work');
mkdirSync(root, { recursive: true });

const say = (...words) => {
  const line = words.join(' ');
  appendFileSync(log, `${line}\n`);
  if (line === die) process.kill(process.pid, 'SIGKILL');
};

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
const Mock = test.MockLanguageModelV4 ?? test.MockLanguageModelV3;
const modelOf = (name, turns) =>
  new Mock({
    doStream: async ({ prompt }) => {
      const number = prompt.filter(({ role }) => role === 'assistant').length;
      say('MODEL', name, number);
      const [call] = turns.slice(number);
      const said =
        call === undefined
          ? [
              { type: 'text-start', id: '1' },
              { type: 'text-delta', id: '1', delta: `${name} is done` },
              { type: 'text-end', id: '1' },
            ]
          : [{ type: 'tool-call', toolCallId: call.id, toolName: call.tool, input: JSON.stringify(call.args) }];
      const reason = call === undefined ? 'stop' : 'tool-calls';
      const finish = { type: 'finish', finishReason: { unified: reason, raw: reason }, usage };
      const chunks = [{ type: 'stream-start', warnings: [] }, ...said, finish];
      return { stream: ai.simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
  });

const gate = createGate({ ledger, place: { cwd: root } });
const agent = createDeepAgent({
  model: modelOf('main', [
    { tool: 'task', id: 'c1', args: { subagent_type: 'writer', description: 'write it' } },
    { tool: 'write_file', id: 'm1', args: { file_path: 'main.txt', content: 'main\n' } },
  ]),
  backend: createLocalBackend({ root }),
  gate,
  interruptOn: { write_file: true, execute: true },
  subagents: [
    {
      name: 'writer',
      description: 'writes',
      model: modelOf('writer', [
        { tool: 'write_file', id: 'k1', args: { file_path: 'a.txt', content: 'a\n' } },
        { tool: 'execute', id: 'k2', args: { command: 'echo once >> log.txt' } },
      ]),
    },
  ],
});
const options = {
  runId: 'the-run',
  ...(answer === undefined
    ? {}
    : {
        onApprovalRequest: ({ description, toolCallId }) => {
          const isAgain = description.startsWith('Asked again');
          say('ASKED', toolCallId, isAgain ? 'again' : 'first');
          return !isAgain && answer;
        },
      }),
};
const run = way === 'start' ? agent.streamWithEvents({ ...options, prompt: 'go' }) : agent.resume(options);
for await (const event of run) {
  if (event.type === 'error') say('ERROR', event.error?.code, event.error?.message);
  else if (event.type === 'done') say('DONE', event.text);
  else if (!['subagent-event', 'text', 'text-segment', 'user-message'].includes(event.type))
    say('EVENT', event.type, event.toolCallId ?? '');
}
await gate.close();
