/** What the commands on a ledger read and print, without a ledger. */
import { describe, expect, it, test } from 'vitest';
import { durationOf, readDuration, timeOf, told } from '../../ts/cli/duration.js';
import { matching } from '../../ts/cli/ids.js';
import { json } from '../../ts/cli/print.js';
import { readRemember } from '../../ts/cli/remember.js';
import { outcome, summary, whole } from '../../ts/cli/shown.js';
import { fit, oneLine, widthOf } from '../../ts/cli/style.js';
import type { KeptRecord } from '../../ts/native.js';
import { table } from '../../ts/cli/table.js';
import { forbiddenIn, HOSTILE } from '../policy/hostile.js';
import { kept } from './kept.js';

describe('durations and times', () => {
  it.each<[string, number | undefined]>([
    ['500ms', 500],
    ['90s', 90_000],
    ['1h30m', 5_400_000],
    ['30d', 2_592_000_000],
    ['2w', 1_209_600_000],
    ['0s', 0],
    ['', undefined],
    ['5', undefined],
    ['5 m', undefined],
    ['-5m', undefined],
    ['1.5h', undefined],
    ['m', undefined],
    ['99999999999999999999d', undefined],
  ])('%j', (text, ms) => expect(readDuration(text)).toBe(ms));

  it('no time at all is no retention', () => {
    expect(() => durationOf('--contents', '0s')).toThrow(/--contents must be a duration/);
    expect(() => durationOf('--contents', 'x')).toThrow(/90s, 12h, 30d/);
  });

  it.each<[string, number]>([
    ['1m', 940_000],
    ['1970-01-01T00:00:05Z', 5000],
  ])('%j', (text, at) => expect(timeOf('--since', text, 1_000_000)).toBe(at));

  it.each(['yesterday', '5', '2026-99-99', ''])('%j is no time', (text) =>
    expect(() => timeOf('--since', text, 0)).toThrow(/--since must be a time/),
  );

  it.each<[number, string]>([
    [-5, '0s'],
    [999, '0s'],
    [59_999, '59s'],
    [60_000, '1m'],
    [3_600_000 * 25, '1d'],
  ])('%d ms: %s', (ms, text) => expect(told(ms)).toBe(text));
});

describe('texts', () => {
  it.each<[string, number]>([
    ['abc', 3],
    ['日本', 4],
    ['e\u0301', 1],
    ['👍', 2],
    ['é…', 2],
  ])('%j is %d wide', (text, width) => expect(widthOf(text)).toBe(width));

  it('keeps both ends of what is too long, and never takes more room', () => {
    expect(fit('abcdefghijkl', 7)).toBe('abcd…kl');
    expect(fit('short', 7)).toBe('short');
    for (const text of ['a'.repeat(50), '日本語'.repeat(20), '👍'.repeat(30), 'a日'.repeat(30)])
      for (let most = 0; most < 30; most++) expect(widthOf(fit(text, most))).toBeLessThanOrEqual(most);
  });

  it.each(HOSTILE)('%s: nothing raw', (_, raw) => {
    const text = raw.toWellFormed();
    expect(forbiddenIn(oneLine(text))).toEqual([]);
    expect(oneLine(text)).not.toContain('\n');
    expect(forbiddenIn(json({ text, nested: [text] }))).toEqual([]);
    expect(JSON.parse(json({ text }))).toEqual({ schemaVersion: 1, text });
    const record = kept({
      toolName: text,
      args: { command: text },
      runId: text,
      description: text,
      origin: [text, text],
    });
    for (const line of [summary(record, 60), ...whole(record, 60)])
      expect([line, forbiddenIn(line)]).toEqual([line, []]);
    const decision = { type: 'reject', reason: text } as const;
    expect(forbiddenIn(outcome(kept({ status: 'rejected', decision, decidedBy: text, via: 'terminal' })))).toEqual([]);
  });
});

