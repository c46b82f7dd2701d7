/** What a confined command must not reach is out of reach by each name that leads there, and by no rule about something else. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { DeepAgentOptions } from '../../agent.js';
import { createLocalBackend } from '../../ts/agent/index.js';
import { confinementReport, createGate, parsePolicy } from '../../ts/index.js';
import { executed } from '../support/confined-agent.js';
import { ownPlace } from '../support/own-place.js';

const report = confinementReport();

const base = ownPlace('confine-names');
afterAll(() => rmSync(base, { recursive: true }));

let root: string;
beforeEach(() => {
  root = join(realpathSync(mkdtempSync(join(base, 'x-'))), 'project');
  mkdirSync(root);
});

function put(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

/** Runs a line; what the model got, and what a human was asked about, who says no. */
async function run(command: string, options: Omit<DeepAgentOptions, 'model'>) {
  const asked: { description: string; reason: string | undefined }[] = [];
  const own = { backend: createLocalBackend({ root }), confine: true, ...options } as never;
  const said = await executed([{ command }], own, ({ description, verdict }) => {
    asked.push({ description: description ?? '', reason: verdict?.reason });
    return false;
  });
  return { said, asked };
}

const ALL_CONFINED = 'version = 1\n[[rule]]\neffect = "allow"\nconfined = "project"\n';
const rules = (text: string) => parsePolicy(`${ALL_CONFINED}${text}`);

describe.runIf(report.namespaces)('a confined command', () => {
  test('neither reads nor changes nor replaces a protected file that is a symlink', async () => {
    put({ 'cfg/dev': 'SECRET', 'ci/job': 'as before', 's3/key': 'SECRET', 'sub/x': '' });
    const links: [string, string][] = [
      ['.env', 'cfg/dev'],
      ['.github', 'ci'],
      ['sub/.aws', '../s3'],
      ['.envrc', 'nothing'],
    ];
    for (const [link, target] of links) symlinkSync(target, join(root, link));
    put({
      'r.sh':
        'cat .env cfg/dev sub/.aws/key s3/key; echo x > .env; echo x > .github/job; echo x > .envrc\nfor each in .env .github sub/.aws .envrc; do rm $each; mv $each gone; mkdir $each; done\necho rea""ched',
    });
    for (const policy of ['preset:developer', rules('')] as const) {
      const { said, asked } = await run('sh r.sh', { policy });
      expect(asked).toEqual([]);
      expect(said).toContain('reached');
      expect(said).not.toContain('SECRET');
    }
    for (const [link, target] of links) expect(readlinkSync(join(root, link))).toBe(target);
    expect(readFileSync(join(root, 'cfg/dev'), 'utf8')).toBe('SECRET');
    expect(readFileSync(join(root, 'ci/job'), 'utf8')).toBe('as before');
    expect(existsSync(join(root, 'nothing'))).toBe(false);
  });

  test('is held to rules about its own tool, and opened nothing by those about others', async () => {
    put({ 'secret/k': 'SECRET', 'loud/k': 'LOUD', '.env': 'TOKEN', 'src/a': 'as before' });
    put({ 'r.sh': 'cat secret/k loud/k .env; echo x > src/a; echo rea""ched' });
    const policy = rules(`
      [[rule]]
      effect = "allow"
      reads = ["\${project}/**"]
      [[rule]]
      effect = "deny"
      tools = ["execute"]
      reads = ["\${project}/secret/**"]
      [[rule]]
      effect = "deny"
      confined = "project"
      reads = ["\${project}/loud/**"]
      [[rule]]
      effect = "ask"
      tools = ["execute", "write_file"]
      writes = ["\${project}/src/**"]
      [[rule]]
      effect = "allow"
      tools = ["edit_file", "read_file"]
      reads = ["\${project}/.env"]
      writes = ["\${project}/src/**"]
    `);
    const { said } = await run('sh r.sh', { policy });
    expect(said).toContain('reached');
    expect(said).not.toMatch(/SECRET|LOUD|TOKEN/);
    expect(readFileSync(join(root, 'src/a'), 'utf8')).toBe('as before');
  });

  test('is held to rules about .git', async () => {
    put({
      '.git/HEAD': 'ref: refs/heads/main',
      '.git/config': 'TOKEN',
      '.git/refs/heads/main': 'as before',
      '.git/objects/aa/bb': 'as before',
      'r.sh': 'cat .git/config; echo x > .git/HEAD; echo x > .git/refs/heads/main; rm -rf .git/objects; echo rea""ched',
    });
    const policy = parsePolicy(`
      version = 1
      [[rule]]
      effect = "allow"
      commands = ["python3"]
      [[rule]]
      effect = "deny"
      reads = ["\${project}/.git/config"]
      [[rule]]
      effect = "deny"
      writes = ["\${project}/.git/**"]
    `);
    put({ 'w.py': 'import os; os.system("sh r.sh")' });
    const { said } = await run('python3 w.py', { policy });
    expect(said).toContain('reached');
    expect(said).not.toContain('TOKEN');
    for (const name of ['refs/heads/main', 'objects/aa/bb'])
      expect(readFileSync(join(root, '.git', name), 'utf8')).toBe('as before');
    expect(readFileSync(join(root, '.git/HEAD'), 'utf8')).toBe('ref: refs/heads/main');
  });

  test('is held to what is denied below a root that is called by a symlink', async () => {
    put({ 'homey.txt': 'SECRET', 'package.json': '{}', 'free.txt': 'FREE' });
    put({ 'r.sh': 'cat homey.txt free.txt; echo x > package.json; echo x > made' });
    const link = join(dirname(root), 'link');
    symlinkSync(root, link);
    const policy = rules(`
      [[rule]]
      effect = "deny"
      reads = ["\${project}/homey.txt"]
      [[rule]]
      effect = "deny"
      writes = ["\${project}/package.json"]
    `);
    for (const called of [link, root]) {
      const { said, asked } = await run('sh r.sh', { policy, backend: createLocalBackend({ root: called }) });
      expect(asked).toEqual([]);
      expect(said).toContain('FREE');
      expect(said).not.toContain('SECRET');
      expect(readFileSync(join(root, 'package.json'), 'utf8')).toBe('{}');
      expect(existsSync(join(root, 'made'))).toBe(true);
      rmSync(join(root, 'made'));
    }
    // It is the project by either name.
    const { said, asked } = await run('sh r.sh; echo x > made', {
      policy: 'preset:developer',
      backend: createLocalBackend({ root: link }),
    });
    expect([asked, existsSync(join(root, 'made'))]).toEqual([[], true]);
    expect(said).toContain('FREE');
  });

  test('is asked about where its line names what is protected in the home, in any spelling', async () => {
    const home = join(base, 'home');
    mkdirSync(join(home, '.gradle/enterprise'), { recursive: true });
    writeFileSync(join(home, '.gitconfig'), 'TOKEN');
    writeFileSync(join(home, '.gradle/enterprise/keys.properties'), 'TOKEN');
    const names = [
      '~/.gitconfig',
      '$HOME/.gitconfig',
      '"$HOME/.gitconfig"',
      '"${HOME}"/.gitconfig',
      `${home}/.gitconfig`,
    ];
    for (const policy of ['preset:developer', 'preset:read-only'] as const) {
      for (const name of [...names, '~/.gradle/enterprise/keys.properties']) {
        const { said, asked } = await run(`cat ${name}`, { policy });
        expect(asked, name).toHaveLength(1);
        expect(said).not.toContain('TOKEN');
      }
    }
    // No line names it.
    put({ 'r.sh': 'cat ~/.gradle/enterprise/keys.properties; echo rea""ched' });
    const { said, asked } = await run('sh r.sh', { policy: 'preset:developer' });
    expect(asked).toEqual([]);
    expect(said).toContain('reached');
    expect(said).not.toContain('TOKEN');
  });

  test.runIf(process.platform === 'linux')('runs beside a name that is no text, unless that is protected', async () => {
    put({ a: '' });
    const named = (bytes: string) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(bytes, 'latin1')]);
    writeFileSync(named('caf\xe9'), 'x');
    mkdirSync(named('d\xe9'));
    const plain = await run('./none; echo rea""ched', { policy: 'preset:developer' });
    expect(plain.asked).toEqual([]);
    expect(plain.said).toContain('reached');
    writeFileSync(named('cl\xe9.pem'), 'x');
    const { said, asked } = await run('./none; echo rea""ched', { policy: 'preset:developer' });
    expect(asked).toEqual([
      {
        description: expect.stringContaining('names are not UTF-8'),
        reason: expect.stringContaining('have names that are not UTF-8'),
      },
    ]);
    expect(said).toContain('have names that are not UTF-8');
    expect(said).not.toContain('reached');
  });
});

