/** The embedded model keeps to the protocol: driven by the AI SDK's provider without countersign, and by hand. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { isThorough, sample } from '../support/effort.js';
import { serve } from './processes.js';

const MODEL = 'countersign-demo';

/** The built-in tools as they answer when all goes well; what they were called with goes into `ran`. */
function toolsThatLog(ran: unknown[]) {
  const file_path = z.string();
  return {
    read_file: tool({
      inputSchema: z.object({ file_path }),
      execute: (args) => (ran.push(args), '     1\told, old'),
    }),
    write_file: tool({
      inputSchema: z.object({ file_path, content: z.string() }),
      execute: (args) => (ran.push(args), `Made ${args.file_path}: 1 bytes.`),
    }),
    edit_file: tool({
      inputSchema: z.object({
        file_path,
        old_string: z.string(),
        new_string: z.string(),
        replace_all: z.boolean().optional(),
      }),
      execute: (args) => (ran.push(args), `Edited ${args.file_path}: 2 places.`),
    }),
    execute: tool({
      inputSchema: z.object({ command: z.string() }),
      execute: (args) => (ran.push(args), '(no output)\n[exit code 0]'),
    }),
  };
}

async function model() {
  return createOpenAICompatible({ name: 'test', baseURL: await serve(), includeUsage: true })(MODEL);
}

