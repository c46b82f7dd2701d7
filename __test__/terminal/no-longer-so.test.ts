/** What was said, or pressed, is taken back when it is no longer so; and texts are broken between words. */
import { expect, test } from 'vitest';
import { KeyFlow } from '../../ts/cli/chat/screen/keys.js';
import { frame, roomIn } from '../../ts/cli/watch-frame.js';
import { press, START, withPage, withRecords } from '../../ts/cli/watch-model.js';
import { secondLook, SHORT } from '../../ts/terminal/answers.js';
import { inWords } from '../../ts/terminal/window.js';
import { kept } from '../cli/kept.js';
import { approval } from './fake.js';
import { Sitting } from './presses.js';

test('a sequence whose ESC came long before the rest takes the Esc key back', async () => {
  const heard: string[] = [];
  const keys = new KeyFlow(
    (presses) => heard.push(...presses.map(({ key }) => (key.kind === 'key' ? key.name : key.text))),
    () => heard.push('taken back'),
  );
  for (let count = 0; count < 2; count += 1) {
    keys.feed(Buffer.from('\u001b'));
    await expect.poll(() => heard.length).toBe(2 * count + 1);
    keys.feed(Buffer.from('[I'));
    await expect.poll(() => heard.length).toBe(2 * count + 2);
  }
  // What comes next is the next that is heard.
  keys.feed(Buffer.from('x'));
  await expect.poll(() => heard.length).toBe(5);
  keys.stop();
  expect(heard).toEqual(['escape', 'taken back', 'escape', 'taken back', 'x']);
});

test('what was said of a window that was too narrow goes when it has grown', () => {
  const sitting = new Sitting([approval('execute', { command: 'ls' })], { columns: 14, rows: 24 });
  sitting.wait(2000);
  sitting.type('y');
  sitting.press('enter');
  expect(sitting.frames.at(-1)).toContain('too narrow');
  sitting.resize({ columns: 80, rows: 24 });
  expect(sitting.frames.at(-1)).not.toContain('too narrow');
});

test('in `watch`, "not all of it was seen" goes when all was, and another key leaves it waiting', () => {
  const text = Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n');
  const record = kept({ toolName: 'note', args: { text }, preview: `note\n${text}` });
  const size = { columns: 80, rows: 16 };
  let state = withRecords(START, [record]);
  let [now, said] = [0, ''];
  for (const key of ['d', 'y', 'y', ...Array.from({ length: 12 }, () => ' ')]) {
    state = withPage(state, roomIn(state, size), (now += 1000));
    ({ state } = press(state, [{ kind: 'text', text: key }], (now += 500), roomIn(state, size)));
    said += `${state.said}\n`;
  }
  expect(said).toContain('Not all of it was seen');
  state = withPage(state, roomIn(state, size), (now += 1000));
  state = withPage(state, roomIn(state, size), (now += 1000));
  expect(state.said).toBe('');
  expect(frame(state, size, 'here', 0).at(-1)).toContain('any other key leaves it waiting');
});

test('in `watch`, neither what is asked nor what to press is cut out of a narrow window', () => {
  for (const columns of [30, 60, 200]) {
    const text = Array.from({ length: 60 }, (_, at) => `line ${at}`).join('\n');
    const args = { command: `rm -rf build\n${text}` };
    const record = kept({ toolName: 'execute', args, preview: `execute\n│ command: rm -rf build\n${text}` });
    const size = { columns, rows: 24 };
    let [state, now] = [withRecords(START, [record]), 0];
    const keyed = (key: string): string => {
      state = withPage(state, roomIn(state, size), (now += 1000));
      ({ state } = press(state, [{ kind: 'text', text: key }], (now += 500), roomIn(state, size)));
      state = withPage(state, roomIn(state, size), (now += 1000));
      const lines = frame(state, size, 'here', now);
      expect(lines).toHaveLength(size.rows);
      return lines.join(' ').replaceAll(/\s+/g, ' ');
    };
    keyed('y');
    for (let page = 0; page < 30; page += 1) keyed(' ');
    expect(keyed('y')).toContain('approve (it may delete something for good)?');
    // Laid out in another way, it is to be read again.
    size.columns -= 5;
    state = withPage(state, roomIn(state, size), (now += 1000));
    const left = frame(state, size, 'here', now).join(' ').replaceAll(/\s+/g, ' ');
    expect(left).toContain('approve (it may delete something for good)?');
    expect(left).toMatch(/space shows (?:it|more), then y/);
  }
});

test('a text of ours is broken between words', () => {
  const window = { columns: 60, rows: 24 };
  for (const text of [SHORT, secondLook({ toolName: 'rm', args: {}, flags: ['bidi'], verdict: null, changes: [] })]) {
    const lines = inWords(text, window).split('\n');
    expect(lines.every((line) => line.length < 60)).toBe(true);
    expect(lines.join(' ')).toBe(text);
  }
});

test.each([
  ['no, not this', 'no, not this'],
  ['no', null],
])('in `watch`, the n of a "no" that is written out is the key of the line: %j', (text, reason) => {
  let state = withRecords(START, [kept({ toolName: 'note', args: { text: 'a' } })]);
  let now = 0;
  const size = { columns: 80, rows: 16 };
  for (const letter of text)
    ({ state } = press(state, [{ kind: 'text', text: letter }], (now += 500), roomIn(state, size)));
  const { action } = press(state, [{ kind: 'key', name: 'enter' }], (now += 500), roomIn(state, size));
  expect(action).toMatchObject({ type: 'reject', reason });
});
