/** What is read from messages of programs, and the profile for macOS, as texts. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LaunchPlan } from '../../ts/confine/plan.js';
import { refusalsIn } from '../../ts/confine/refusals.js';
import { seatbeltProfile } from '../../ts/confine/seatbelt.js';
import { ownPlace } from '../support/own-place.js';

/** Below a file nothing can be. Not below `/dev`, which a command has of its own. */
const NOWHERE = import.meta.filename;

const plan: LaunchPlan = {
  command: ['sh', '-c', ':'],
  cwd: `${NOWHERE}/project`,
  read: ['/usr', '/etc', `${NOWHERE}/project`],
  write: [`${NOWHERE}/project`],
  exact: [],
  protect: [`${NOWHERE}/project/.git/hooks`],
  hide: [`${NOWHERE}/project/.env`],
  private: [`${NOWHERE}/home`],
  temporary: null,
  network: 'none',
  localSockets: false,
  environment: ['PATH'],
  limits: { processes: null, memory: null, fileSize: null, openFiles: null },
  status: null,
  demand: 'walls',
  abi: null,
  withoutNamespaces: false,
  open: [],
};

test.each(['cannot open', 'unable to open database file', 'error opening'])(
  'the words %s are no part of a path',
  (words) => {
    const refused = refusalsIn(`ledger: ${words} /etc/l.db-lock: Permission denied\n`, { ...plan, write: [] });
    expect(refused.map(({ target }) => target)).toEqual(['/etc/l.db-lock']);
  },
);

describe('a refusal is read from', () => {
  test.each([
    ['sh: 1: cannot create /etc/hosts: Read-only file system', 'write /etc/hosts'],
    ['bash: line 1: /etc/hosts: Permission denied', 'write /etc/hosts'],
    ["touch: cannot touch '/etc/x': Read-only file system", 'write /etc/x'],
    ["Error: EROFS: read-only file system, open '/etc/x'", 'write /etc/x'],
    ["OSError: [Errno 30] Read-only file system: '/etc/x'", 'write /etc/x'],
    ['open /etc/x: read-only file system', 'write /etc/x'],
    ['rm: cannot remove ‘/etc/hosts’: Permission denied', 'write /etc/hosts'],
    ['cat: .env: Permission denied', `read ${NOWHERE}/project/.env`],
    [
      'sh: 1: cannot create .git/hooks/pre-commit: Read-only file system',
      `write ${NOWHERE}/project/.git/hooks/pre-commit`,
    ],
    [
      'error: could not write config file .git/hooks/x: Device or resource busy',
      `write ${NOWHERE}/project/.git/hooks/x`,
    ],
    ['curl: (6) Could not resolve host: example.com', 'network example.com'],
    ['Error: getaddrinfo EAI_AGAIN registry.npmjs.org', 'network registry.npmjs.org'],
    ['npm error request to https://registry.npmjs.org/left-pad failed, reason: ', 'network registry.npmjs.org'],
    ["fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com", 'network github.com'],
    ['dial tcp: lookup proxy.golang.org: Temporary failure in name resolution', 'network proxy.golang.org'],
    ['connect EPERM 10.0.0.1:443', 'network 10.0.0.1:443'],
    ['socket: Operation not permitted', 'network null'],
    ['[Errno -3] Temporary failure in name resolution', 'network null'],
  ])('%s', (line, told) => {
    expect(refusalsIn(`before\n${line}\nafter\n`, plan).map(({ kind, target }) => `${kind} ${target}`)).toEqual([told]);
  });

  test.each([
    'cat: missing: No such file or directory',
    `Error: EACCES: permission denied, open '${NOWHERE}/project/own'`,
    'cat: /etc/none/at/all: No such file or directory',
    'mv: cannot move /tmp/a to /tmp/b: Permission denied',
    'the word permission denied in a sentence',
    'all tests passed',
    // A name that was cut is another one.
    'curl: (6) Could not resolve host: a.wi',
    "fatal: unable to access 'https://a.wi",
    'curl: (6) Could not resolve host: a.wi...\nnext\n',
    'curl: (6) Could not resolve host: a.wi… \nnext\n',
    'curl: (6) Could not resolve host: a.wiñ\nnext\n',
  ])('and not from: %s', (line) => {
    expect(refusalsIn(line, plan)).toEqual([]);
  });

  test('at most ten are told, each once', () => {
    const lines = Array.from(
      { length: 30 },
      (_, index) => `touch: cannot touch '/etc/x${index % 20}': Read-only file system`,
    );
    expect(refusalsIn(lines.join('\n'), plan)).toHaveLength(10);
  });
});

describe('what is outside of the plan', () => {
  let outside: string;
  beforeAll(() => {
    outside = ownPlace('refusals');
    mkdirSync(join(outside, 'deep'));
    writeFileSync(join(outside, 'deep/file'), '');
  });
  afterAll(() => rmSync(outside, { recursive: true }));

  test.each([
    ["touch: cannot touch 'deep/nn': Read-only file system", 'deep/nn'],
    ["touch: cannot touch 'deep/../nn': Read-only file system", 'nn'],
    ["cp: cannot create regular file 'deep/a.txt': Permission denied", 'deep/a.txt'],
  ])('is told by its name alone, without the quotes: %s', (line, name) => {
    const refused = refusalsIn(line, { ...plan, cwd: outside, read: [outside], write: [] });
    expect(refused.map(({ target }) => target)).toEqual([join(outside, name)]);
  });

  test('was refused where it is there, though it seems not to be', () => {
    expect(refusalsIn(`cat: '${outside}/deep/file': No such file or directory`, plan)).toHaveLength(1);
  });
});

test('the profile for macOS says what the plan does', () => {
  const profile = seatbeltProfile({
    ...plan,
    write: [`${NOWHERE}/a "b"\\c`],
    network: { proxy: { port: 8080, socket: null, inode: null } },
  });
  expect(profile).toMatch(/^\(version 1\)\n\(deny default\)\n/);
  expect(profile).toContain(`(allow file-write*\n  (subpath "${NOWHERE}/a \\"b\\"\\\\c")`);
  expect(profile).toContain(`(deny file-read*\n  (subpath "${NOWHERE}/project/.env"))`);
  // The last rule that speaks of something counts.
  expect(profile.indexOf('(deny file-write*')).toBeGreaterThan(profile.indexOf('(allow file-write*'));
  expect(profile).toContain('(remote ip "localhost:8080")');
  expect(seatbeltProfile(plan)).toMatch(/\(deny network\*\)$/);
  const opened = profile.match(/\(/g)?.length;
  expect(opened).toBe(profile.match(/\)/g)?.length);
});
