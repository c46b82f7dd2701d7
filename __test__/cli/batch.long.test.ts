/** `--batch`: one line in, one line out, in order, whatever comes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forbiddenIn, HOSTILE, hostileTexts } from '../policy/hostile.js';
import { scratch } from '../policy/support.js';
import { effort, isThorough } from '../support/effort.js';
import { countersign, inShell, interrupted, linesOf, quickly } from './command.js';

const check = ['policy', 'check', '--batch'];
const show = ['preview', '--batch'];
const policy = {
  version: 1,
  rule: [
    { effect: 'allow', commands: ['ls'] },
    { effect: 'deny', commands: ['rm'] },
  ],
};
const line = (id: unknown, command = 'ls') =>
  JSON.stringify({ id, policy, call: { toolName: 'execute', args: { command } } });
const page = (id: unknown, text = 'x') => JSON.stringify({ id, toolName: 'deploy', args: { to: text } });
interface Answer {
  id: unknown;
  effect?: string;
  error?: { code: string; message: string };
  text?: string;
  flags?: string[];
  actions?: { effect: string }[];
}
const answers = (stdout: string) => linesOf(stdout).map((each) => JSON.parse(each) as Answer);

const broken = [
  'nonsense',
  '{',
  '[]',
  'null',
  '5',
  '"x"',
  '{}',
  '{"id":1}',
  '{"id":{"deep":[1]},"call":5}',
  '\u0000',
  '{"id":1,"policy":{"version":9},"call":{"toolName":"x","args":{}}}',
  '{"id":1,"policy":[],"call":{}}',
  '{"id":"\ud800","policy":{"version":1},"call":{"toolName":"x","args":{}}}',
  `${'['.repeat(100_000)}`,
  `{"id":1,"policy":${'{"rule":['.repeat(5_000)}`,
];

describe.each([
  ['policy check', check, line],
  ['preview', show, page],
] as const)('%s', (name, args, good) => {
  it('answers good and broken lines alike, with any ends, and does not stop', async () => {
    const lines = broken.flatMap((each, at) => [each, good(`after ${at}`)]);
    for (const end of ['\n', '\r\n']) {
      const { code, stdout, stderr } = await quickly(args, { input: lines.join(end) });
      expect([code, stderr]).toEqual([0, '']);
      const all = answers(stdout);
      expect(all).toHaveLength(lines.length);
      expect(all.filter((_, at) => at % 2 === 1).map(({ id }) => id)).toEqual(broken.map((_, at) => `after ${at}`));
      for (const [at, answer] of all.entries()) {
        if (at % 2 === 1) expect(answer.error).toBeUndefined();
        else expect(answer.effect ?? 'ask', JSON.stringify(answer)).not.toBe('allow');
      }
    }
  });

  it('keeps the id as it was written', async () => {
    const ids = [0, -1.5, 1e300, 'é\u202e', null, true, [1, { a: 2 }], { b: [] }, '', '\\"'];
    const { stdout } = await quickly(args, { input: ids.map((id) => good(id)).join('\n') });
    expect(answers(stdout).map(({ id }) => id)).toEqual(ids);
  });

  it('answers nothing with nothing, and each blank line with a line', async () => {
    for (const [input, lines] of [
      ['', 0],
      ['\n', 1],
      ['\n\n\r\n', 3],
    ] as const) {
      const { code, stdout, stderr } = await quickly(args, { input });
      expect([code, stdout.split('\n').length - 1, stderr]).toEqual([0, lines, '']);
    }
  });

  it('answers the first lines while the last are not there yet', async () => {
    const { stdout, signal, stderr } = await interrupted(args, 'SIGINT', `${good('early')}\n{"id":`);
    expect(answers(stdout).map(({ id }) => id)).toEqual(['early']);
    expect([signal, stderr]).toEqual(['SIGINT', '']);
  });

  it('ends with a terminal, without a stack', async () => {
    const { stderr, signal, code } = await interrupted(args, 'SIGTERM', `${good(1)}\n`);
    expect([signal ?? code, stderr]).toEqual(['SIGTERM', '']);
  });

  it.each(['head -1', ...(isThorough ? ['head -c 10', 'true', 'head -3 | tail -1'] : [])])(
    'ends in silence when what reads it does: | %s',
    async (reader) => {
      const input = join(scratch(), 'lines');
      writeFileSync(input, Array.from({ length: 3_000 }, (_, id) => good(id)).join('\n'));
      const script = `set -o pipefail; "$node" "$cli" ${args.join(' ')} < "$input" | ${reader}`;
      const { stderr, stdout, code } = await inShell(script, input);
      expect([stderr, [0, 141].includes(code ?? -1)]).toEqual(['', true]);
      if (reader === 'head -1') expect(answers(stdout).map(({ id }) => id)).toEqual([0]);
    },
  );

  it('answers thousands of lines in order', async () => {
    const ids = Array.from({ length: effort(500, 10_000) }, (_, id) => id);
    const { stdout, code } = await countersign(args, { input: ids.map((id) => good(id)).join('\n') });
    expect([code, answers(stdout).map(({ id }) => id)]).toEqual([0, ids]);
  });

  it('takes huge lines', async () => {
    const huge = 'x'.repeat(effort(1, 8) << 20);
    const lines = [
      good('a'),
      good('b', `ls ${huge}; rm x`),
      good('c', `${'true; '.repeat(effort(1 << 15, 1 << 18))}rm x`),
      good('d'),
    ];
    const { stdout, code } = await countersign(args, { input: lines.join('\n') });
    const all = answers(stdout);
    expect([code, all.map(({ id }) => id)]).toEqual([0, ['a', 'b', 'c', 'd']]);
    if (name === 'policy check') {
      expect(all.map(({ effect }) => effect)[0]).toBe('allow');
      expect(all.slice(1, 3).map(({ effect }) => effect)).not.toContain('allow');
    } else expect(all.every(({ text = '' }) => text.length < 100_000)).toBe(true);
  });
});

it('says a call under each line its own policy, place and layers', async () => {
  const call = { toolName: 'read_file', args: { file_path: '~/x' } };
  const deny = (reads: string) => ({ version: 1, default: 'allow', rule: [{ effect: 'deny', reads }] });
  const lines = [
    { id: 1, policy: deny('/h/**'), call, home: '/h', cwd: '/' },
    { id: 2, policy: deny('/h/**'), call, home: '/other', cwd: '/' },
    { id: 3, policy: [deny('/x'), deny('/h/**')], call, home: '/h', cwd: '/' },
    { id: 4, policy: [{ version: 1, default: 'allow' }, { version: 1 }], call, home: '/h', cwd: '/' },
    {
      id: 5,
      policy: deny('${project}/**'),
      call: { toolName: 'read_file', args: { file_path: 'a' } },
      cwd: '/p/q',
      project: '/p',
    },
  ];
  const { stdout } = await quickly(check, { input: lines.map((each) => JSON.stringify(each)).join('\n') });
  expect(answers(stdout).map(({ effect }) => effect)).toEqual(['deny', 'allow', 'deny', 'ask', 'deny']);
});

it('previews hostile texts safely, at any width', async () => {
  const texts = hostileTexts(11, 300);
  const lines = texts.flatMap((text, id) => [
    JSON.stringify({ id, toolName: text, args: { [text]: text, deep: [text] } }),
    JSON.stringify({ id, toolName: 'execute', args: { command: text }, width: 20 + (id % 100) }),
  ]);
  const { stdout } = await quickly(show, { input: lines.join('\n') });
  const all = answers(stdout);
  expect(all.map(({ id }) => id)).toEqual(texts.flatMap((_, id) => [id, id]));
  for (const [at, { text = '', flags = [] }] of all.entries()) {
    expect(forbiddenIn(text), JSON.stringify(texts[Math.floor(at / 2)])).toEqual([]);
    if (at < HOSTILE.length * 2) expect(flags.length, JSON.stringify(texts[Math.floor(at / 2)])).toBeGreaterThan(0);
  }
});
