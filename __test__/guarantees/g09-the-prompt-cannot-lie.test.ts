/**
 * G9. The prompt cannot lie: no control, bidi or invisible character reaches the screen raw; the tail of long text is always
 * shown; look-alikes are flagged.
 *
 * What this says of: `preview`, `description`, `changes[].diff`, the labels of "always". `args`, `verdict` and `origin` are data:
 * the code that shows them makes them safe, as the command does, which is tested beside it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest, PolicyDocument } from '../../index.js';
import { createGate, explainPolicy, parsePolicy, preview } from '../../ts/index.js';
import { forbiddenIn, HOSTILE, hostileText, hostileTexts } from '../policy/hostile.js';
import { random } from '../policy/random.js';
import { scratch } from '../policy/support.js';
import { became, ways } from '../policy/ways.js';
import { effort, sample } from '../support/effort.js';

const wellFormed = (text: string) => text.toWellFormed();

/** Everything of a request that is made to be shown. */
function shownBy({ preview, description, changes, always }: ApprovalRequest): Record<string, string> {
  return {
    preview,
    description,
    diffs: changes.map(({ diff }) => diff).join('\n'),
    allow: [always.allow?.label, ...(always.allow?.also ?? [])].join('\n'),
    deny: [always.deny?.label, ...(always.deny?.also ?? [])].join('\n'),
  };
}

function expectSafe(request: ApprovalRequest): void {
  for (const [what, text] of Object.entries(shownBy(request)))
    expect([what, forbiddenIn(text), text].slice(0, 2), JSON.stringify(text)).toEqual([what, []]);
}

/** What a human who is asked about this call is shown. */
async function asked(
  call: { toolName: string; args: unknown },
  policy: PolicyDocument = { version: 1, default: 'ask' },
  cwd = '/nowhere',
): Promise<ApprovalRequest> {
  const gate = createGate({ policy, place: { cwd, project: cwd, home: '/home/nobody' } });
  const { asked } = await became(ways[2] as never, call, { gate });
  const [request] = asked;
  if (request === undefined) throw new Error(`nobody was asked about ${JSON.stringify(call)}`);
  return request;
}

const places: [name: string, call: (text: string) => { toolName: string; args: unknown }][] = [
  ['a command', (command) => ({ toolName: 'execute', args: { command } })],
  ['a part of a command', (text) => ({ toolName: 'execute', args: { command: `git status && echo '${text}' > x` } })],
  ['a program', (text) => ({ toolName: 'execute', args: { command: `'${text}' a; ls` } })],
  ['a path', (file_path) => ({ toolName: 'read_file', args: { file_path } })],
  ['a file to write', (file_path) => ({ toolName: 'write_file', args: { file_path, content: 'x' } })],
  ['a content', (content) => ({ toolName: 'write_file', args: { file_path: 'a.txt', content } })],
  ['an address', (text) => ({ toolName: 'fetch_url', args: { url: `https://example.com/${text}` } })],
  ['a host', (text) => ({ toolName: 'fetch_url', args: { url: `https://${text}/` } })],
  ['an argument', (text) => ({ toolName: 'deploy', args: { to: text, deep: [{ list: [text] }] } })],
  ['a name of an argument', (text) => ({ toolName: 'deploy', args: { [text]: 1, deep: { [text]: [1] } } })],
  ['a variable', (text) => ({ toolName: 'execute', args: { command: `A='${text}' ls`, cwd: text } })],
];

const placesInTurn = places.map(([name, callOf], turn) => [name, callOf, turn] as const);

describe.each(placesInTurn)('%s', (_, callOf, turn) => {
  it.each(sample(HOSTILE, 1, turn))('with %s is shown as what it is', async (_name, text) => {
    const call = callOf(wellFormed(text));
    const request = await asked(call);
    expectSafe(request);
    if (/[^\ufffd]/.test(wellFormed(text).replaceAll(/[\x20-\x7e]/g, ''))) expect(request.flags).not.toEqual([]);
  });

  it('made of random hostile parts is shown as what it is', async () => {
    for (const text of hostileTexts(places.length, effort(2, 60)).slice(HOSTILE.length))
      expectSafe(await asked(callOf(wellFormed(text))));
  });
});

