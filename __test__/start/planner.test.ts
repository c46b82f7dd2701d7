/** What the embedded model makes of a sentence, and of what becomes of its calls. Pure: no server, no agent. */
import { expect, test } from 'vitest';

type Args = Record<string, unknown>;
interface Turn {
  text: string;
  calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
}
interface OfferedTool {
  name: string;
  description: string;
  takesReason?: boolean;
}
interface Planner {
  plan(messages: readonly object[], tools: readonly OfferedTool[]): Turn;
}

const { plan } = (await import(new URL('../../examples/start/planner.mjs', import.meta.url).href)) as Planner;

const TOOLS = 'ls read_file write_file edit_file glob grep execute write_todos task ask_user'.split(' ');
const RESULTS: Record<string, string> = {
  ls: 'src/\nREADME.md',
  read_file: '     1\tHello\n     2\tError: it says so',
  write_file: 'Made it: 1 bytes.',
  edit_file: 'Edited it: one place.',
  execute: 'Error: x denies\n[exit code 0]',
  grep: 'src/a:1: Hello\n[Lines: 1. Files: 1.]',
  write_todos: 'The plan is written: 1 pending.',
  ask_user: 'Q: Why?\nA: because',
};
const NOBODY = 'Nobody answered in time.';
const POLICY = '`git push`: .countersign/policy.toml:4 denies: "releases are made by people"';

/** The model's turns from a prompt to its last word, each call answered by its tool, or as `answer` says. */
function talk(
  prompt: string,
  answer: (name: string, args: Args) => string | { edited: Args } | undefined = () => undefined,
  tools: readonly OfferedTool[] = TOOLS.map((name) => ({ name, description: '' })),
) {
  const messages: object[] = [
    { role: 'system', content: 'You are a demo.' },
    { role: 'user', content: prompt },
  ];
  const rounds: [name: string, args: Args][][] = [];
  for (;;) {
    const turn = plan(messages, tools);
    if (turn.calls.length === 0) return { rounds, text: turn.text };
    expect(rounds.length, 'it goes on for ever').toBeLessThan(20);
    const calls = turn.calls.map(({ function: { name, arguments: json } }) => ({
      name,
      args: JSON.parse(json) as Args,
    }));
    rounds.push(calls.map(({ name, args }) => [name, args]));
    const answers = calls.map(({ name, args }) => answer(name, args));
    const asStored = turn.calls.map((call, index) => {
      const given = answers[index];
      if (typeof given !== 'object') return call;
      return { ...call, function: { ...call.function, arguments: JSON.stringify(given.edited) } };
    });
    messages.push({ role: 'assistant', content: turn.text, tool_calls: asStored });
    for (const [index, { id, function: call }] of turn.calls.entries()) {
      const given = answers[index];
      const result = RESULTS[call.name] ?? `the result of ${call.name}`;
      const note =
        '\n\nNote: the human changed the arguments of this call before it ran; the call above shows what ran.';
      messages.push({
        role: 'tool',
        tool_call_id: id,
        content: typeof given === 'string' ? given : given ? result + note : result,
      });
    }
  }
}

test.for([
  ['list the files', [['ls', {}]]],
  ['list all files in src', [['ls', { path: 'src' }]]],
  ['ls src', [['ls', { path: 'src' }]]],
  ['find **/*.js', [['glob', { pattern: '**/*.js' }]]],
  ['find greet in src', [['glob', { pattern: '**/*greet*', path: 'src' }]]],
  ['search for greet in src', [['grep', { pattern: 'greet', path: 'src' }]]],
  ['search for "f(x) and read y"', [['grep', { pattern: 'f\\(x\\) and read y' }]]],
  ['read "a b.txt"', [['read_file', { file_path: 'a b.txt' }]]],
  ['write "a\\tb" to c.txt', [['write_file', { file_path: 'c.txt', content: 'a\tb' }]]],
  ['delete -rf', [['execute', { command: 'rm ./-rf' }]]],
  ['delete "it\'s.txt"', [['execute', { command: "rm 'it'\\''s.txt'" }]]],
  ['delete everything', [['execute', { command: 'rm -rf ./*' }]]],
  [
    'install https://get.example.invalid/x.sh',
    [['execute', { command: 'curl -fsSL https://get.example.invalid/x.sh | sh' }]],
  ],
  [
    'push and publish it',
    [
      ['execute', { command: 'git push' }],
      ['execute', { command: 'npm publish' }],
    ],
  ],
  [
    'please create a.txt with 1, and read b and run the tests',
    [
      ['write_file', { file_path: 'a.txt', content: '1' }],
      ['read_file', { file_path: 'b' }],
      ['execute', { command: 'node --test' }],
    ],
  ],
  [
    'ask a researcher to read a and ask a writer to "create b with 1 and run ls"',
    [
      ['task', { description: 'read a', subagent_type: 'general-purpose' }],
      ['task', { description: 'create b with 1 and run ls', subagent_type: 'general-purpose' }],
    ],
  ],
  ['delegate read a to general-purpose', [['task', { description: 'read a', subagent_type: 'general-purpose' }]]],
  [
    'call shout {"words":["a b"]} and call wave',
    [
      ['shout', { words: ['a b'] }],
      ['wave', {}],
    ],
  ],
] as const)('%s', ([prompt, calls]) => {
  const tools = [...TOOLS, 'shout', 'wave'].map((name) => ({ name, description: '' }));
  expect(talk(prompt, undefined, tools).rounds).toEqual([calls]);
});

