/** `countersign watch` on a terminal: keys that come together, and those that were typed before what they would answer. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createGate, streamWithEvents } from '../../ts/index.js';
import { frame, roomIn } from '../../ts/cli/watch-frame.js';
import { press, START, withPage, withRecords } from '../../ts/cli/watch-model.js';
import { checked } from '../../ts/cli/questions.js';
import { cli } from '../cli/command.js';
import { kept } from '../cli/kept.js';
import { scratch } from '../policy/support.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { waiting } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { Terminal } from './terminal.js';

test('keys count one by one, each for what was on the screen when it was typed', async () => {
  const ledger = `sqlite:${join(scratch(), 'ledger.db')}` as const;
  const gate = createGate({ ledger });
  onTestFinished(() => gate.close());
  for (const name of ['one', 'two', 'three']) {
    gate.request({ toolName: name, args: {} }).catch(() => {});
    await waiting(gate, ['one', 'two', 'three'].indexOf(name) + 1);
  }
  const left = async (): Promise<string[]> => (await gate.pending()).map(({ toolName }) => toolName);
  /** After a pause, since which the question was there and no key was pressed. On a busy machine it may be read late. */
  const answering = async (keys: string, count: number): Promise<void> => {
    for (let pause = 1_100; (await left()).length > count; pause *= 2) {
      await sleep(pause);
      terminal.type(keys);
      await sleep(pause);
    }
  };
  const terminal = new Terminal(process.execPath, [cli, 'watch', '-l', ledger]);
  onTestFinished(() => terminal.close());
  await terminal.waitFor('3 waiting');

  // Down, and then a question that none of the others was typed for.
  terminal.type('jyyyy\r');
  await terminal.waitFor('approve? two');
  // What is pasted presses nothing.
  terminal.type('\u001b[200~y\r\u001b[201~');
  await answering('y', 2);
  expect(await left()).toEqual(['one', 'three']);
  await terminal.waitFor('2 waiting');

  // Whatever the keys behind the answer have opened, it is left again; the list begins at its end.
  terminal.press('escape');
  terminal.type('jjjx');
  await terminal.waitFor('skip? three');
  await answering('yyy', 1);
  expect(await left()).toEqual(['one']);
  terminal.type('jjq');
  expect(await terminal.ended()).toBe(0);
});