describe.runIf(report.namespaces)('the ledger of an agent', () => {
  /** A journal that gives the first page of the file other bytes when SQLite plays it. */
  const PLANT = `python3 -c "
import struct
page = bytearray(4096)
page[:16] = b'SQLite format 3\\0'
head = bytes.fromhex('d9d505f920a163d7') + struct.pack('>IIIII', 1, 0, 1, 512, 4096)
text = head.ljust(512, b'\\0') + struct.pack('>I', 1) + page + struct.pack('>I', sum(page[at] for at in range(3896, 0, -200)))
open('led/l.db-journal', 'wb').write(text)
" ; rm -f led/l.db-journal; mv led/l.db-journal led/x; echo rea''ched`;

  test.each(['as it is', 'by a symlink to its folder', 'by a symlink to the file'])(
    'gets no journal from a command: called %s',
    async (how) => {
      mkdirSync(join(root, 'led'));
      const links = dirname(root);
      symlinkSync(root, join(links, 'l'));
      symlinkSync(join(root, 'led/l.db'), join(links, 'one.db'));
      const first = createGate({ ledger: `sqlite:${join(root, 'led/l.db')}` });
      await first.request({ toolName: 'wire', args: { euros: 1 }, timeout: 1 });
      await first.close();
      const path = {
        'as it is': join(root, 'led/l.db'),
        'by a symlink to its folder': join(links, 'l/led/l.db'),
        'by a symlink to the file': join(links, 'one.db'),
      }[how];
      const gate = createGate({ ledger: `sqlite:${path}`, place: { cwd: root } });
      await gate.ready();
      const names = () => readdirSync(join(root, 'led')).toSorted();
      const before = names();
      const { said } = await run(PLANT, { gate, interruptOn: 'none' } as never);
      expect(said).toContain('reached');
      expect(names()).toEqual(before);
      expect(statSync(join(root, 'led/l.db-journal')).size).toBe(0);
      await gate.close();
      const again = createGate({ ledger: `sqlite:${path}` });
      await expect(again.ready()).resolves.toBeUndefined();
      await again.close();
    },
  );
});
