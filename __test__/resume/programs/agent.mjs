/** A run in a process of its own, which ends itself with SIGKILL where it is told to. Writes down what it does. */
import { appendFileSync } from 'node:fs';
import * as ai from 'ai';
import * as test from 'ai/test';
import { createGate, resume, streamWithEvents } from 'countersign';

const {
  way,
  ledger,
  log,
  turns,
  die,
  reject = [],
  answer,
  answers,
  runId = 'the-run',
  change = false,
} = JSON.parse(process.argv[2]);
const say = (...words) => appendFileSync(log, `${words.join(' ')}\n`);
const dieAt = (place) => {
  if (die !== place) return;
  say('DIE', place);
  process.kill(process.pid, 'SIGKILL');
};

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
let called = 0;
const doStream = async ({ prompt }) => {
  const turn = turns[called++];
  const results = prompt.filter(({ role }) => role === 'tool').flatMap(({ content }) => content);
  say(
    'MODEL',
    JSON.stringify(results.map(({ toolCallId, output }) => [toolCallId, output.value ?? output.reason ?? ''])),
  );
  dieAt(`turn ${called}`);
  const calls = turn.flatMap(({ tool, args, id }) =>
    tool === undefined ? [] : [{ type: 'tool-call', toolCallId: id, toolName: tool, input: JSON.stringify(args) }],
  );
  const reason = calls.length > 0 ? 'tool-calls' : 'stop';
  const said = turn.flatMap(({ text }, index) =>
    text === undefined
      ? []
      : [
          { type: 'text-start', id: `${index}` },
          { type: 'text-delta', id: `${index}`, delta: text },
          { type: 'text-end', id: `${index}` },
        ],
  );
  const finish = { type: 'finish', finishReason: { unified: reason, raw: reason }, usage };
  const chunks = [{ type: 'stream-start', warnings: [] }, ...said, ...calls, finish];
  return { stream: ai.simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
};
const model = new (test.MockLanguageModelV4 ?? test.MockLanguageModelV3)({ doStream });

/** Started tools. */
const started = new Set();
/** What runs beside what is asked about has begun, if it is to begin at all. */
const begun = async () => {
  if (way !== 'start' || !turns[0]?.some(({ tool }) => tool === 'read')) return;
  while (!started.has('read')) await new Promise((done) => setTimeout(done, 1));
};

const inputSchema = ai.jsonSchema({ type: 'object', properties: { path: { type: 'string' } }, required: ['path'] });
const toolNamed = (name, description) =>
  ai.tool({
    description,
    inputSchema,
    execute: async ({ path }) => {
      say('START', name, path);
      started.add(name);
      dieAt(`in ${name}`);
      await new Promise((done) => setTimeout(done, path.startsWith('/slow') ? 600_000 : 1));
      say('END', name, path);
      return `${name} ${path}`;
    },
  });
const askUser = ai.tool({
  description: 'Asks the human',
  inputSchema: ai.jsonSchema({ type: 'object', properties: { questions: { type: 'array' } } }),
});
askUser[Symbol.for('countersign.questions')] = ({ questions }) => questions;
const tools = {
  ask_user: askUser,
  del: toolNamed('del', change ? 'Deletes for ever' : 'Deletes'),
  read: toolNamed('read', 'Reads'),
};

const gate = createGate({ ledger });
const options = { model, tools, interruptOn: { del: true }, gate, runId };
if (answer !== undefined) {
  options.onApprovalRequest = ({ description, toolCallId }) => {
    say('ASKED', toolCallId, description.startsWith('Asked again') ? 'again' : 'first');
    return !reject.includes(toolCallId) && answer;
  };
}
if (answers !== undefined) {
  options.onQuestion = ({ approvalId, args }) => {
    say('QUESTION', approvalId, args.questions[0].question);
    return answers;
  };
}
const run = way === 'start' ? streamWithEvents({ ...options, prompt: 'go' }) : resume(options);
for await (const event of run) {
  say('EVENT', event.type, ...(event.type === 'run-resumed' ? [event.interrupted.join()] : []), event.toolCallId ?? '');
  if (die === event.type && die === 'approval-requested') await begun();
  dieAt(event.type);
  if (event.type === 'error') say('ERROR', event.error?.code, event.error?.message);
  if (event.type === 'done') say('DONE', event.text);
}
await gate.close();
