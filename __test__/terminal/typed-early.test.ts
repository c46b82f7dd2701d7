/** What is typed or pasted on a terminal answers what is in sight, and nothing that was not there yet. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createGate, terminalApprover } from '../../ts/index.js';
import { cli } from '../cli/command.js';
import { scratch } from '../policy/support.js';
import { startChat, withModel } from './chat.js';
import { questions, request } from './fake.js';
import { place } from './place.js';
import { Terminal } from './terminal.js';

withModel();

const COMMAND = 'run node --test';
const signal = { abortSignal: new AbortController().signal };

/** `countersign --plain` at a prompt. */
const atThePrompt = () => startChat({ args: ['--plain'], rows: 40 }, '/help lists commands');

/** The same, where a command waits, and can be answered. */
async function atTheCall() {
  const chat = await atThePrompt();
  chat.say(COMMAND);
  await chat.terminal.waitFor('other text rejects');
  return chat;
}

describe('countersign --plain at a call', () => {
  test.each([
    ['with a line end behind it', 'y\rbut not in production\r'],
    ['without one', 'y\rbut not in production'],
  ])('a paste of several lines is one text, and no yes: %s', async (_, text) => {
    const { terminal } = await atTheCall();
    terminal.type(text);
    await terminal.waitFor('did not run');
    expect(terminal.all()).toContain('but not in production');
    expect(terminal.all()).not.toContain('> but not in production');
    // The terminal shows again what is typed there.
    terminal.type('/quit');
    await terminal.waitFor('/quit');
    terminal.press('enter');
    expect(await terminal.ended()).toBe(0);
  });

  test('what was typed before it, without Enter, is no answer when Enter comes', async () => {
    const { terminal, say } = await atThePrompt();
    say(COMMAND);
    terminal.type('ok');
    await terminal.waitFor('other text rejects');
    terminal.press('enter');
    await terminal.waitFor(/Nothing was decided|: done/);
    expect(terminal.all()).toContain('Nothing was decided');
    say('n');
    await terminal.waitFor('Why?');
    say('');
    await terminal.waitFor('did not run');
  });

  test('what was never sent is no answer when the input ends', async () => {
    const { terminal } = await atTheCall();
    terminal.type('y');
    await terminal.waitFor((screen) => screen.endsWith('\ny'));
    terminal.press('ctrlD');
    // The terminal gives out what stands on it first.
    await sleep(100);
    terminal.press('ctrlD');
    await terminal.ended();
    expect(terminal.all()).toContain('did not run');
  });

  test('Ctrl+C cancels, also in the moment in which keys are forgotten', async () => {
    const { terminal, say } = await atThePrompt();
    say(COMMAND);
    await terminal.waitFor('Waits for approval');
    terminal.press('ctrlC');
    await terminal.waitFor('Cancelled.');
    expect(terminal.all()).not.toContain(': done');
  });
});

test('countersign --plain: a line that was pasted behind an answer does not answer the next question', async () => {
  const { terminal, say } = await atThePrompt();
  say('ask me which language: English, German or French; what for (optional)');
  await terminal.waitFor('Your answer:');
  terminal.type('German\rthat is a second line\r');
  await terminal.waitFor('What for?');
  await terminal.waitFor((screen) => screen.split('Your answer:').length === 3);
  say('greetings');
  await terminal.waitFor(/\* ask_user .*: done/);
  say('/quit');
  await terminal.ended();
  // The paste was one text.
  expect(terminal.all()).not.toContain('> that is a second line');
});

describe('terminalApprover', () => {
  const two = questions([
    { kind: 'text', question: 'first?' },
    { kind: 'text', question: 'second?', required: false },
  ]).request;

  test('a line that was typed before the next question was there does not answer it', async () => {
    const { input, output, until } = place(true);
    const decided = terminalApprover({ input, output })(two, signal);
    await until('> ');
    input.write('a\r');
    await until('second?');
    input.write('b\r');
    await until('> ', 2);
    input.write('c\r');
    expect(await decided).toEqual(['a', 'c']);
  });

  test('Enter on the draft of an edit that stands out confirms nothing', async () => {
    const { input, output, until, shown } = place(true);
    const decided = terminalApprover({ input, output })(request('execute', { command: 'ls' }), signal);
    await until('Run it? ');
    input.write('e {"command":"rm -rf build"}\r');
    await until('y runs it like this');
    await until('Run it? ', 2);
    input.write('e\r');
    await until('Run it with: ');
    input.write('\r');
    await until('Nothing changed: the call still waits for your answer');
    await until('Run it? ', 3);
    expect(shown()).toMatch(/Nothing changed: the call still waits for your answer\.\ny runs it like this\./);
    input.write('y\r');
    expect(await decided).toEqual({ type: 'edit', args: { command: 'rm -rf build' }, shown: null });
  });
});

describe.each([
  ['approve', (id: string) => ['approve', id], 'Approve it?'],
  ['edit', (id: string) => ['edit', id, '--args', '{"command":"rm -rf dist"}'], 'Run it as edited?'],
])('countersign %s', (_, args, question) => {
  test('a yes that was typed before its question does not answer it', async () => {
    const root = scratch();
    const ledger = `sqlite:${join(root, 'ledger.db')}` as const;
    await using gate = createGate({ ledger });
    gate.request({ toolName: 'job', args: { command: 'rm -rf build' } }).catch(() => {});
    const [waiting] = await gate.pending();
    const { approvalId } = waiting!;
    const env = { HOME: root, XDG_CONFIG_HOME: join(root, 'config'), COUNTERSIGN_LEDGER: ledger };
    const terminal = new Terminal(process.execPath, [cli, ...args(approvalId)], { cwd: root, env });
    onTestFinished(() => terminal.close());
    terminal.type('y\r');
    await terminal.waitFor(question);
    // Had the line counted, no prompt would be here for long.
    await terminal.waitFor(/\/ N\] $|\/ N\]$/);
    expect((await gate.get(approvalId))?.status).toBe('pending');
    if (question === 'Approve it?') {
      const no = new Terminal(process.execPath, [cli, ...args(approvalId)], { cwd: root, env });
      onTestFinished(() => no.close());
      await no.waitFor(/\/ N\] $|\/ N\]$/);
      no.type('n\r');
      // They have just seen it: that --yes is another way is nothing to say now.
      await no.waitFor('not approved: it still waits');
      expect(await no.ended()).toBe(5);
      expect(no.all()).not.toContain('--yes');
    }
    terminal.type('y\r');
    expect(await terminal.ended()).toBe(0);
    expect((await gate.get(approvalId))?.status).not.toBe('pending');
  });
});
