/** A call that is asked about once more: why, what a person had made of it, and what was started, is said before the call. */
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { askOf } from '../../ts/cli/chat/asks.js';
import { COMMANDS } from '../../ts/cli/chat/commands.js';
import { showLines } from '../../ts/cli/chat/lines.js';
import type { LocalChat } from '../../ts/cli/chat/parts.js';
import { whole } from '../../ts/cli/shown.js';
import { frame, roomIn } from '../../ts/cli/watch-frame.js';
import { press, START, withPage, withRecords } from '../../ts/cli/watch-model.js';
import { itemOf } from '../../ts/inbox/view.js';
import { terminalApprover } from '../../ts/index.js';
import { quickly as countersign } from '../cli/command.js';
import { asked, stage } from '../cli/chat-support.js';
import { kept } from '../cli/kept.js';
import { PATIENTLY } from '../runtimes.js';
import { call, calls, says } from '../support/model.js';
import { request } from './fake.js';
import { place } from './place.js';
import { Sitting, viewOf } from './presses.js';

const because =
  'It was started. A person had changed the arguments. The model wrote execute: deploy staging. What was started had other arguments: execute: deploy staging.';
const SAID = `Asked again: ${because}`;
const reason = 'no rule allows it';
const verdict = { effect: 'ask', rule: null, reason, actions: [], said: null } as never;
const again = {
  askedAgain: { because, takenBack: false },
  startedBefore: true,
  verdict,
  description: `${SAID} execute: deploy production (${reason})`,
  preview: 'execute\n│ command: deploy production',
};
const args = { command: 'deploy production' };
const asking = request('execute', args, again);
/** Lines that were broken, as one. */
const joined = (text: string): string => text.replaceAll(/\s*\n[\s!│]*/g, ' ').replaceAll(/ +/g, ' ');
/** It stands there, before what would run. */
function expectFirst(shown: string): void {
  const text = joined(shown);
  expect(text).toContain(SAID);
  expect(text.indexOf(SAID)).toBeLessThan(text.indexOf('command: deploy production'));
}

test('the panel of the chat did not say it, nor did its details', () => {
  const sitting = new Sitting([askOf(asking, 1, 1)], { columns: 100, rows: 30 });
  sitting.wait(1500);
  expectFirst(sitting.frames.at(-1)!);
  sitting.type('d');
  sitting.press('enter');
  expectFirst(sitting.frames.at(-1)!);
});

test('--plain did not say it', async () => {
  let shown = '';
  const chat = {
    view: viewOf(askOf(asking, 1, 1)),
    commands: COMMANDS,
    subscribe: () => () => {},
    lastRun: undefined,
    isOver: false,
  };
  const input = new PassThrough();
  void showLines(chat as unknown as LocalChat, { input, write: (text) => (shown += text), canAsk: true, emoji: false });
  while (!shown.includes('y = run')) await setImmediate();
  expectFirst(shown);
});

test('terminalApprover says it, also of a call whose description another function has replaced', async () => {
  const { input, output, until, shown } = place(false);
  const ask = terminalApprover({ input, output });
  void ask({ ...asking, description: 'Deploys.' }, { abortSignal: new AbortController().signal });
  await until('Run it?');
  expectFirst(shown());
  expect(shown()).toContain('\nDeploys.\n');
});

test('`show` and the whole page of `watch` have it first', () => {
  const { askedAgain, startedBefore } = again;
  const record = kept({
    ...again,
    toolName: 'execute',
    args,
    details: { askedAgain, startedBefore, verdict } as never,
  });
  expectFirst(whole(record, 100).join('\n'));
  const size = { columns: 120, rows: 40 };
  let state = withPage(withRecords(START, [record]), roomIn(START, size), 500);
  ({ state } = press(state, [{ kind: 'text', text: 'd' }], 1000, roomIn(state, size)));
  state = withPage(state, roomIn(state, size), 1000);
  expectFirst(frame(state, size, 'here', 2000).join('\n'));
});

test('the list of the inbox has it, with the words of the program behind it', () => {
  const record = { ...asking, status: 'pending', decision: null, decidedBy: null, via: null, decidedAt: null } as never;
  const seen = { person: { name: 'ada' }, groups: new Map(), now: 0 } as never;
  expect(itemOf(record, seen).headline).toBe(SAID);
  const described = { ...(record as object), description: `${SAID} Deploys.` } as never;
  expect(itemOf(described, seen).headline).toBe(`${SAID} Deploys.`);
});

test('`countersign approve` and `edit` said nothing of why it is asked about again', async () => {
  const write = call('write_file', { file_path: 'a.md', content: 'x' }, 'w');
  const { chat, gate, folder } = await stage([calls(write), says('Done.'), says('Again.')]);
  writeFileSync(join(folder, 'a.md'), 'old\n');
  void chat.submit('go');
  const { request: first } = await asked(chat);
  writeFileSync(join(folder, 'a.md'), 'new\n');
  await gate.approve(first.approvalId, { by: 'mia' });
  await vi.waitUntil(
    async () => (await gate.pending()).some((each) => each.approvalId !== first.approvalId),
    PATIENTLY,
  );
  const [waiting] = await gate.pending();
  expect(waiting?.askedAgain).toEqual({ because: expect.stringContaining('a.md changed') as unknown, takenBack: true });
  const env = { COUNTERSIGN_LEDGER: `sqlite:${join(folder, '.countersign/ledger.db')}`, NO_COLOR: '1', HOME: folder };
  const run = (...line: string[]) => countersign(line, { cwd: folder, env });
  const shown = await run('show', waiting!.approvalId);
  expect(shown.stdout).toMatch(/^warning +Asked again: a\.md changed/m);
  const edited = await run('edit', waiting!.approvalId, '--args', '{"file_path":"a.md","content":"x"}');
  expect(edited.stdout).toMatch(/^Asked again: a\.md changed[^\n]*\nwrite_file /);
  const approved = await run('approve', waiting!.approvalId, '--yes');
  expect(approved.stdout).toMatch(/^Asked again: a\.md changed[^\n]*\nwrite_file /);
});
