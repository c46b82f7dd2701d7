/** Piped lines: which of them run a call, and which call they belong to, for `terminalApprover` and `countersign` on a pipe. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { ApprovalRequest, GateOptions } from '../../index.js';
import { askOf } from '../../ts/cli/chat/asks.js';
import { COMMANDS } from '../../ts/cli/chat/commands.js';
import { showJson } from '../../ts/cli/chat/json.js';
import { showLines } from '../../ts/cli/chat/lines.js';
import type { LocalChat } from '../../ts/cli/chat/parts.js';
import type { ApprovalAsk } from '../../ts/cli/chat/view.js';
import { createDeepAgent, createLocalBackend } from '../../ts/agent/index.js';
import { terminalApprover } from '../../ts/index.js';
import { asked, stage, until as seen } from '../cli/chat-support.js';
import { scratch } from '../policy/support.js';
import { PATIENTLY } from '../runtimes.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { listenToWarnings } from '../support/warnings.js';
import { request } from './fake.js';
import { place } from './place.js';
import { viewOf } from './presses.js';

const execute = (command: string, more: Partial<ApprovalRequest> = {}): ApprovalRequest =>
  request('execute', { command }, { preview: `execute\n│ command: ${command}`, ...more });

/** What a line that was written before the call was there cannot have meant, and what it can. */
const CALLS: [string, ApprovalRequest, string, string | undefined][] = [
  ['a call that was started before', execute('ls', { startedBefore: true }), 'y', 'was started before'],
  ['a call that may deceive', execute('ls \u202e gpj.sh', { flags: ['bidi'] }), 'y', 'may not be what it seems'],
  ['an edit that may deceive', execute('ls'), 'e {"command":"ls \\u202e gpj.sh"}', 'may not be what it seems'],
  [
    'an edit of one that was started',
    execute('ls', { startedBefore: true }),
    'e {"command":"ls -l"}',
    'started before',
  ],
  ['a call that deletes', execute('rm a'), 'y', undefined],
  ['a call that is not shown whole at first', execute('ls', { flags: ['hidden', 'long'] }), 'y', undefined],
];

describe.each(CALLS)('%s', (_, waiting, line, why) => {
  test(`terminalApprover: one piped line ${why === undefined ? 'runs it' : 'is a no that says why'}`, async () => {
    using _warned = listenToWarnings();
    const { input, output, shown } = place(false);
    input.end(`${line}\nn\n`);
    const ask = terminalApprover({ input, output });
    const signal = { abortSignal: new AbortController().signal };
    const decided = await ask(waiting, signal);
    expect(decided).toMatchObject(
      why === undefined ? { type: 'approve' } : { type: 'reject', reason: expect.stringContaining(why) as unknown },
    );
    if (why !== undefined) expect(shown()).toMatch(/A piped line does not run it:[^]*countersign approve/);
    expect(await ask(execute('ls'), signal)).toEqual({ type: 'reject' });
  });

  test.each(line === 'y' ? ['y', 's'] : [line])('the chat: %s', async (typed) => {
    const done: unknown[] = [];
    const note = (what: string) => (id: string, more?: unknown) => {
      chat.view = viewOf();
      chat.isOver = true;
      done.push(more ?? id ?? what);
      return Promise.resolve(undefined);
    };
    const input = new PassThrough();
    const always = { allow: { label: '`ls`', also: [] }, deny: null } as never;
    const chat = {
      view: viewOf(askOf({ ...waiting, always }, 1, 1)),
      commands: COMMANDS,
      subscribe: () => () => {},
      lastRun: undefined,
      isOver: false,
      reconsider: (_id: string, args: { command: string }) => {
        const flags = args.command.includes('\u202e') ? ['bidi'] : [];
        return Promise.resolve(askOf({ ...waiting, args, flags: flags as never }, 1, 1) as ApprovalAsk);
      },
      decide: note('decide'),
      approveAll: note('all'),
      approveAlike: note('like'),
      always: note('always'),
    };
    input.end(`${typed}\n`);
    void showLines(chat as unknown as LocalChat, { input, write: () => {}, canAsk: true, emoji: false });
    await vi.waitUntil(() => done.length > 0, PATIENTLY);
    if (why === undefined) expect(done).not.toMatchObject([{ type: 'reject' }]);
    else expect(done).toMatchObject([{ type: 'reject', reason: expect.stringContaining(why) as unknown }]);
  });
});

