/** `countersign watch` on a terminal: keys that come together, and those that were typed before what they would answer. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createGate } from '../../ts/index.js';
import { cli } from '../cli/command.js';
import { scratch } from '../policy/support.js';
import { waiting } from '../support/play.js';
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
  const terminal = new Terminal(process.execPath, [cli, 'watch', '-l', ledger]);
  onTestFinished(() => terminal.close());
  await terminal.waitFor('3 waiting');

  // Down, and then a question that none of the others was typed for.
  terminal.type('jyyyy\r');
  await terminal.waitFor('approve? two');
  // What is pasted presses nothing.
  terminal.type('\u001b[200~y\r\u001b[201~');
  // Each is too early until the question was there for a while; the first that is not answers it. There is no Enter behind it, which
  // might be the first, and leave the question.
  while ((await left()).length === 3) {
    terminal.type('y');
    await sleep(50);
  }
  expect(await left()).toEqual(['one', 'three']);
  await terminal.waitFor('2 waiting');

  // Whatever the keys behind the answer have opened, it is left again; the list begins at its end.
  terminal.press('escape');
  terminal.type('jjjn');
  await terminal.waitFor('reject? three');
  while ((await left()).length === 2) {
    terminal.type('yyy');
    await sleep(50);
  }
  expect(await left()).toEqual(['one']);
  terminal.type('jjq');
  expect(await terminal.ended()).toBe(0);
});