it('says the same of a call by itself, at any width', () => {
  for (const text of hostileTexts(7, effort(4, 200))) {
    for (const [, callOf] of places) {
      const { toolName, args } = callOf(wellFormed(text));
      for (const width of [undefined, 20, 80]) {
        const shown = preview({ toolName, args }, width === undefined ? {} : { width });
        expect(forbiddenIn(shown.text), JSON.stringify([text, width])).toEqual([]);
      }
    }
  }
});

it.each(sample(HOSTILE))('shows a tool whose name has %s', async (_, text) => {
  const toolName = `tool ${wellFormed(text)}`;
  expect(forbiddenIn(preview({ toolName, args: {} }).text)).toEqual([]);
  expectSafe(await asked({ toolName, args: { a: 1 } }));
});

it.each(sample(HOSTILE))('shows a reason of a policy that has %s', async (_, text) => {
  const reason = `because ${wellFormed(text)} of it`;
  const policy: PolicyDocument = {
    version: 1,
    rule: [{ effect: 'ask', commands: ['git push'], reason }],
  };
  const request = await asked({ toolName: 'execute', args: { command: 'git push' } }, policy);
  expectSafe(request);
  expect(request.description).toContain('because');
});

it.each(sample(HOSTILE))('explains a policy, a call and a place that have %s', async (_, text) => {
  const given = wellFormed(text);
  const name = `${given}.toml`;
  const policy = parsePolicy(
    `version = 1\n[[rule]]\neffect = "ask"\ncommands = ["git push"]\nreason = ${JSON.stringify(given)}\n`.replaceAll(
      // TOML takes fewer characters raw than JSON.
      /[\u007f-\u009f]/g,
      (c) => `\\u${c.codePointAt(0)?.toString(16).padStart(4, '0')}`,
    ),
    { name, format: 'toml' },
  );
  for (const [, callOf] of places) {
    const { text: told } = await explainPolicy(policy, callOf(given), { cwd: '/nowhere' });
    expect(forbiddenIn(told), JSON.stringify(told)).toEqual([]);
  }
  const { text: told } = await explainPolicy(policy, { toolName: 'execute', args: { command: 'git push' } });
  expect(forbiddenIn(told), JSON.stringify(told)).toEqual([]);
});

describe('a diff', () => {
  it.each(sample(HOSTILE))('of a file that has %s', async (_, text) => {
    const root = scratch();
    const given = wellFormed(text);
    writeFileSync(join(root, 'a.txt'), `one\n${given}\nthree\n`);
    const call = { toolName: 'write_file', args: { file_path: 'a.txt', content: `one\n${given}!\n${given}\nthree\n` } };
    const request = await asked(call, undefined, root);
    // A file with a NUL is no text, so that its lines are not compared.
    if (!given.includes('\0')) expect(request.changes).toMatchObject([{ added: 1, removed: 0 }]);
    expect(request.changes).toHaveLength(1);
    expectSafe(request);
  });

  it('of random hostile content, each way', async () => {
    const root = scratch();
    const next = random(3);
    for (let round = 0; round < effort(3, 60); round++) {
      const [before, after] = [wellFormed(hostileText(next)), wellFormed(hostileText(next))];
      writeFileSync(join(root, 'a.txt'), before);
      const request = await asked(
        { toolName: 'write_file', args: { file_path: 'a.txt', content: after } },
        undefined,
        root,
      );
      expect(request.changes).toHaveLength(1);
      expectSafe(request);
    }
  });

  it('of a file with a name that deceives', async () => {
    const root = scratch();
    mkdirSync(join(root, 'd'));
    for (const name of ['\u001b[2Jx', 'a\u202etxt.sh', 'a\nb', 'a\u200bb']) {
      writeFileSync(join(root, 'd', name), 'old\n');
      const args = { file_path: join('d', name), content: 'new\n' };
      const request = await asked({ toolName: 'write_file', args }, undefined, root);
      expect(request.changes).toHaveLength(1);
      expectSafe(request);
    }
  });

  it('of a file that changed meanwhile: the question that is asked again is safe too', async () => {
    const root = scratch();
    const name = 'a\u001b[2J\u202eb.txt';
    writeFileSync(join(root, name), 'old\n');
    const gate = createGate({ policy: { version: 1 }, place: { cwd: root } });
    const call = { toolName: 'write_file', args: { file_path: name, content: 'new\n' } };
    const { asked } = await became(ways[0] as never, call, { gate }, () => {
      writeFileSync(join(root, name), 'changed\n');
      return true;
    });
    expect(asked).toHaveLength(2);
    for (const request of asked) expectSafe(request);
    expect(asked[1]?.description).toMatch(/Asked again/);
  });
});

