/** The person is called when something waits: to the byte, on each front end, and by no name of a tool. */
import { PassThrough, Writable } from 'node:stream';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createGate, terminalApprover } from '../../ts/index.js';
import { notifyWay, PersonCall, type NotifyWay } from '../../ts/terminal/call-person.js';
import { cli, countersign, quickly } from '../cli/command.js';
import { HOSTILE } from '../policy/hostile.js';
import { scratch } from '../policy/support.js';
import { startChat, withModel } from './chat.js';
import { Terminal } from './terminal.js';

const BELL = '\u0007';
/** The window's title: kept and set, set, and given back. */
const first = (title: string): string => `\u001b[22;2t${next(title)}`;
const next = (title: string): string => `\u001b]2;${title}\u0007`;
const BACK = '\u001b]2;\u0007\u001b[23;2t';

function calling(way: NotifyWay, environment: Record<string, string> = { TERM: 'xterm' }) {
  const written: string[] = [];
  const person = new PersonCall({ way, write: (text) => written.push(text), environment });
  onTestFinished(() => person.end());
  return { person, written };
}

const call = (toolName: string, key: unknown = toolName) => ({ key, toolName });

describe('what is written', () => {
  test('the bell for what comes, the title for what waits, and at the end the title that was there', () => {
    const { person, written } = calling('bell');
    person.waits([call('a')]);
    person.waits([call('a')]);
    person.waits([call('a'), call('b')]);
    person.waits([call('b')]);
    person.end();
    person.end();
    expect(written).toEqual([
      BELL + first('countersign: 1 waiting'),
      BELL + next('countersign: 2 waiting'),
      next('countersign: 1 waiting'),
      BACK,
    ]);
  });

  test.each<[string, Record<string, string>, string]>([
    ['OSC 9', { TERM: 'xterm-kitty' }, '\u001b]9;countersign: 1 waiting (execute)\u0007'],
    ['OSC 777', { TERM: 'rxvt-unicode' }, '\u001b]777;notify;countersign;1 waiting (execute)\u0007'],
    ['OSC 777', { TERM: 'xterm', VTE_VERSION: '7600' }, '\u001b]777;notify;countersign;1 waiting (execute)\u0007'],
    [
      'wrapped for tmux, OSC 9',
      { TERM: 'tmux-256color', TMUX: '/tmp/tmux-0/default,1,0' },
      '\u001bPtmux;\u001b\u001b]9;countersign: 1 waiting (execute)\u0007\u001b\\',
    ],
  ])('a notification of the desktop: %s with %o', (_, environment, notification) => {
    const { person, written } = calling('desktop', environment);
    person.waits([call('execute')]);
    expect(written).toEqual([BELL + notification + first('countersign: 1 waiting')]);
  });

  test('the bell alone on the console of Linux', () => {
    const { person, written } = calling('desktop', { TERM: 'linux' });
    person.waits([call('execute')]);
    person.end();
    expect(written).toEqual([BELL]);
  });

  test.each<[NotifyWay, string]>([
    ['none', 'xterm'],
    ['desktop', 'dumb'],
    ['bell', 'dumb'],
  ])('nothing with %s on %s', (way, TERM) => {
    const { person, written } = calling(way, { TERM });
    person.waits([call('execute')]);
    person.end();
    expect(written).toEqual([]);
  });

  test('the title is given back when the process ends', () => {
    const { person, written } = calling('bell');
    const before = new Set(process.listeners('exit'));
    person.waits([call('execute')]);
    const [restore] = process.listeners('exit').filter((each) => !before.has(each));
    restore!(0);
    expect(written.at(-1)).toBe(BACK);
    expect(process.listeners('exit').filter((each) => !before.has(each))).toEqual([]);
  });
});

test('no name of a tool ends the sequence that it stands in, or begins another one', () => {
  const evil = [
    'a\u0007\u001b]0;owned\u0007',
    'a\u001b\\\u001b[2J',
    'a\u009cb\u009d0;owned\u009c',
    // Of their bytes one is 9C, which ends a sequence where a terminal reads bytes.
    '\u201c\u045c',
    'a;b;9;4;1;50',
    'x'.repeat(5_000),
    ...HOSTILE.map(([, text]) => text),
  ];
  const terminals: Record<string, string>[] = [{ TERM: 'xterm' }, { TERM: 'rxvt' }, { TERM: 'tmux', TMUX: 'x' }];
  for (const environment of terminals) {
    for (const toolName of evil) {
      const { person, written } = calling('desktop', environment);
      person.waits([call(toolName)]);
      const [text = ''] = written;
      const { person: plain, written: expected } = calling('desktop', environment);
      plain.waits([call('execute')]);
      // What is ours stands as it stands for any other name.
      const [before = '', after = ''] = expected[0]!.split('execute');
      expect(text.startsWith(before) && text.endsWith(after)).toBe(true);
      expect(text.slice(before.length, text.length - after.length)).toMatch(/^[ -:<-~]{0,60}$/);
    }
  }
});