describe('in the chat, where another process decides first', () => {
  const write = (path: string) => call('write_file', { file_path: path, content: 'x' }, path);

  const piped = (...paths: string[]) => pipedUnder({}, ...paths);

  async function pipedUnder(options: GateOptions, ...paths: string[]) {
    const turns = [calls(...paths.map(write)), says('Done.'), says('Again.')];
    const { chat, gate, folder, prompts } = await stage(turns, { gate: options });
    const input = new PassThrough();
    let shown = '';
    const over = showLines(chat, { input, write: (text) => (shown += text), canAsk: true, emoji: false });
    input.write('go\n');
    await asked(chat, paths.length);
    const ids = chat.view.asks.map(({ request: { approvalId } }) => approvalId);
    const has = () => paths.map((path) => existsSync(join(folder, path)));
    return { chat, gate, input, over, ids, has, prompts, shown: () => shown };
  }

  test('the line of the call that was asked about answers no other, and is no prompt', async () => {
    const { chat, gate, input, over, ids, has, prompts, shown } = await piped('a', 'b', 'c');
    await vi.waitUntil(() => shown().includes('tool 1 of 3'), PATIENTLY);
    await gate.reject(ids[0]!, { by: 'mia' });
    await vi.waitUntil(() => shown().includes('tool 2 of 3'), PATIENTLY);
    expect(shown()).toContain('The line that belongs to it answers nothing else');
    input.end('y\nn\nn\n');
    await over;
    expect([has(), prompts.length, chat.lastRun]).toEqual([[false, false, false], 2, 'done']);
  });

  test('the line of a call whose turn had not come answers no other, and the one before it its own', async () => {
    const { chat, gate, input, over, ids, has } = await piped('a', 'b', 'c');
    await gate.reject(ids[1]!, { by: 'mia' });
    await seen(chat, ({ asks }) => asks.length === 2);
    input.end('n\ny\nn\n');
    await over;
    expect(has()).toEqual([false, false, false]);
  });

  test('behind a call that had its line and waits for others, the line of one decided elsewhere answered the next one', async () => {
    const rule = [{ tools: ['write_file'], effect: 'ask' as const, approvers: ['tester', 'mia'], quorum: 2 }];
    const { gate, input, over, ids, has, shown } = await pipedUnder({ policy: { version: 1, rule } }, 'a', 'b', 'c');
    input.write('y\n');
    await vi.waitUntil(() => shown().includes('tool 2 of 3'), PATIENTLY);
    await gate.reject(ids[1]!, { by: 'mia' });
    await vi.waitUntil(() => shown().includes('tool 3 of 3'), PATIENTLY);
    // The line of b, then the one of c.
    input.write('y\nn\n');
    await vi.waitUntil(async () => (await gate.get(ids[2]!))?.status === 'rejected', PATIENTLY);
    await gate.reject(ids[0]!, { by: 'mia' });
    input.end();
    await over;
    expect(has()).toEqual([false, false, false]);
  });
});

describe('in the chat, where what waits cannot be refused', () => {
  /** A run that asks, and a ledger that fails once a rejection is to be written. */
  async function failing() {
    const { chat, gate } = await stage([calls(call('write_file', { file_path: 'a', content: 'x' }, 'a'))]);
    const reject = vi.spyOn(gate, 'reject').mockRejectedValue(new Error('the disk is full'));
    return { chat, reject };
  }

  test('it ends with the cause, and is not tried without end', async () => {
    const { chat, reject } = await failing();
    const input = new PassThrough();
    let shown = '';
    input.end('go\n');
    const code = await showLines(chat, { input, write: (text) => (shown += text), canAsk: true, emoji: false });
    expect([code, reject.mock.calls.length]).toEqual([1, 1]);
    expect(shown.match(/the disk is full/g)).toHaveLength(1);
  });

  test('behind a line that could not be taken, too', async () => {
    const { chat, reject } = await failing();
    vi.spyOn(chat, 'decide').mockResolvedValue('the disk is full');
    const input = new PassThrough();
    input.end('go\nd\n');
    const code = await showLines(chat, { input, write: () => {}, canAsk: true, emoji: false });
    expect([code, reject.mock.calls.length]).toEqual([1, 1]);
  });

  test('--json ends with 1, too', async () => {
    const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const { chat } = await failing();
      expect(await showJson(chat, ['go', 'more'])).toBe(1);
      expect(told.mock.calls.join('')).toContain('the disk is full');
    } finally {
      told.mockRestore();
    }
  });
});