test.for([
  ['my name', { kind: 'text', question: 'What is your name?' }],
  ['what for (optional)', { kind: 'text', question: 'What for?', required: false }],
  [
    'which language: English, German or French',
    { kind: 'multiple_choice', question: 'Which language?', options: ['English', 'German', 'French'] },
  ],
  ['which days: today and tomorrow', { kind: 'multi_select', question: 'Which days?', options: ['today', 'tomorrow'] }],
] as const)('ask me %s', ([words, question]) => {
  const asked =
    'options' in question ? { ...question, options: question.options.map((label) => ({ label })) } : question;
  const { rounds, text } = talk(`ask me ${words}; why`);
  expect(rounds).toEqual([[['ask_user', { questions: [asked, { kind: 'text', question: 'Why?' }] }]]]);
  expect(text).toBe('Thank you. You told me:\nQ: Why?\nA: because');
});

test('"and" is at once, "then" is one after the other', () => {
  const { rounds, text } = talk('create a with 1 and create b with 2, then run cat a b and then read a');
  expect(rounds.map((calls) => calls.map(([name]) => name))).toEqual([
    ['write_file', 'write_file'],
    ['execute'],
    ['read_file'],
  ]);
  expect(text).toBe('Created a.\nCreated b.\nRan `cat a b`: exit code 0.\na says:\nHello\nError: it says so');
});

test('a change reads first, also beside others', () => {
  const { rounds } = talk('change Hello to Hi in a and run ls and change absent to x in b');
  expect(rounds.map((calls) => calls.map(([name]) => name))).toEqual([
    ['read_file', 'execute', 'read_file'],
    ['edit_file'],
  ]);
});

test('a plan is written down, worked off and kept up to date', () => {
  const { rounds, text } = talk('plan: read a, change Hello to Hi in b and run the tests');
  const statuses = (args: Args) => (args['todos'] as { status: string }[]).map(({ status }) => status).join(' ');
  expect(rounds.map(([call]) => (call![0] === 'write_todos' ? statuses(call![1]) : call![0]))).toEqual([
    'in_progress pending pending',
    'read_file',
    'completed in_progress pending',
    'read_file',
    'edit_file',
    'completed completed in_progress',
    'execute',
    'completed completed completed',
  ]);
  expect(text).toBe(
    'a says:\nHello\nError: it says so\nChanged "Hello" to "Hi" in b (1 place).\nRan `node --test`: exit code 0.',
  );
});

test('a plan of what it cannot do is only written down', () => {
  const { rounds, text } = talk('plan: buy milk, run ls');
  expect(rounds).toEqual([
    [
      [
        'write_todos',
        {
          todos: [
            { content: 'buy milk', status: 'pending' },
            { content: 'run ls', status: 'pending' },
          ],
        },
      ],
    ],
  ]);
  expect(text).toBe('The plan is written down.');
});

test('a subagent that the tool speaks of is asked for by its name', () => {
  const tools = [{ name: 'task', description: 'Starts one of: researcher (looks things up), general-purpose.' }];
  const { rounds, text } = talk('ask a researcher to read a and ask a poet to say "roses"', undefined, tools);
  expect(rounds[0]!.map(([, args]) => args['subagent_type'])).toEqual(['researcher', 'general-purpose']);
  expect(text).toContain('Researcher says:\nthe result of task');
});

test('help, and what it does not understand: all its ideas', () => {
  for (const request of ['help', 'What can you do?', 'make me a sandwich', ''])
    expect(talk(request)).toEqual({ rounds: [], text: expect.stringContaining('\n  delete everything\n') });
});

test('a tool that it was not given is said, and nothing is called', () => {
  const { rounds, text } = talk('create a with 1 and run ls', undefined, [{ name: 'write_file', description: '' }]);
  expect(rounds).toEqual([]);
  expect(text).toBe('I would need the tool execute for that, and I was not given it.');
});

test.for([
  ['because I say so', 'You rejected creating a.txt: because I say so'],
  ['Tool call execution denied.', 'You rejected creating a.txt.'],
  ['no more files The human rejected this same call before.', 'You rejected creating a.txt: no more files'],
  [NOBODY, `Creating a.txt: not done. ${NOBODY}`],
  ['Nobody is there to answer.', 'Creating a.txt: not done. Nobody is there to answer.'],
  [
    'A piped line does not run it: it may be odd.',
    'Creating a.txt: not done. A piped line does not run it: it may be odd.',
  ],
  [
    'The human skipped this call. Go on without it.',
    'Creating a.txt: not done. The human skipped this call. Go on without it.',
  ],
  ['BackendError: a.txt is a folder.', 'Creating a.txt failed: a.txt is a folder.'],
  ['AI_InvalidToolInputError: no content', 'Creating a.txt failed: no content'],
  [
    'writing `a.txt`: policy.toml:4 denies: "read only"',
    'A policy does not allow creating a.txt: "read only"\nI will not look for a way around it.',
  ],
] as const)('not run: %s', ([result, told]) => {
  expect(talk('create a.txt with 1', () => result)).toEqual({
    rounds: [[['write_file', { file_path: 'a.txt', content: '1' }]]],
    text: told,
  });
});

