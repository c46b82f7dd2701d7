/** A call that was started before, by a process that is gone: to approve it may do once more what it has done. */
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { askOf } from '../../ts/cli/chat/asks.js';
import { COMMANDS } from '../../ts/cli/chat/commands.js';
import { showLines } from '../../ts/cli/chat/lines.js';
import type { LocalChat } from '../../ts/cli/chat/parts.js';
import { pendingColumns, whole } from '../../ts/cli/shown.js';
import { table } from '../../ts/cli/table.js';
import { press, START, withPage, withRecords } from '../../ts/cli/watch-model.js';
import { frame, roomIn } from '../../ts/cli/watch-frame.js';
import { doubtsAbout, isHarmless } from '../../ts/gate/danger.js';
import { itemOf } from '../../ts/inbox/view.js';
import { kept } from '../cli/kept.js';
import { request } from './fake.js';
import { Sitting, viewOf } from './presses.js';

const SAID = 'it was started before and may have run already';
const why = 'It was started before, by a process that is gone, and nobody knows how far it came.';
const verdict = { effect: 'ask', rule: null, reason: 'no rule allows it', actions: [], said: null } as never;
const again = {
  startedBefore: true,
  proven: 'reads' as never,
  verdict,
  askedAgain: { because: why, takenBack: false },
  description: `Asked again: ${why} execute: ls (no rule allows it)`,
};
const call = request('execute', { command: 'ls' }, { ...again, preview: 'execute\n│ command: ls' });
/** Which of these texts stands first. */
const firstOf = (shown: string, ...texts: string[]): string | undefined =>
  texts.filter((text) => shown.includes(text)).toSorted((one, other) => shown.indexOf(one) - shown.indexOf(other))[0];

test('it stands out: it is not harmless, and stands first among the dangers', () => {
  expect(isHarmless(call)).toBe(false);
  expect(isHarmless({ ...call, startedBefore: false })).toBe(true);
  expect(doubtsAbout({ ...call, args: { command: 'rm x' }, flags: ['bidi'] })[0]).toBe(SAID);
});

test('in the chat, the panel and the details begin with it, and one Enter does not run it', () => {
  const sitting = new Sitting([askOf(call, 1, 1)], { columns: 80, rows: 24 });
  sitting.wait(1500);
  expect(firstOf(sitting.frames.at(-1)!, SAID, 'no rule allows it', 'Asked again')).toBe(SAID);
  expect(sitting.frames.at(-1)).toContain(`Asked again: ${why.slice(0, 30)}`);
  sitting.type('d');
  sitting.press('enter');
  expect(firstOf(sitting.frames.at(-1)!, SAID, 'no rule allows it', 'command: ls')).toBe(SAID);
  sitting.press('escape');
  sitting.wait(1500);
  sitting.type('y');
  expect(sitting.press('enter')).toBeUndefined();
  expect(sitting.frames.at(-1)).toContain(`careful, ${SAID}`);
  sitting.wait(1500);
  expect(sitting.press('enter')).toMatchObject({ type: 'decide' });
});

test('in the list of calls that wait together, each says so', () => {
  const other = request('execute', { command: 'pwd' }, { preview: 'execute\n│ command: pwd' });
  const sitting = new Sitting([askOf(other, 1, 2), askOf(call, 2, 2)], { columns: 80, rows: 30 });
  sitting.wait(1500);
  expect(sitting.frames.at(-1)).toMatch(/2 Run `ls`\?.*may have run already/);
});

test('--plain says it first', async () => {
  let shown = '';
  const input = new PassThrough();
  const view = viewOf(askOf(call, 1, 1));
  const chat = { view, commands: COMMANDS, subscribe: () => () => {}, lastRun: undefined, isOver: false };
  void showLines(chat as unknown as LocalChat, { input, write: (text) => (shown += text), canAsk: true, emoji: false });
  while (!shown.includes('y = run')) await setImmediate();
  expect(firstOf(shown, `Careful: ${SAID}`, 'command: ls', 'Why:')).toBe(`Careful: ${SAID}`);
});

test('--plain lets it run with other arguments by a second answer, and with its own by no edit', async () => {
  let shown = '';
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const ask = askOf(call, 1, 1) as Extract<ReturnType<typeof askOf>, { kind: 'approval' }>;
  const view = viewOf(ask);
  const edited: unknown[] = [];
  const chat = {
    view,
    commands: COMMANDS,
    subscribe: () => () => {},
    lastRun: undefined,
    isOver: false,
    reconsider: (_: string, args: unknown) => Promise.resolve(askOf({ ...call, args, preview: String(args) }, 1, 1)),
    decide: async (_: string, decision: unknown) => void edited.push(decision),
  };
  void showLines(chat as unknown as LocalChat, { input, write: (text) => (shown += text), canAsk: true, emoji: false });
  const until = async (text: string, times: number) => {
    while (shown.split(text).length - 1 < times) await setImmediate();
  };
  await until('y = run', 1);
  input.write('e {"command": "ls"}\r');
  await until('Nothing changed', 1);
  input.write('e {"command":"ls -l"}\r');
  await until('y runs it like this', 1);
  expect(shown).toContain(`Careful: ${SAID}`);
  await until('y = run', 3);
  expect(edited).toEqual([]);
  input.write('e {"command":"ls -l"}\r');
  while (edited.length === 0) await setImmediate();
  expect(edited).toEqual([{ type: 'edit', args: { command: 'ls -l' }, shown: null }]);
});

test('`pending` marks it, `show` begins with it, and `watch` asks about it whole', () => {
  const { startedBefore, proven } = again;
  const record = kept({ toolName: 'execute', args: { command: 'ls' }, details: { startedBefore, proven } as never });
  expect(table([record], pendingColumns(2000, 100)).join('\n')).toMatch(/again/);
  expect(whole(record, 100)[0]).toContain(SAID);
  const size = { columns: 100, rows: 30 };
  let state = withRecords(START, [record]);
  ({ state } = press(state, [{ kind: 'text', text: 'y' }], 1000, roomIn(state, size)));
  expect(state).toMatchObject({ mode: { at: 'request' }, said: 'Look at it whole; y then asks.' });
  state = withPage(state, roomIn(state, size), 1000);
  expect(frame(state, size, 'here', 2000)[1]).toContain(SAID);
});

test('the list and the card of the inbox have it among the dangers', () => {
  const record = { ...call, status: 'pending', decision: null, decidedBy: null, via: null, decidedAt: null } as never;
  const item = itemOf(record, { person: { name: 'ada' }, groups: new Map(), now: 0 } as never);
  expect(item.dangers[0]).toBe(SAID);
  expect(item.headline).toMatch(/^Asked again: /);
});