function post(url: string, body: unknown): Promise<Response> {
  return fetch(`${url}/chat/completions`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const CREATE = {
  model: MODEL,
  messages: [{ role: 'user', content: 'create a.txt with 😀😀😀😀😀😀😀😀 and create b.txt with 2' }],
  tools: [{ type: 'function', function: { name: 'write_file', parameters: {} } }],
};

test('streamText: several calls in one step, their ids unique over the conversation, and an answer that knows the results', async () => {
  const ran: unknown[] = [];
  const run = streamText({
    model: await model(),
    tools: toolsThatLog(ran),
    messages: [
      { role: 'user', content: 'create z.txt with 0' },
      {
        role: 'assistant',
        content: [
          {
            type: 'tool-call',
            toolCallId: 'call_1',
            toolName: 'write_file',
            input: { file_path: 'z.txt', content: '0' },
          },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'call_1', toolName: 'write_file', output: { type: 'execution-denied' } },
        ],
      },
      { role: 'assistant', content: 'You rejected creating z.txt.' },
      {
        role: 'user',
        content: 'create a.txt with 1 and create b.txt with "2\\n" and run node --test and delete README.md',
      },
    ],
    stopWhen: stepCountIs(5),
  });
  await run.consumeStream();
  const steps = await run.steps;
  expect(steps.map((step) => step.finishReason)).toEqual(['tool-calls', 'stop']);
  expect(steps[0]!.toolCalls.map((call) => call.toolCallId)).toEqual(['call_2', 'call_3', 'call_4', 'call_5']);
  expect(ran).toEqual([
    { file_path: 'a.txt', content: '1' },
    { file_path: 'b.txt', content: '2\n' },
    { command: 'node --test' },
    { command: 'rm README.md' },
  ]);
  expect(await run.text).toBe('Created a.txt.\nCreated b.txt.\nRan `node --test`: exit code 0.\nDeleted README.md.');
  expect((await run.totalUsage).totalTokens).toBeGreaterThan(0);
});

test.runIf(isThorough)('a change reads first, and replaces every place', async () => {
  const ran: unknown[] = [];
  const result = await generateText({
    model: await model(),
    tools: toolsThatLog(ran),
    prompt: 'change old to new in a.txt',
    stopWhen: stepCountIs(5),
  });
  expect(ran).toEqual([
    { file_path: 'a.txt' },
    { file_path: 'a.txt', old_string: 'old', new_string: 'new', replace_all: true },
  ]);
  expect(result.text).toBe('Changed "old" to "new" in a.txt (2 places).');
});

test.runIf(isThorough)('a change of something that is not there edits nothing', async () => {
  const ran: unknown[] = [];
  const result = await generateText({
    model: await model(),
    tools: toolsThatLog(ran),
    prompt: 'change absent to new in a.txt',
    stopWhen: stepCountIs(5),
  });
  expect(ran).toEqual([{ file_path: 'a.txt' }]);
  expect(result.text).toBe('a.txt does not contain "absent", so I changed nothing.');
});

test('subagents: several at once, each with a conversation of its own on this same server', async () => {
  const ran: unknown[] = [];
  const provider = await model();
  const task = tool({
    inputSchema: z.object({ description: z.string(), subagent_type: z.string() }),
    execute: async ({ description }) => {
      const stopWhen = stepCountIs(5);
      return (await generateText({ model: provider, tools: toolsThatLog(ran), prompt: description, stopWhen })).text;
    },
  });
  const result = await generateText({
    model: provider,
    tools: { task },
    prompt: 'ask a researcher to read a.txt and ask a researcher to create b.txt with 2',
    stopWhen: stepCountIs(5),
  });
  expect(ran).toHaveLength(2);
  expect(ran).toEqual(expect.arrayContaining([{ file_path: 'a.txt' }, { file_path: 'b.txt', content: '2' }]));
  expect(result.text).toBe('General-purpose says:\na.txt says:\nold, old\nGeneral-purpose says:\nCreated b.txt.');
});

test.runIf(isThorough)('what a quoted text contains is not taken for another request', async () => {
  const ran: unknown[] = [];
  await generateText({
    model: await model(),
    tools: toolsThatLog(ran),
    prompt: 'create a.txt with "x and run ls" and run echo "y and delete z"',
    stopWhen: stepCountIs(5),
  });
  expect(ran).toEqual([{ file_path: 'a.txt', content: 'x and run ls' }, { command: 'echo "y and delete z"' }]);
});

test.runIf(isThorough)('without the tool it needs, it calls nothing', async () => {
  const { write_file } = toolsThatLog([]);
  const result = await generateText({ model: await model(), tools: { write_file }, prompt: 'run ls' });
  expect(result.toolCalls).toEqual([]);
  expect(result.text).toContain('the tool execute');
});

test('the stream: calls in several deltas, whole characters, one finish, usage when asked for, [DONE]', async () => {
  const response = await post(await serve(), { ...CREATE, stream: true, stream_options: { include_usage: true } });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const events = (await response.text()).trimEnd().split('\n\n');
  expect(events.every((event) => event.startsWith('data: '))).toBe(true);
  const data = events.map((event) => event.slice('data: '.length));
  expect(data.pop()).toBe('[DONE]');
  const chunks = data.map((text) => JSON.parse(text));
  expect(chunks.pop()).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
  expect(chunks[0].choices[0].delta).toEqual({ role: 'assistant', content: '' });

  const deltas = chunks.flatMap((chunk) => chunk.choices[0].delta.tool_calls ?? []);
  for (const index of [0, 1]) {
    const [head, ...pieces] = deltas.filter((delta) => delta.index === index);
    expect(head).toMatchObject({
      id: `call_${index + 1}`,
      type: 'function',
      function: { name: 'write_file', arguments: '' },
    });
    expect(pieces.length).toBeGreaterThan(2);
    for (const piece of pieces) {
      expect(piece.id).toBeUndefined();
      expect(piece.function.arguments.isWellFormed()).toBe(true);
    }
  }
  const finished = chunks.filter((chunk) => chunk.choices[0].finish_reason !== null);
  expect(finished).toEqual([chunks.at(-1)]);
  expect(finished[0].choices[0].finish_reason).toBe('tool_calls');
});

test.runIf(isThorough)('without stream_options there is no usage chunk', async () => {
  const text = await (await post(await serve(), { ...CREATE, stream: true })).text();
  expect(text).not.toContain('usage');
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
});

test('without stream: one JSON answer', async () => {
  const response = await post(await serve(), CREATE);
  expect(await response.json()).toMatchObject({
    object: 'chat.completion',
    choices: [
      { finish_reason: 'tool_calls', message: { role: 'assistant', tool_calls: [{ id: 'call_1' }, { id: 'call_2' }] } },
    ],
    usage: { prompt_tokens: expect.any(Number) },
  });
});

test('the list of models', async () => {
  expect(await (await fetch(`${await serve()}/models`)).json()).toMatchObject({
    object: 'list',
    data: [{ id: MODEL, object: 'model' }],
  });
});

const call = (id: string) => ({ id, type: 'function', function: { name: 'write_file', arguments: '{}' } });

const refused: [string, object | string, number, string][] = [
  ['not JSON', '{', 400, 'JSON object'],
  ['no model', { messages: CREATE.messages }, 400, 'model'],
  ['another model', { ...CREATE, model: 'gpt-9' }, 404, 'gpt-9'],
  ['no messages', { model: MODEL, messages: [] }, 400, 'messages'],
  ['a strange role', { model: MODEL, messages: [{ role: 'wizard', content: 'x' }] }, 400, 'role'],
  [
    'an unanswered call',
    { model: MODEL, messages: [{ role: 'assistant', tool_calls: [call('call_1')] }] },
    400,
    'call_1',
  ],
  [
    'an answer that comes too late',
    {
      model: MODEL,
      messages: [
        { role: 'assistant', tool_calls: [call('call_1')] },
        { role: 'user', content: 'x' },
      ],
    },
    400,
    'call_1',
  ],
  [
    'an answer to nothing',
    { model: MODEL, messages: [{ role: 'tool', tool_call_id: 'call_7', content: 'x' }] },
    400,
    'call_7',
  ],
  [
    'an id used twice',
    { model: MODEL, messages: [{ role: 'assistant', tool_calls: [call('a'), call('a')] }] },
    400,
    'one id',
  ],
];
test.each(sample(refused, 1))('a request with %s is refused', async (_, body, status, words) => {
  const response = await post(await serve(), body);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({
    error: { message: expect.stringContaining(words), type: 'invalid_request_error' },
  });
});

test('an unknown path is 404 and a wrong method 405', async () => {
  const url = await serve();
  expect((await fetch(`${url}/embeddings`, { method: 'POST' })).status).toBe(404);
  expect((await fetch(`${url}/chat/completions`)).status).toBe(405);
});