describe('in the chat, a line that cannot be taken is a no to its call, and the next line belongs to the next call', () => {
  const write = (path: string) => call('write_file', { file_path: path, content: 'x' }, path);

  /** Runs calls with these lines, to the end of the input. What was made, what the model was told, and what was shown. */
  async function answered(lines: string[], turns = [calls(write('a'), write('b')), says('Done.')]) {
    const { chat, folder, prompts } = await stage([...turns, says('Again.'), says('Again.')]);
    const input = new PassThrough();
    let shown = '';
    input.end(['go', ...lines, ''].join('\n'));
    const code = await showLines(chat, { input, write: (text) => (shown += text), canAsk: true, emoji: false });
    const made = ['a', 'b', 'c'].filter((path) => existsSync(join(folder, path)));
    return { made, told: JSON.stringify(prompts[1] ?? ''), shown, code, rounds: prompts.length };
  }

  test.each([
    ['an edit that is no JSON', 'e {"file_path":"c"', 'That is not JSON'],
    ['an edit that misses the schema', 'e {"x":1}', 'file_path'],
    ['an edit that changes nothing', 'e {"file_path":"a","content":"x"}', 'changes nothing'],
    ['an empty line', '', 'does not answer it'],
    ['the wish to see all of it', 'd', 'does not answer it'],
    ['a question for the answers', '?', 'does not answer it'],
    ['a key that is not offered', 'p', 'does not answer it'],
    ['e alone', 'e', 'does not answer it'],
    ['always, of what is offered to nobody', 's', 'does not answer it'],
  ])('%s', async (what, line, why) => {
    const isAlways = what.startsWith('always');
    const first = isAlways ? call('execute', { command: '$(cat x)' }, 'a') : write('a');
    const { made, told, shown, rounds } = await answered([line, 'y'], [calls(first, write('b')), says('Done.')]);
    expect([made, rounds]).toEqual([['b'], 2]);
    expect(told).toContain(why);
    expect(shown).toContain('Not accepted, so it counts as a no: ');
  });

  test.each([
    ['A, which is for all', 'A'],
    ['l, which is for those that are like it', 'l'],
  ])('%s', async (_, line) => {
    const turns = [calls(write('a'), write('b'), write('c')), says('Done.')];
    const { made, told, rounds } = await answered([line, 'n', 'y'], turns);
    expect([made, rounds]).toEqual([['c'], 2]);
    expect(told).toContain('each line of a pipe answers one call');
  });

  test('and Auto-approve is turned on by a line of its own', async () => {
    const { chat, folder } = await stage([calls(write('a'), write('b')), says('Done.')]);
    const input = new PassThrough();
    input.end('/approve on\ngo\n');
    await showLines(chat, { input, write: () => {}, canAsk: true, emoji: false });
    expect(['a', 'b'].map((path) => existsSync(join(folder, path)))).toEqual([true, true]);
  });

  test('a line for a question that does not answer it leaves all of them unanswered, and their lines answer no call', async () => {
    const questions = ['One?', 'Two?'].map((question) => ({ kind: 'text', question }));
    const ask = call('ask_user', { questions }, 'ask');
    for (const [line, rest] of [
      ['', 'y'],
      ['/no', 'y'],
    ] as const) {
      const { made, told } = await answered([line, rest, 'n'], [calls(ask, write('b')), says('Done.')]);
      expect([line, made]).toEqual([line, []]);
      expect(told).toContain('did not answer');
    }
  });

  test('half a line of a pipe that ends or breaks is no answer: its writer may have died before it was whole', async () => {
    for (const [line, isWhole, isEnded] of [
      ['y\n', true, true],
      ['y', false, true],
      ['y', false, false],
    ] as const) {
      const { chat, folder } = await stage([calls(write('a')), says('Done.')]);
      const input = new PassThrough();
      input.write('go\n');
      const over = showLines(chat, { input, write: () => {}, canAsk: true, emoji: false });
      await asked(chat);
      input.write(line);
      await new Promise((resolve) => setImmediate(resolve));
      if (isEnded) input.end();
      else input.destroy();
      await over;
      expect(existsSync(join(folder, 'a'))).toBe(isWhole);
    }
  });

  test('a prompt of a pipe needs no end', async () => {
    const { chat } = await stage([says('Hello.')]);
    const input = new PassThrough();
    input.end('go');
    let written = '';
    await showLines(chat, { input, write: (text) => void (written += text), canAsk: true, emoji: false });
    expect(written).toContain('Hello.');
  });
});