test('a question is answered by no text for the lot, and no key that would is offered', () => {
  const {
    status: _,
    kind: __,
    ...listed
  } = kept({ toolName: 'ask_user', allowedDecisions: ['respond', 'reject', 'skip'] });
  const questions = [{ kind: 'text', question: 'Which name?' }];
  // As a ledger lists it.
  const record = { ...listed, args: { questions }, details: { kind: 'question' } } as unknown as ReturnType<
    typeof kept
  >;
  const size = { columns: 100, rows: 20 };
  const state = withRecords(START, [record]);
  for (const key of ['r', 'y', 's']) {
    const pressed = press(state, [{ kind: 'text', text: key }], 1000, roomIn(state, size));
    expect(pressed).not.toHaveProperty('action');
    expect(pressed.state.mode).toEqual({ at: 'list' });
    expect(pressed.state.said).toMatch(
      /It is a question: countersign respond \S+ --answer TEXT, one for each question/,
    );
  }
  for (const mode of [{ at: 'list' }, { at: 'request', scroll: 0 }] as const)
    expect(frame({ ...state, mode }, size, 'here', 0).at(-1)).not.toMatch(/y approve|r respond|s always|e edit/);
  expect(() => checked(record, { type: 'respond', output: 'Ada' })).toThrow(/Answer with \{ answers/);
  expect(checked(record, { type: 'respond', output: { answers: ['Ada'] } })).toMatchObject({ type: 'respond' });
});

test.each([50, 250, 500, 999])(
  'a key that is held down, and repeats after %i ms, answers nothing, however long',
  (delay) => {
    const record = kept({ toolName: 'note', args: { text: 'x' } });
    const y = [{ kind: 'text', text: 'y' } as const];
    let { state } = press(withRecords(START, [record]), y, 0);
    expect(state.mode).toMatchObject({ at: 'confirm', id: record.approvalId });
    for (let now = delay; now <= 10_000; now += 50) {
      const pressed = press(state, y, now);
      expect(pressed.action).toBeUndefined();
      state = pressed.state;
    }
    expect(frame(state, { columns: 80, rows: 24 }, 'here', 0).join('\n')).toMatch(/approve\?[^]*came too early/);
    // A no need not wait for that.
    expect(press(state, [{ kind: 'text', text: 'n' }], 10_250).state.said).toContain('still waits');
    expect(press(state, y, 11_000).action).toEqual({ type: 'approve', id: record.approvalId });
  },
);

test('what stands out is shown whole before it is asked about', async () => {
  const ledger = `sqlite:${join(scratch(), 'ledger.db')}` as const;
  const gate = createGate({ ledger });
  onTestFinished(() => gate.close());
  gate.request({ toolName: 'fetch', args: { url: 'https://gіthub.com/x' } }).catch(() => {});
  await waiting(gate, 1);
  const terminal = new Terminal(process.execPath, [cli, 'watch', '-l', ledger]);
  onTestFinished(() => terminal.close());
  await terminal.waitFor('1 waiting');
  terminal.type('y');
  await terminal.waitFor('Look at it whole; y then asks.');
  expect(terminal.screen()).toContain('thub.com/x');
  terminal.type('y');
  await terminal.waitFor('approve (');
  await sleep(1_100);
  terminal.type('y');
  await terminal.waitFor('nothing waits');
  terminal.type('q');
  expect(await terminal.ended()).toBe(0);
});

test('n with a reason, e in the editor, and r with a result, as everywhere', async () => {
  const folder = scratch();
  const ledger = `sqlite:${join(folder, 'ledger.db')}` as const;
  const gate = createGate({ ledger });
  onTestFinished(() => gate.close());
  const asked = [
    gate.request({ toolName: 'one', args: { command: 'make all' } }),
    gate.request({ toolName: 'two', args: { path: 'a' } }),
    gate.request({ toolName: 'three', args: { path: 'b' } }),
  ];
  await waiting(gate, 3);
  const editor = join(folder, 'editor.sh');
  writeFileSync(editor, `#!/bin/sh\ncp "$1" ${JSON.stringify(join(folder, 'seen'))}\necho 'make docs' > "$1"\n`, {
    mode: 0o755,
  });
  const terminal = new Terminal(process.execPath, [cli, 'watch', '-l', ledger, '--by', 'mia'], {
    env: { VISUAL: editor, HOME: folder },
  });
  onTestFinished(() => terminal.close());
  await terminal.waitFor('3 waiting');
  terminal.type('e');
  await terminal.waitFor('run it like this?');
  expect(readFileSync(join(folder, 'seen'), 'utf8')).toBe('make all');
  expect(terminal.screen()).toContain('make docs');
  await sleep(1_100);
  terminal.type('y');
  expect(await asked[0]).toMatchObject({
    decision: { type: 'edit', args: { command: 'make docs' } },
    decidedBy: 'mia',
  });
  await terminal.waitFor('2 waiting');
  terminal.type('n');
  await terminal.waitFor('reject two, because:');
  terminal.type('yes but only the tests');
  await terminal.waitFor('only the tests');
  await sleep(500);
  terminal.press('enter');
  expect(await asked[1]).toMatchObject({ decision: { type: 'reject', reason: 'yes but only the tests' } });
  await terminal.waitFor('1 waiting');
  terminal.type('r');
  await terminal.waitFor('the result of three is:');
  terminal.type('42');
  await sleep(500);
  terminal.press('enter');
  expect(await asked[2]).toMatchObject({ decision: { type: 'respond', output: '42' } });
  await terminal.waitFor('nothing waits');
  terminal.type('q');
  expect(await terminal.ended()).toBe(0);
});

test('a request that is shown whole has the prompt of its run, and what that called before', async () => {
  const ledger = `sqlite:${join(scratch(), 'ledger.db')}` as const;
  const gate = createGate({ ledger });
  onTestFinished(() => gate.close());
  const turns = [
    calls(call('read', { path: 'notes.txt' }, 'call_0')),
    calls(call('del', { path: 'notes.txt' }, 'call_1')),
    says('It is gone.'),
  ];
  const { tools } = recordingTools([]);
  const { model } = scripted(turns);
  const interruptOn = { del: true, read: false };
  const run = streamWithEvents({ model, tools, prompt: 'Tidy up, please', interruptOn, gate } as never);
  collect(run).catch(() => []);
  await waiting(gate, 1);
  const terminal = new Terminal(process.execPath, [cli, 'watch', '-l', ledger]);
  onTestFinished(() => terminal.close());
  await terminal.waitFor('1 waiting');
  terminal.type('d');
  await terminal.waitFor(/prompt +Tidy up, please/);
  expect(terminal.screen()).toMatch(/before +read notes\.txt/);
  terminal.type('q');
  expect(await terminal.ended()).toBe(0);
});

/** A person at the list: keys, time and frames as the program has them, without a terminal. */
function sitting(size: { columns: number; rows: number }, ...records: Parameters<typeof withRecords>[1]) {
  let state = withRecords(START, records);
  let now = 1000;
  const look = (): void => void (state = withPage(state, roomIn(state, size), now));
  look();
  return {
    frame: () => frame(state, size, 'ledger', 0).join('\n'),
    /** What waits is this by now: somebody else decided the rest. */
    left: (...others: Parameters<typeof withRecords>[1]) => {
      state = withRecords(state, others);
      look();
    },
    enter: () => {
      const pressed = press(state, [{ kind: 'key', name: 'enter' }], now, roomIn(state, size));
      ({ state } = pressed);
      look();
      return pressed.action;
    },
    press: (text: string, pause = 400) => {
      now += pause;
      const pressed = press(state, [{ kind: 'text', text }], now, roomIn(state, size));
      ({ state } = pressed);
      look();
      return pressed.action;
    },
  };
}

describe('nothing is approved that was not scrolled through to its end', () => {
  const file = kept({ toolName: 'write_file', args: { content: `${'line\n'.repeat(180)}END()` } });
  const command = `echo ${'a'.repeat(9000)}; rm -rf ~/important`;
  const long = kept({ toolName: 'execute', args: { command }, flags: ['hidden'] });
  const short = kept({ toolName: 'note', args: { text: 'x' } });

  test.each([
    ['a new file of 180 lines', file, 'END()'],
    ['a long command', long, 'rm -rf ~/important'],
  ])('%s', (_, record, end) => {
    for (const [columns, rows] of [
      [80, 24],
      [60, 20],
      [120, 40],
      [40, 12],
    ] as const) {
      const person = sitting({ columns, rows }, record);
      for (let time = 0; time < 6; time += 1) expect(person.press('y', 1000)).toBeUndefined();
      expect(person.frame()).toMatch(/more of it|Not all of it/);
      // Nor what only went by.
      for (let time = 0; time < 40; time += 1) person.press(' ', 20);
      expect(person.press('y', 1000)).toBeUndefined();
      let hasEnd = false;
      for (let time = 0; time < 200; time += 1) {
        hasEnd ||= person
          .frame()
          .replaceAll(/\n(│ ↪ )?/g, '')
          .includes(end);
        person.press(' ');
      }
      expect(hasEnd).toBe(true);
      expect(person.press('y')).toEqual({ type: 'approve', id: record.approvalId });
    }
  });

  test('nor remembered', () => {
    const person = sitting({ columns: 80, rows: 24 }, file);
    for (let time = 0; time < 4; time += 1) expect(person.press('s')).toBeUndefined();
    for (let time = 0; time < 40; time += 1) person.press(' ');
    expect(person.press('s')).toEqual({ type: 'offer', id: file.approvalId });
  });

  test('what is short is shown whole by the first y, and approved by the second', () => {
    const person = sitting({ columns: 80, rows: 24 }, short);
    expect(person.press('y')).toBeUndefined();
    expect(person.frame()).toMatch(/│ text: x[^]*approve\?/);
    expect(person.press('y', 1000)).toEqual({ type: 'approve', id: short.approvalId });
  });
});

test('what is said is said whole, in a window of 80 columns', () => {
  const said = `approved 12345678: no process continues its run, so nothing runs yet: resume the run ${'9'.repeat(36)}`;
  const state = { ...withRecords(START, [kept({ toolName: 'note', args: {} })]), said };
  const lines = frame(state, { columns: 80, rows: 24 }, 'ledger', 0);
  expect(lines).toHaveLength(24);
  // oxlint-disable-next-line no-control-regex -- our own colours
  expect(lines.join(' ').replaceAll(/\s+|\u001b\[\d+m/g, '')).toContain(said.replaceAll(/\s+/g, ''));
});

describe('where somebody else was faster', () => {
  const one = kept({ approvalId: 'apr_00000001', toolName: 'one', args: { text: 'x' } });
  const two = kept({ approvalId: 'apr_00000002', toolName: 'two', args: { text: 'y' } });
  const size = { columns: 80, rows: 24 };

  test.each(['n', 'r'])('a line that is being written stays, and approves nothing else: %s', (key) => {
    const person = sitting(size, one, two);
    person.press(key);
    for (const letter of 'not this ') expect(person.press(letter, 180)).toBeUndefined();
    person.left(two);
    expect(person.frame()).toContain('00000001 no longer waits, Esc: not this');
    for (const letter of 'yes you') expect(person.press(letter, 180)).toBeUndefined();
    for (const letter of 'yyq') expect(person.press(letter, 1500)).toBeUndefined();
    expect(person.frame()).toContain('00000001 no longer waits, Esc: not this yes youyyq');
    expect(person.enter()).toBeUndefined();
    expect(person.frame()).toContain('nothing was sent');
    expect(person.frame()).toMatch(/> .*two/);
  });

  test.each(['y', 'yj', 'd', ''])('the next request is not approved by keys of habit, after %j', (keys) => {
    const person = sitting(size, one, two);
    for (const letter of keys) person.press(letter);
    person.left(two);
    if (keys !== '') expect(person.frame()).toContain('00000001 no longer waits');
    // Opened by the human, and never before it was there for a second with no key.
    expect(person.frame()).not.toContain('approve?');
    for (let time = 0; time < 9; time += 1) expect(person.press('y', 300)).toBeUndefined();
    expect(person.press('y', 900)).toBeUndefined();
    expect(person.press('y', 1000)).toEqual({ type: 'approve', id: two.approvalId });
  });

  test('nor is one that came when nothing else waited; one that the human moves to is asked about as ever', () => {
    const person = sitting(size, one);
    person.press('y');
    person.left();
    person.left(two);
    person.press('y');
    expect(person.press('y', 300)).toBeUndefined();
    person.press('x', 1000);
    person.press('j');
    person.press('y');
    expect(person.press('y', 1000)).toEqual({ type: 'approve', id: two.approvalId });
  });
});