test.for([
  ['read a', 'not this one', 'You rejected reading a: not this one'],
  ['search for x', 'no', 'You rejected searching for "x": no'],
  [
    'run sleep 9',
    'out\n[It took too long and was stopped. Do less at once.]',
    'Ran `sleep 9`: It took too long and was stopped. Do less at once.',
  ],
  [
    'read a',
    '"a": there is no such file: look what there is, then name one',
    'Reading a failed: "a": there is no such file: look what there is, then name one',
  ],
  ['list', 'BackendError: there is no such folder', 'Listing the project failed: there is no such folder'],
  ['ask me why', 'The human did not answer the questions. Go on without the answers.', 'You rejected my questions.'],
  [
    'ask me why',
    'The human did not answer the questions. The reason: none of it. Go on without the answers.',
    'You rejected my questions: none of it.',
  ],
  [
    'ask me why',
    'The questions could not be put to the human: Nobody could be asked. Go on without the answers.',
    'My questions: not done. The questions could not be put to the human: Nobody could be asked. Go on without the answers.',
  ],
] as const)('%s, and what became of it: %s', ([prompt, result, told]) => {
  expect(talk(prompt, () => result).text).toBe(told);
});

test('a rejection with a better idea: it does that, and asks for it', () => {
  const other = (prompt: string, reason: string, result?: string) => {
    let first = true;
    const { rounds, text } = talk(prompt, () => (first ? ((first = false), reason) : result));
    return [rounds[1]?.[0], text.split('\n').at(-1)];
  };
  expect(other('create a with 1', 'call it b')).toEqual([
    ['write_file', { file_path: 'b', content: '1' }],
    'Created b.',
  ]);
  expect(other('create a with 1', 'No, use src/b instead.')?.[0]).toEqual([
    'write_file',
    { file_path: 'src/b', content: '1' },
  ]);
  expect(other('run npm test', 'use `node --test` instead')[0]).toEqual(['execute', { command: 'node --test' }]);
  expect(other('delete a', 'please read a instead')[0]).toEqual(['read_file', { file_path: 'a' }]);
  expect(other('create a with 1', 'use your head!')).toEqual([undefined, 'You rejected creating a: use your head!']);
});

test('a rejected call is not made again', () => {
  const { rounds, text } = talk('run npm test, then run npm test', () => 'use npm test');
  expect(rounds).toHaveLength(1);
  expect(text).toContain('You have rejected running `npm test` before, so I leave it at that.');
});

test('a policy that denies is told apart from a human, and other calls of the step count', () => {
  const { text } = talk('run git push and run ls', (_, { command }) => (command === 'git push' ? POLICY : undefined));
  expect(text).toBe(
    `A policy does not allow running \`git push\`: "releases are made by people"\nI will not look for a way around it.\nRan \`ls\`: exit code 0.`,
  );
});

test('what a human edited is what it tells', () => {
  const { text } = talk('create a with 1', () => ({ edited: { file_path: 'b', content: '2' } }));
  expect(text).toBe('Created b instead of a. You had changed the path and the content.');
});

test('each request starts anew, and ids count through the conversation', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'execute', arguments: '{"command":"ls"}' } };
  const turn = plan(
    [
      { role: 'user', content: 'run ls' },
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'never' },
      { role: 'assistant', content: 'You rejected it.' },
      { role: 'user', content: [{ type: 'text', text: 'run ls' }] },
    ],
    [{ name: 'execute', description: '' }],
  );
  expect(turn.calls).toEqual([{ ...call, id: 'call_2' }]);
});

test('says why a call is made, where its tool takes that, and no human has changed it by that', () => {
  const tools = TOOLS.map((name) => ({ name, description: '', takesReason: name !== 'edit_file' }));
  const said = (prompt: string) =>
    talk(prompt, undefined, tools)
      .rounds.flat()
      .map(([, args]) => args['description']);
  expect(said('create a.txt with hi')).toEqual(['You asked for a.txt.']);
  expect(said('run npm test')).toEqual(['You asked me to run this.']);
  expect(said('delete a.txt')).toEqual(['You asked me to delete a.txt.']);
  expect(said('change Hello to Hi in a.txt')).toEqual([undefined, undefined]);
  expect(said(`create ${'a'.repeat(300)} with hi`)).toEqual([undefined]);
  const edited = (_: string, args: Args) => ({ edited: { ...args, content: 'ho' } });
  expect(talk('create a.txt with hi', edited, tools).text).toContain('You had changed the content.');
});
