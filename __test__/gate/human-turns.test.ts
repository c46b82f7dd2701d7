/** Whose turn it is to be asked, and what becomes of a request that is over by then. */
import { expect, test } from 'vitest';
import { HumanTurns } from '../../ts/gate/human-turns.js';

const signal = new AbortController().signal;
const never = new Promise<never>(() => {});

test('a request that is decided before its turn is not asked about', async () => {
  const turns = new HumanTurns('in-turn');
  const happened: string[] = [];
  const asks = async () => {
    happened.push('asked');
    return () => {};
  };
  await turns.ask(Promise.resolve(), signal, asks, () => happened.push('skipped'));
  expect(happened).toEqual(['skipped']);
});

test('one is asked at a time, and the next when the first is decided elsewhere', async () => {
  const turns = new HumanTurns('in-turn');
  const happened: string[] = [];
  let decide: () => void = () => {};
  const decided = new Promise<void>((resolve) => (decide = resolve));
  const first = turns.ask(
    decided,
    signal,
    (over) => {
      happened.push('first');
      over.signal.addEventListener('abort', () => happened.push('first is told that it is over'));
      return never;
    },
    () => expect.unreachable(),
  );
  const second = turns.ask(
    never,
    signal,
    async () => {
      happened.push('second');
      return () => void happened.push('second is taken');
    },
    () => expect.unreachable(),
  );
  await new Promise((resolve) => setImmediate(resolve));
  expect(happened).toEqual(['first']);
  decide();
  await Promise.all([first, second]);
  expect(happened).toEqual(['first', 'first is told that it is over', 'second', 'second is taken']);
});