describe('a call that is asked about again took the line of the next call, so that all later answers moved by one', () => {
  const turns = () => [
    calls(call('write_file', { file_path: 'README.md', content: 'mine' }, 'w')),
    calls(call('execute', { command: 'rm b.md' }, 'rm')),
    calls(call('execute', { command: 'touch c.md' }, 'touch')),
    says('Done.'),
  ];
  const folderOf = (): string => {
    const folder = scratch();
    for (const name of ['README.md', 'b.md']) writeFileSync(join(folder, name), 'old\n');
    return folder;
  };
  const change = (folder: string) => writeFileSync(join(folder, 'README.md'), 'precious\n');
  /** What the lines yes, no, yes leave: the changed file, the file that the no was about, and what the last yes makes. */
  const check = (folder: string): void => {
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe('precious\n');
    expect(['b.md', 'c.md'].map((name) => existsSync(join(folder, name)))).toEqual([true, true]);
  };
  const WHY = /no piped line was written for that\. Asked again: README\.md changed[^]*countersign approve/;

  test('terminalApprover', async () => {
    using _warned = listenToWarnings();
    const folder = folderOf();
    const { input, output, until, shown } = place(false);
    const { model, prompts } = scripted(turns());
    const backend = createLocalBackend({ root: folder });
    const agent = createDeepAgent({ model: model as never, backend, interruptOn: 'all' });
    const onApprovalRequest = terminalApprover({ input, output });
    const over = collect(agent.streamWithEvents({ prompt: 'go', onApprovalRequest }));
    await until('Run it? ');
    change(folder);
    input.end('y\nn\ny\n');
    await over;
    check(folder);
    expect(shown()).toMatch(WHY);
    expect(JSON.stringify(prompts[1])).toMatch(WHY);
  });

  test('the chat, where its line became the next prompt, too', async () => {
    const folder = folderOf();
    const { chat, prompts } = await stage(turns(), { folder });
    const input = new PassThrough();
    let shown = '';
    const over = showLines(chat, { input, write: (text) => (shown += text), canAsk: true, emoji: false });
    input.write('go\n');
    await asked(chat);
    change(folder);
    input.end('y\nn\ny\n');
    await over;
    check(folder);
    expect(shown).toMatch(WHY);
    expect([JSON.stringify(prompts[1]).match(WHY) !== null, prompts.length]).toEqual([true, 4]);
  });

  const askedAgain = { because: 'a changed.', takenBack: true };

  test('one that waited before the process began has a line of its own, and so has one whose answer was not taken back', async () => {
    const { input, output } = place(false);
    input.end('y\ny\nn\n');
    const ask = terminalApprover({ input, output });
    const signal = { abortSignal: new AbortController().signal };
    const interrupted = { askedAgain: { ...askedAgain, takenBack: false }, createdAt: Date.now() };
    expect(await ask(execute('ls', { askedAgain, createdAt: 0 }), signal)).toEqual({ type: 'approve' });
    expect(await ask(execute('ls', interrupted), signal)).toEqual({ type: 'approve' });
    expect(await ask(execute('ls'), signal)).toEqual({ type: 'reject' });
  });

  test('questions that are asked again are left unanswered', async () => {
    const { input, output, shown } = place(false);
    input.end('y\n');
    const ask = terminalApprover({ input, output });
    const signal = { abortSignal: new AbortController().signal };
    const args = { questions: [{ kind: 'text', question: 'Which?' }] };
    const again = request('ask_user', args, { kind: 'question', askedAgain, createdAt: Date.now() });
    expect(await (ask as (asked: unknown, given: unknown) => unknown)(again, signal)).toBe(null);
    expect(shown()).toContain('Asked again: a changed.');
    expect(await ask(execute('ls'), signal)).toEqual({ type: 'approve' });
  });
});