it('shows a zero that is negative as one: a tool may tell them apart', async () => {
  await using gate = createGate();
  const answer = gate.request({ toolName: 'move', args: { by: -0, to: 0 } });
  const [request] = await gate.pending();
  for (const text of [request?.preview, request?.description]) expect(text).toContain('-0');
  expect(request?.args).toEqual({ by: -0, to: 0 });
  await gate.approve(request?.approvalId as string);
  expect((await answer).args).toEqual({ by: -0, to: 0 });
});

describe('long text', () => {
  const tail = 'rm -rf ~/everything';
  const long: [string, { toolName: string; args: unknown }][] = [
    ['a command', { toolName: 'execute', args: { command: `echo ${'a'.repeat(100_000)}; ${tail}` } }],
    ['many commands', { toolName: 'execute', args: { command: `${'true; '.repeat(5_000)}${tail}` } }],
    ['many lines', { toolName: 'execute', args: { command: `${'true\n'.repeat(5_000)}${tail}` } }],
    ['blanks', { toolName: 'execute', args: { command: `ls${' '.repeat(10_000)}; ${tail}` } }],
    ['blank lines', { toolName: 'execute', args: { command: `ls${'\n'.repeat(10_000)}${tail}` } }],
    ['a content', { toolName: 'write_file', args: { file_path: 'a', content: `${'line\n'.repeat(50_000)}${tail}` } }],
    [
      'a line of content',
      { toolName: 'write_file', args: { file_path: 'a', content: `${'x'.repeat(200_000)}${tail}` } },
    ],
    ['another argument', { toolName: 'deploy', args: { to: `${'x'.repeat(200_000)}${tail}` } }],
    ['what unfolds when shown', { toolName: 'deploy', args: { to: `${'\u202e'.repeat(20_000)}${tail}` } }],
  ];
  it.each(long)('%s: the tail is shown, and how much is not', async (_, call) => {
    for (const { text, flags } of [
      preview(call),
      await asked(call).then(({ preview, flags }) => ({ text: preview, flags })),
    ]) {
      expect(text.replaceAll(/\s*\n\s*[│┆ ]*/g, ' ')).toContain(tail);
      expect(text).toMatch(/\[[\d,]+ [a-z ,]+ hidden/);
      expect(text.length).toBeLessThan(40_000);
      expect(flags).toContain(/x{9}|a{9}|line|true/.test(JSON.stringify(call)) ? 'long' : flags[0]);
    }
  });

  it('many arguments: the last is shown, and how many are not', () => {
    const args = Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`k${String(n).padStart(6, '0')}`, n]));
    const { text, flags } = preview({ toolName: 'deploy', args });
    expect(text).toContain('k008999');
    expect(text).toMatch(/\d+ [a-z ]+ hidden/);
    expect(text.length).toBeLessThan(40_000);
    expect(flags).toContain('long');
  });
});

describe('look-alikes', () => {
  it.each([
    ['a Cyrillic letter', 'gіt status', 'homoglyph'],
    ['a Greek letter', 'git pυsh', 'homoglyph'],
    ['full width', 'ｌｓ', 'homoglyph'],
    ['a mathematical letter', '𝚕𝚜', 'homoglyph'],
    ['a dash that is none', 'ls –la', 'homoglyph'],
    ['a host', 'curl https://аpple.com', 'homoglyph'],
    ['a space that is none', 'rm\u00a0-rf', 'unicode-space'],
    ['a mark on a letter', 'ls\u0335', 'combining'],
  ])('%s is flagged', async (_, command, flag) => {
    const { flags, preview: text } = await asked({ toolName: 'execute', args: { command } });
    expect(flags).toContain(flag);
    expect(text).toMatch(/\\u\{[0-9A-F]{4,6}\}/);
  });

  it.each(['git status', 'echo "naïve café"', 'echo 日本語', 'echo "привет мир"', 'echo "שלום"'])(
    '%s is not',
    async (command) => {
      expect((await asked({ toolName: 'execute', args: { command } })).flags).not.toContain('homoglyph');
    },
  );
});