describe('how it is called', () => {
  test('as it is said, else as the environment says, else by the bell', () => {
    expect(notifyWay('none', '--notify', { COUNTERSIGN_NOTIFY: 'desktop' })).toBe('none');
    expect(notifyWay(undefined, '--notify', { COUNTERSIGN_NOTIFY: 'desktop' })).toBe('desktop');
    expect(notifyWay(undefined, '--notify', { COUNTERSIGN_NOTIFY: '' })).toBe('bell');
    expect(notifyWay(undefined, '--notify', {})).toBe('bell');
  });

  test('another way is refused, with the one that was probably meant', async () => {
    expect(() => notifyWay(undefined, '--notify', { COUNTERSIGN_NOTIFY: 'dekstop' })).toThrow(
      'COUNTERSIGN_NOTIFY must be bell, desktop or none: did you mean desktop?',
    );
    expect(() => terminalApprover({ notify: 'loud' as 'bell' })).toThrow(
      'terminalApprover: notify must be bell, desktop or none',
    );
    for (const args of [['watch'], ['--prompt', 'go'], ['chat', '--prompt', 'go']]) {
      const { code, stderr } = await countersign([...args, '--notify', 'belll'], { cwd: scratch() });
      expect([code, stderr]).toEqual([2, expect.stringContaining('--notify must be bell, desktop or none')]);
    }
    expect((await quickly(['watch', '--notfy', 'bell'])).stderr).toContain('did you mean --notify?');
    expect((await quickly(['completion', 'bash'])).stdout).toMatch(/'watch '\*\) words='[^']*--notify/);
  });
});

describe('where something waits', () => {
  withModel();

  /** A terminal or a pipe, with one answer. @returns what was written there */
  async function asked(isTTY: boolean, notify: NotifyWay): Promise<string> {
    let shown = '';
    const input = Object.assign(new PassThrough(), isTTY ? { isTTY, setRawMode: () => {} } : {});
    const output = Object.assign(
      new Writable({
        write(chunk, _, done) {
          shown += String(chunk);
          if (String(chunk).includes('Run it? ')) input.write('n, not now\r\n');
          done();
        },
      }),
      isTTY ? { isTTY } : {},
    );
    const request = { toolName: 'wipe', args: { key: 'a secret' }, preview: 'wipe\n│ key: a secret' };
    const { signal: abortSignal } = new AbortController();
    await terminalApprover({ input, output, notify })(request, { abortSignal });
    return shown;
  }

  test.skipIf(process.env['TERM'] === 'dumb' || process.env['TERM'] === 'linux')(
    'terminalApprover calls before it asks, and gives the title back when it is answered',
    async () => {
      const shown = await asked(true, 'bell');
      expect(shown.startsWith(`${BELL}${first('countersign: 1 waiting')}\nWaits`)).toBe(true);
      expect(shown.endsWith(BACK)).toBe(true);
      expect((await asked(true, 'desktop')).split('\n')[0]).not.toContain('secret');
    },
  );

  test('terminalApprover calls nobody on a pipe, or where nobody wants it', async () => {
    const piped = await asked(false, 'desktop');
    expect([piped.includes(BELL), piped.includes('\u001b')]).toEqual([false, false]);
    expect(await asked(true, 'none')).not.toContain(BELL);
  });

  test('the chat calls for a call, and gives the title back', async () => {
    const { terminal, ...chat } = await startChat({
      env: { COUNTERSIGN_NOTIFY: 'bell' },
      args: ['--notify', 'desktop'],
    });
    chat.say('create hello.txt with hi');
    await chat.asks('hello.txt');
    const called = `${BELL}\u001b]9;countersign: 1 waiting (write_file)\u0007${first('countersign: 1 waiting')}`;
    await terminal.waitUntil(() => terminal.raw.includes(called), 'the call');
    await terminal.reject();
    await chat.idle();
    await terminal.waitUntil(() => terminal.raw.includes(BACK), 'the title');
    expect(terminal.raw.split(BELL + '\u001b]9').length).toBe(2);
  });

  test('the chat in lines calls, too', async () => {
    const { terminal, say } = await startChat({ args: ['--plain', '--notify', 'bell'] }, '/help lists commands');
    say('create hello.txt with hi');
    await terminal.waitFor('Waits for approval');
    expect(terminal.raw).toContain(BELL);
    // Screen readers would read each change of the title.
    expect(terminal.raw).not.toContain(first('countersign: 1 waiting'));
  });

  test('watch calls for what comes, and gives the title back when it is left', async () => {
    const ledger = `sqlite:${join(scratch(), 'ledger.db')}` as const;
    const gate = createGate({ ledger });
    await gate.ready();
    const terminal = new Terminal(process.execPath, [cli, 'watch', '-l', ledger]);
    onTestFinished(() => terminal.close());
    await terminal.waitFor('nothing waits');
    expect(terminal.raw).not.toContain(BELL);
    const asking = gate.request({ toolName: 'wipe', args: {} });
    asking.catch(() => {});
    await terminal.waitUntil(() => terminal.raw.includes(BELL + first('countersign: 1 waiting')), 'the call');
    terminal.press('q');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.raw).toContain(BACK);
    await gate.close();
  });
});