describe('a call in a line', () => {
  const command = 'npm test && git push';
  const verdict = (...actions: object[]) => ({ effect: 'ask', rule: null, reason: '', actions }) as never;
  const git = { kind: 'command', argv: ['git', 'push'], text: 'git push', wrapper: false, span: [12, 20] };
  const change = { path: 'a.txt', target: null, before: null, added: 1, removed: 0, diff: '' };
  const long = 'x'.repeat(81);

  it.each<[string, Pick<KeptRecord, 'args'> & NonNullable<KeptRecord['details']>, string]>([
    ['what is long comes last', { args: { body: long, name: 'it' } }, `name=it body=${long}`],
    ['and what has several lines', { args: { body: 'a\nb', name: 'it' } }, 'name=it body=a ⏎ b'],
    ['what is short stays in its order', { args: { b: 2, a: 'x', c: [1] } }, 'b=2 a=x c=[1]'],
    ['the file that is changed comes first', { args: { a: '1', f: 'a.txt' }, changes: [change] }, 'f=a.txt a=1'],
    [
      'what a policy found comes first, however long it is',
      { args: { a: '1', url: long }, verdict: verdict({ kind: 'url', url: long, text: long }) },
      `url=${long} a=1`,
    ],
    [
      'what runs comes before where it does',
      {
        args: { background: true, cwd: 'src', script: command },
        verdict: verdict({ kind: 'read', path: 'src', text: 'src' }, git),
      },
      `script=${command} cwd=src background=true`,
    ],
    [
      'files in the order in which they are spoken of',
      {
        args: { destination: 'b', source: 'a' },
        verdict: verdict({ kind: 'write', path: 'a', text: 'a' }, { kind: 'write', path: 'b', text: 'b' }),
      },
      'source=a destination=b',
    ],
    [
      'text that only has a command in it is none',
      { args: { a: 'how to git push', b: command }, verdict: verdict(git) },
      `b=${command} a=how to git push`,
    ],
  ])('%s', (_, { args, ...details }, line) => {
    expect(summary(kept({ toolName: 'tool', args, details }), 300)).toBe(`tool ${line}`);
  });
});

test('columns fit: one of them gives way, and one that says nothing is left out', () => {
  const rows = [
    { id: 'abc', call: 'x'.repeat(200), none: '' },
    { id: 'defghi', call: '日本語'.repeat(40), none: '' },
  ];
  const columns = [
    { title: 'ID', text: (row: (typeof rows)[0]) => row.id },
    { title: 'NONE', text: (row: (typeof rows)[0]) => row.none },
    { title: 'CALL', text: (row: (typeof rows)[0]) => row.call, grows: true },
  ];
  for (const width of [20, 40, 60, 80]) {
    const lines = table(rows, columns, width);
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
  }
  expect(table(rows, columns, 60)[0]).toBe('ID      CALL');
  expect(table(rows, columns, Infinity)[1]).toContain('x'.repeat(200));
});

test('an id is found by its beginning and by its end, not by what is in it', () => {
  const ids = ['018f0000-0000-7000-8000-00000000aaaa', '018f0000-0000-7000-8000-00000000bbbb'];
  expect(matching(ids, '00aaaa')).toEqual([ids[0]]);
  expect(matching(ids, '018f00')).toEqual(ids);
  expect(matching(ids, '7000-8')).toEqual([]);
});

describe('--remember', () => {
  it('is for ever or for a time', () => {
    expect(readRemember(undefined)).toBeUndefined();
    expect(readRemember('always')).toEqual({ ms: null });
    expect(readRemember('2h')).toEqual({ ms: 7_200_000 });
  });

  it.each(['run', 'session', 'ever', '0s', ''])('%j is refused', (text) =>
    expect(() => readRemember(text)).toThrow(/--remember takes/),
  );
});

test('a request that lost its contents says so', () => {
  expect(whole(kept({ contents: 'redacted' })).join('\n')).toMatch(/secrets were taken out/);
  const dropped = whole(kept({ contents: 'dropped', args: null, preview: 'PREVIEW' })).join('\n');
  expect(dropped).toMatch(/arguments were dropped/);
  expect(dropped).not.toContain('PREVIEW');
});