describe('lines of arguments', () => {
  const posing = ['execute', '│ to: staging', '  ┆ ls', 'flags: none', 'Allow? [y/N] y', '+++ b/a.txt', '@@ -1 +1 @@'];
  /** What stands before no gutter and no label of ours. */
  const ours = (text: string) =>
    text.split('\n').filter((line) => !/^( {9}|\+ ok {5}|\? asks {3}|x denied )?[│┆^]/.test(line));

  it.each(sample(posing))('cannot pose as %j', async (line) => {
    for (const [name, callOf] of places.filter(([name]) => !/host|name/.test(name))) {
      const [{ preview: posed }, { preview: plain }] = [
        await asked(callOf(`x\n${line}\ny`)),
        await asked(callOf('x\nplain\ny')),
      ];
      expect(ours(posed), `${name}:\n${posed}`).toEqual(ours(plain));
      const { text } = preview(callOf(`x\n${line}\ny`), { width: 20 });
      expect(ours(text), `${name}:\n${text}`).toEqual(ours(preview(callOf('x\nplain\ny'), { width: 20 }).text));
    }
  });

  it('cannot pose as ours when the terminal is narrow: what is wrapped keeps the gutter', () => {
    const { text } = preview(
      { toolName: 'deploy', args: { to: `${'a'.repeat(18)}${'b '.repeat(40)}` } },
      { width: 20 },
    );
    expect(ours(text)).toEqual(['deploy']);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(20);
  });
});

describe('the parts of a command', () => {
  it('are shown apart, with what asks marked and why', async () => {
    const policy: PolicyDocument = {
      version: 1,
      rule: [{ effect: 'allow', commands: ['git status', 'npm test'] }],
    };
    const open: PolicyDocument = { version: 1, default: 'allow' };
    for (const gating of [
      { gate: createGate({ policy }) },
      { policy },
      { gate: createGate({ policy: open }), policy },
      { gate: createGate({ policy }), policy: open },
    ]) {
      const { asked } = await became(
        ways[0] as never,
        { toolName: 'execute', args: { command: 'git status && git push origin; npm test' } },
        gating,
      );
      const text = asked[0]?.preview ?? '';
      const lines = text.split('\n');
      const marked = lines.filter((line) => /asks?\b/i.test(line));
      expect(marked.length, text).toBeGreaterThan(0);
      expect(
        marked.every((line) => !/git status|npm test/.test(line)),
        text,
      ).toBe(true);
      expect(text).toContain('git push origin');
    }
  });
});

describe('a description of the program that quotes arguments', () => {
  const forged = 'a.txt\n\nApproved by Mia.\r\nNothing more to do\u2028here\u001b[2K';

  it.each([
    ['a function', ({ args }: { args: unknown }) => `Delete ${(args as { path: string }).path}`],
    ['a text', `Delete ${forged}`],
  ])('has no lines that could be taken for those of the prompt: %s', async (_, description) => {
    const gate = createGate();
    const call = { toolName: 'execute', args: { path: forged } };
    const { asked } = await became(ways[2] as never, call, {
      gate,
      interruptOn: { execute: { description } },
    } as never);
    expect(asked[0]?.description).toMatch(/^Delete a\.txt ⏎ Approved by Mia\. ⏎ Nothing more/);
    for (const request of asked) expect(forbiddenIn(request.description.replaceAll('⏎', ''))).toEqual([]);
    expect(asked[0]?.description).not.toMatch(/[\n\r\u2028]/);
  });

  it('has none with gate.request either', async () => {
    await using gate = createGate();
    const asking = gate.request({ toolName: 'deploy', args: {}, description: forged });
    const [request] = await gate.pending();
    expect(request?.description).not.toMatch(/[\n\r\u2028]/);
    await gate.reject(request?.approvalId ?? '');
    await asking;
  });
});
