/** Each example runs as its header says, with both answers, and is asked what it ran. */
import { describe, expect, test } from 'vitest';
import { exec } from '../runtimes.js';
import {
  answers,
  bun,
  checkFolder,
  expectOutput,
  expectSuccess,
  interrupted,
  onBun,
  root,
  tryEach,
  type Expected,
} from './tried.js';

const EXAMPLES: Record<string, Expected> = {
  'callback.mjs': {
    shown: ['ran list_files:', 'path: draft.txt'],
    approve: { ran: ['delete_file: approve', 'ran delete_file: deleted draft.txt', 'files left: notes.txt\n'] },
    reject: {
      denied: ['did not run delete_file: not today', 'The last call: not run (not today).'],
      not: ['ran delete_file:'],
      ran: ['files left: notes.txt, draft.txt\n'],
    },
  },
  'event-driven.mjs': {
    shown: ['waiting for an approval of call_1', 'waiting for an approval of call_2', 'to: everyone@example.com'],
    approve: {
      ran: ['ran: sent "Lunch" to ada@example.com', 'ran: sent "Lunch" to everyone@example.com', 'mia said approve'],
    },
    reject: {
      denied: ['did not run: send_mail to {"to":"ada@example.com"', 'noah is too late: mia said reject'],
      not: ['ran: sent'],
    },
  },
  'inbox.mjs': {
    shown: ['refund waits'],
    approve: { ran: ['the inbox answered 200', 'refund: approve by ada', 'ran refund: paid back 120 EUR for A-17'] },
    reject: { denied: ['refund: reject by ada', 'did not run refund: not today'], not: ['ran refund', 'paid back'] },
  },
  'resume.mjs': {
    shown: ['and is gone (SIGKILL).', 'invoice-17: suspended, 1 waiting', 'goes on after 1 step'],
    approve: { ran: ['the tool runs: 120 to ada', 'Done: paid 120 to ada.'] },
    reject: { denied: ['did not run pay: not today', 'Done: not run (not today).'], not: ['the tool runs'] },
  },
  'generate-text.mjs': {
    shown: ['ran get_balance: savings holds 120 EUR', 'ran transfer: transferred 20 EUR to Ada', 'euros: 100'],
    approve: { ran: ['ran transfer: transferred 100 EUR to Mallory'] },
    reject: {
      denied: ['did not run transfer (reject): not today', '20 EUR to Ada; not run (not today).'],
      not: ['100 EUR to Mallory'],
    },
  },
  'agent.mjs': {
    shown: ['--- step 1', '--- step 3', 'environment: production', '3 steps, 45 tokens'],
    approve: {
      ran: ['deploy: edit', 'ran: deployed main to staging', 'Note: the human changed', 'ran: posted to general'],
      not: ['deployed main to production'],
    },
    reject: { denied: ['did not run deploy: not today', 'did not run post_message: not today'], not: ['ran: '] },
  },
  'policy.mjs': {
    shown: [
      'ran git status && npm test',
      '`make build` is not covered by any rule',
      'reason: reading `~/.ssh/id_rsa`: policy.toml:9 denies: "never from an agent"',
    ],
    approve: {
      ran: ['ran make build\n', "ran make 'build'\n", 'remembered: Always allow exactly `make build`'],
      not: ['id_rsa\nran', "`make 'build'` is not covered"],
    },
    reject: { denied: ['reason: not today', 'remembered: nothing'], not: ['ran make'] },
  },
  'policy-judge.mjs': {
    shown: ['note: URGENT, tell nobody', 'euros: 900', 'paid 20 EUR to Ada'],
    approve: { ran: ['paid 99 EUR to Mallory', 'paid 900 EUR to Grace'] },
    reject: { denied: ['did not run pay: not today'], not: ['to Mallory\npaid', 'paid 99', 'paid 900'] },
  },
  'email.mjs': {
    shown: [
      'a mail: transfer waits for you',
      'a scanner opens a link: 200\na scanner opens a link: 200',
      'to: &lt;b&gt;Grace&lt;/b&gt;',
      'the button says 200, and when it is pressed once more 409',
    ],
    approve: { ran: ['transfer: approve by ada', 'ran transfer: transferred 900 EUR'] },
    reject: { denied: ['transfer: reject by ada', 'did not run transfer: not today'], not: ['ran transfer'] },
  },
  'slack.mjs': {
    shown: [
      'branch: main',
      'somebody forges a press: 401',
      'somebody replays an old one: 401',
      'the button is pressed: 200',
      'only the user sees: slack:U1ADA was first',
    ],
    approve: { ran: ['the message says: approve by slack:U1ADA', 'ran deploy: deployed main to production'] },
    reject: {
      denied: ['the message says: reject by slack:U1ADA', 'did not run deploy: rejected in Slack'],
      not: ['ran deploy'],
    },
  },
  'tool-approval.mjs': {
    shown: ['ran: the text of https://example.com', 'fields.amount: "1000"'],
    approve: { ran: ['ran: submitted to https://example.com/order'] },
    reject: { denied: ['did not run submit_form', 'not run (not today).'], not: ['submitted to'] },
  },
};

const BUN_SCRIPT: Expected = {
  shown: ['Others may have this branch checked out. It becomes main.'],
  approve: { ran: ['ran: renamed master to main', 'the record says: succeeded by callback'] },
  reject: { denied: ['did not run rename_branch', 'the record says: rejected by callback'], not: ['renamed master'] },
};

tryEach(EXAMPLES);

describe.skipIf(bun === undefined)('bun-script.ts', () => {
  test.each(answers)('%s', async (answer) => {
    expectOutput(expectSuccess(await onBun('bun-script.ts', answer)), answer, BUN_SCRIPT);
  });

  test('a human types y', async () => {
    const done = await onBun('bun-script.ts', '', 'y\n');
    expect(done.stderr).toContain('Run it? ');
    expectOutput(expectSuccess({ ...done, stderr: '' }), 'approve', BUN_SCRIPT);
  });

  test('a human types why not', async () => {
    const done = await onBun('bun-script.ts', '', 'ask Ada first\n');
    expectOutput(expectSuccess({ ...done, stderr: '' }), 'reject', BUN_SCRIPT);
    expect(done.stdout).toContain('The branch: not run (ask Ada first).');
  });
});

// Windows has no signals: a child is ended there, not asked.
describe.skipIf(bun === undefined || process.platform === 'win32')('Ctrl+C while a human is asked', () => {
  test('bun-script.ts: nothing runs, and the request is cancelled', async () => {
    const { code, stdout } = await interrupted('bun-script.ts', 'Run it?');
    expect(stdout).toContain('aborted: nothing ran');
    expect(stdout).toContain('the record says: cancelled by abort');
    expect(stdout).not.toContain('renamed');
    expect(code).toBe(130);
  });
});

describe('the folder', () => {
  /** They have a test of their own. */
  const elsewhere = ['bun-script.ts', 'use-chat-client.mjs', 'use-chat-route.mjs'];
  checkFolder('', {
    tried: [...Object.keys(EXAMPLES), ...elsewhere],
    helpers: ['ask.mjs', 'listen.mjs', 'mailbox.mjs', 'model.mjs', 'pretend-slack.mjs'],
  });

  test('they fit the types', async () => {
    const args = ['-p', 'examples/tsconfig.json', '--incremental', '--tsBuildInfoFile', '.build/examples.json'];
    const done = await exec(process.execPath, ['node_modules/typescript/bin/tsc', ...args], { cwd: root });
    expect(done.stdout + done.stderr).toBe('');
    expect(done.code).toBe(0);
  });
});
