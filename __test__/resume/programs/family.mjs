/**
 * An agent that starts agents that start agents, in a process of its own. It writes down what it does, and ends itself when
 * it has written down what it is told to: with SIGKILL, by letting go of the run, or by closing its gate. What a model says depends on what it is shown, so that any process
 * can go on with it.
 */
import { appendFileSync } from 'node:fs';
import * as ai from 'ai';
import * as test from 'ai/test';
import { createGate, resume, streamWithEvents } from 'countersign';

const {
  way,
  ledger,
  log,
  agents,
  die,
  how = 'kill',
  answer,
  again = false,
  gated = ['del'],
} = JSON.parse(process.argv[2]);

const say = (...words) => {
  const line = words.join(' ');
  appendFileSync(log, `${line}\n`);
  if (line !== die) return;
  appendFileSync(log, 'DIE\n');
  if (how === 'kill') process.kill(process.pid, 'SIGKILL');
  else if (how === 'suspend') void run.suspend();
  else void gate.close();
};

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
const Mock = test.MockLanguageModelV4 ?? test.MockLanguageModelV3;
const modelOf = (name) =>
  new Mock({
    doStream: async ({ prompt }) => {
      const number = prompt.filter(({ role }) => role === 'assistant').length;
      const results = prompt.filter(({ role }) => role === 'tool').flatMap(({ content }) => content);
      const told = results.map(({ toolCallId, output }) => [toolCallId, output.value ?? output.reason ?? '']);
      say('MODEL', name, number);
      const turn = agents[name][number] ?? [];
      const calls = turn.map(({ tool, args, id }) => ({
        type: 'tool-call',
        toolCallId: id,
        toolName: tool,
        input: JSON.stringify(args),
      }));
      const delta = `${name}${JSON.stringify(told)}`;
      const reason = calls.length > 0 ? 'tool-calls' : 'stop';
      const said =
        calls.length > 0
          ? calls
          : [
              { type: 'text-start', id: '1' },
              { type: 'text-delta', id: '1', delta },
              { type: 'text-end', id: '1' },
            ];
      const finish = { type: 'finish', finishReason: { unified: reason, raw: reason }, usage };
      const chunks = [{ type: 'stream-start', warnings: [] }, ...said, finish];
      return { stream: ai.simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
  });

const schemaOf = (name) =>
  ai.jsonSchema({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] });
const toolNamed = (name) =>
  ai.tool({
    inputSchema: schemaOf('path'),
    execute: async ({ path }) => {
      say('START', name, path);
      await new Promise((done) => setTimeout(done, 1));
      say('END', name, path);
      return `${name} ${path}`;
    },
  });
const task = Object.assign(
  ai.tool({
    inputSchema: schemaOf('description'),
    execute: async ({ description }, options) => {
      const run = streamWithEvents({ model: modelOf(description), prompt: description, tools, parent: options });
      return (await run.result).text;
    },
  }),
  { [Symbol.for('countersign.task')]: true },
);
const tools = { del: toolNamed('del'), read: toolNamed('read'), task };

const gate = createGate({ ledger });
const interruptOn = Object.fromEntries(gated.map((name) => [name, true]));
const options = { model: modelOf('main'), tools, interruptOn, gate, runId: 'the-run' };
if (answer !== undefined) {
  options.onApprovalRequest = ({ description, toolCallId }) => {
    say('ASKED', toolCallId);
    return description.startsWith('Asked again') ? again : answer;
  };
}
const run = way === 'start' ? streamWithEvents({ ...options, prompt: 'go' }) : resume(options);
for await (const event of run) {
  const { type, toolCallId = '' } = event;
  if (type === 'approval-requested' && event.description.startsWith('Asked again'))
    say('AGAIN', event.args.path ?? event.args.description);
  if (type === 'error') say('ERROR', event.error?.code, event.error?.message);
  else if (type === 'done') say('DONE', event.text);
  else if (type !== 'subagent-event' && type !== 'text') say('EVENT', type, toolCallId);
}
await gate.close();
