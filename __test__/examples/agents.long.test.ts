/** Each agent of the examples runs as its header says, and is asked what it did to files, notes and money. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isThorough } from '../support/effort.js';
import {
  bun,
  checkFolder,
  expectOutput,
  expectSuccess,
  interrupted,
  onBun,
  onNode,
  root,
  tryEach,
  type Expected,
} from './tried.js';

const AGENTS: Record<string, Expected> = {
  'files.mjs': {
    shown: [
      'read README.md: 1 lines',
      '│ - You recieve mail.\n│ + You receive mail.',
      'wrote notes/typos.md: 18 bytes',
      'did not run read_file: reading `.env`',
      'did not run execute: `git push`',
      'denies: "keys and releases stay with people"',
      'plan: completed: Correct the README',
      'notes/typos.md: "- README: recieve\\n"',
      '.env: "KEY=secret\\n"',
    ],
    approve: { ran: ['edited README.md, now 1d463b0c…', 'README.md: "You receive mail.\\n"'] },
    reject: {
      denied: ['did not run edit_file: not today', 'The README: not run (not today)', '"You recieve mail.\\n"'],
      not: ['edited README.md', '"You receive mail.\\n"'],
    },
  },
  'subagents.mjs': {
    shown: [
      'main > task:call_1 > reader asks:\nread_file',
      'main > task:call_2 > writer asks:\nwrite_file',
      // It said that its files need not be asked about.
      'main > task:call_2 > writer > task:call_3 > translator asks:\nwrite_file',
      'writer did not write_file: writing `facts.md`: policy option (rule 1) denies: "it writes texts"',
      'facts.md: "It is sunny.\\n"',
    ],
    approve: {
      ran: ['reader is done:      1\\tIt is sunny.', 'translator wrote text.de.md', 'text.de.md: "Hallo!\\n"'],
      not: ['raining.\\n"'],
    },
    reject: {
      denied: ['reader is done: not run (not today)', 'translator is done: not run (not today)'],
      not: ['1\\tIt is sunny', 'wrote text', 'text.md: "', 'text.de.md: "', 'raining.\\n"'],
    },
  },
  'ask-user.mjs': {
    shown: [
      'The model has 4 questions.',
      '│ 1: Which licence shall it have? (one of these, or other words)\n│ 1-1: MIT: do what you like\n',
    ],
    approve: {
      ran: ['answered by callback', 'Q: What shall it be called?\\nA: as you like', 'A: (left out)', 'wrote PLAN.md'],
    },
    reject: { denied: ['cancelled by callback', 'Then I do not know what to write.'], not: ['wrote', 'PLAN.md'] },
  },
  'parallel.mjs': {
    shown: [
      '5 calls wait',
      'call_4: respond by margaret\ncall_3: reject by linus\ncall_2: edit by grace\ncall_1: approve by ada\n',
      '- restarted billing\n',
      '- restarted search and nobody was thrown out\n',
      '- not run (people are writing mails)\n',
      '- it was restarted an hour ago\n',
    ],
    approve: { ran: ['call_5: approve by you', 'Really restarted: billing, search, web\n'] },
    reject: {
      denied: ['call_5: reject by you', '- not run (not today)', 'Really restarted: billing, search\n'],
      not: ['restarted web', 'search, web'],
    },
  },
  'killed.mjs': {
    shown: [
      '  main > task:call_1 > author asks\n  and is gone (SIGKILL).\n',
      'report-4: suspended, 0 waiting',
      'report-4>call_1: suspended, 1 waiting',
      'A third one goes on:\n  goes on\n',
    ],
    approve: { ran: ['approve by mia\n  wrote report.md', 'report.md: "Sum: 42\\n"'] },
    reject: {
      denied: ['reject by mia\n  The author says: not run (not today)'],
      not: ['wrote report.md', 'report.md: "'],
    },
  },
  'own-loop.mjs': {
    shown: ['ran list_notes: shopping, idea, old', 'save_note\n│ name: calls', 'delete_note\n│ name: idea'],
    approve: { ran: ['ran save_note: saved calls', 'ran task: deleted old', 'notes left: shopping, calls\n'] },
    reject: {
      denied: ['ran task: not run (not today), not run (not today)', 'notes left: shopping, idea, old\n'],
      not: ['ran save_note', 'deleted', ', calls'],
    },
  },
  'payments.mjs': {
    shown: [
      'asked: 900 EUR would go to Grace.',
      'the model gets: paid 20 EUR to Ada',
      'call_3: respond by callback',
      'the model gets: paid in cash last week',
      'call_4: expired by deadline',
      'did not pay: the deadline passed',
    ],
    approve: {
      ran: ['call_2: edit by callback', 'the model gets: paid 810 EUR to Grace', 'paid: {"Ada":20,"Grace":810}\n'],
      not: ['paid 900', 'Linus":', 'Mallory":'],
    },
    reject: {
      denied: ['call_2: reject by callback', 'did not pay: not today', 'Really paid: {"Ada":20}\n'],
      not: ['EUR to Grace\n', '"Grace"', 'Linus":', 'Mallory":'],
    },
  },
  'ci.mjs': {
    // Nobody is asked, so it makes no difference what they would say.
    shown: [
      'The tests pass. I could not release it.',
      'verdict edit_file allow (writing `src/sum.js`: ci.toml:5 allows)',
      'verdict execute allow (`node --test`: ci.toml:5 allows)',
      'decided write_file reject by countersign (Nobody is there to be asked: writing `package.json`',
      'decided execute reject by countersign (`npm publish`: ci.toml:11 denies: "releases are made by people")',
      'entries are as they were written.',
      'package.json: "{\\"type\\":\\"module\\"}"',
      'a + b',
    ],
    approve: { ran: [], not: ['approve', 'The audit was changed'] },
    reject: { denied: [], not: ['approve', 'package.json: "{}"', 'a - b'] },
  },
  'reviewer.mjs': {
    shown: [
      'ran ls\n',
      'did not run {"command":"cat customers.csv"}: no customer has to do with this',
      '`mkdir -p site` is not covered by any rule',
    ],
    approve: {
      // The second call is allowed by the grant. When that is taken back a human is asked again.
      ran: [
        'ran mkdir -p site\nran mkdir -p site\nThe first run asked 1 time.\n\ntaken back: Always allow exactly `mkdir -p site`',
        'ran mkdir -p site\nran mkdir -p site\nThe second run asked 1 time.\n',
      ],
      not: ['ran cat', 'Ada', 'rejected'],
    },
    reject: {
      denied: [
        'did not run {"command":"mkdir -p site"}: not today\n',
        'The human rejected this same call before.\nThe first run asked 1 time.\n',
        'The second run asked 1 time.\n',
      ],
      not: ['ran mkdir', 'ran cat', 'Ada', 'taken back'],
    },
  },
};

const RELEASE: Expected = {
  shown: ['│ - { "version": "1.0.0" }\n│ + { "version": "1.1.0" }', 'The world would get 1.1.0 as latest.'],
  approve: {
    ran: ['edited package.json', 'The release: published 1.1.0 as next', '\\"1.1.0\\"'],
    not: ['published 1.1.0 as latest', 'did not run'],
  },
  reject: {
    denied: ['did not run edit_file: not today', 'The release: not run (not today)', '\\"1.0.0\\"'],
    not: ['edited package.json', 'published'],
  },
};

const prefixed = Object.entries(AGENTS).map(([file, expected]) => [`agents/${file}`, expected] as const);
tryEach(Object.fromEntries(prefixed));

describe('killed.mjs', () => {
  test.runIf(isThorough)('no model is asked again for what it has said', async () => {
    const stdout = expectSuccess(await onNode('agents/killed.mjs', 'approve'));
    expect(stdout.split('the author writes a report')).toHaveLength(2);
  });
});

describe('own-loop.before.mjs', () => {
  const [before, after] = ['own-loop.before.mjs', 'own-loop.mjs'].map((name) => join(root, 'examples/agents', name));

  test('without countersign all of it happens, whatever anybody says', async () => {
    const stdout = expectSuccess(await onNode('agents/own-loop.before.mjs', 'reject'));
    expect(stdout).toContain('ran task: deleted old, deleted idea');
    expect(stdout).toContain('notes left: shopping, calls\n');
  });

  test('with it, fewer than twenty lines are others', () => {
    const args = ['diff', '--no-index', '--no-ext-diff', '--no-color', '--unified=0', before!, after!];
    let diff = '';
    try {
      execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    } catch (error) {
      // git says by its exit code that they differ.
      diff = (error as { stdout: string }).stdout;
    }
    const changed = diff.split('\n').filter((line) => /^[-+](?![-+]{2} )/.test(line));
    expect(changed.filter((line) => line.startsWith('+')).length).toBeGreaterThan(5);
    // A line that is another counts twice: as one that goes and one that comes.
    expect(changed.length).toBeLessThan(20);
    expect(readFileSync(before!, 'utf8')).not.toContain("from 'countersign'");
  });
});

describe.skipIf(bun === undefined)('release.ts', () => {
  test('approve', async () => {
    expectOutput(expectSuccess(await onBun('agents/release.ts', 'approve')), 'approve', RELEASE);
  });

  test('reject: a shell sees that something did not run', async () => {
    const done = await onBun('agents/release.ts', 'reject');
    expectOutput(done.stdout, 'reject', RELEASE);
    expect([done.code, done.stderr]).toEqual([3, '']);
  });

  test('nobody at the terminal: nothing runs', async () => {
    const done = await onBun('agents/release.ts', '');
    for (const text of RELEASE.reject.not) expect(done.stdout).not.toContain(text);
    expect(done.code).toBe(3);
  });

  // Windows has no signals: a child is ended there, not asked.
  test.skipIf(process.platform === 'win32')('Ctrl+C: nothing more runs', async () => {
    const done = await interrupted('agents/release.ts', 'Run it?');
    expect(done.stdout).toContain('aborted: nothing more ran');
    for (const text of RELEASE.reject.not) expect(done.stdout).not.toContain(text);
    expect(done.code).toBe(130);
  });
});

describe('the folder', () => {
  checkFolder('agents', {
    tried: [...Object.keys(AGENTS), 'own-loop.before.mjs', 'release.ts'],
    helpers: ['folder.mjs'],
  });

  test('has ten', () => {
    expect([...Object.keys(AGENTS), 'release.ts']).toHaveLength(10);
  });
});
