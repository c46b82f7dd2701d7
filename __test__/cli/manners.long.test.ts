/** The manners of the command line: what was probably meant, help, completion, what is remembered, and what was decided. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createGate } from '../../ts/index.js';
import { manPage } from '../../ts/cli/man-page.js';
import { COMMAND_NAMES, helpText, PAGES, synopsisOf } from '../../ts/cli/manual.js';
import { scratch } from '../policy/support.js';
import { sample } from '../support/effort.js';
import { countersign, quickly } from './command.js';

describe('what was probably meant', () => {
  test.each(
    sample<[string[], RegExp]>(
      [
        [['pendng'], /did you mean countersign pending\?/],
        [['policy', 'explian', 'ls'], /did you mean countersign policy explain\?/],
        [['policy', 'test', 'ls'], /there is no command "policy test"$/m],
        [['audit', 'lst'], /did you mean countersign audit list\?/],
        [['help', 'polcy'], /did you mean countersign policy\?/],
        [['pending', '--jsn'], /there is no option --jsn: did you mean --json\?/],
        [['demo', '--keeep'], /there is no option --keeep: did you mean --keep\?/],
        [['--plan', '--promt', 'x'], /there is no option --promt: did you mean --prompt\?/],
        [['policy', 'preset', 'developr'], /did you mean developer\?/],
        [['completion', 'bahs'], /did you mean bash\?/],
        [['policy', 'check', '--tool'], /--tool needs a value/],
        [['pending', '--json=yes'], /--json takes no value/],
        [['pending', '-l', 'sqlite:a.db', '-l', 'sqlite:b.db'], /--ledger is given twice: it takes one value/],
        [['approve', 'x', '--by', 'mia', '--by=noah'], /--by is given twice/],
        [['policy', 'check', '--cwd', '/nosuch', 'ls'], /--cwd must be a folder: \/nosuch/],
        [['policy', 'replay', '-', '-p', 'preset:read-only', '--cwd', '/nosuch'], /--cwd must be a folder/],
        [['grants', '--cwd', '/nosuch'], /--cwd must be a folder: \/nosuch/],
        [
          ['respond', 'x', '--json-output', '{"a":[{"$countersign":"Date","value":"x"}]}'],
          /has a Date that is not valid/,
        ],
        [['edit', 'x', '--args', '{"$countersign":"Date","value":"x"}'], /has a Date that is not valid/],
        [['approve', '--by', '--json'], /--by needs a value; one that begins with a dash/],
      ],
      2,
    ),
  )('%j', async (args, says) => {
    const { code, stderr } = await quickly(args);
    expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/positional argument|node:/);
    expect(code).toBe(2);
  });

  test.each(['chat', 'demo', 'inbox', 'init', 'pending'])(
    '%s: the page of help that is named is its own',
    async (name) => {
      const { code, stderr } = await quickly([name, '--no-such-option']);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`See \`countersign help ${name}\`.`)]);
    },
  );

  test('a file that there is not is said in our words', async () => {
    const folder = scratch();
    const replay = (file: string) => quickly(['policy', 'replay', file, '-p', 'preset:read-only']);
    const missing = join(folder, 'missing');
    expect((await replay(missing)).stderr).toBe(`countersign: ${missing}: there is no such file\n`);
    expect((await replay(folder)).stderr).toBe('countersign: it is a directory\n');
  });
});

test('a preset that is misspelt, and no command: said as what they are, before anything else', async () => {
  const misspelt = await countersign(['policy', 'explain', '-p', 'preset:devloper', 'ls'], { cwd: scratch() });
  expect([misspelt.code, misspelt.stderr]).toEqual([2, expect.stringContaining('did you mean developer?')]);
  const none = await countersign(['policy', 'explain'], { cwd: scratch() });
  expect([none.code, none.stderr]).toEqual([2, expect.not.stringContaining('no rules are here')]);
  const help = await countersign(['help', 'help']);
  expect([help.code, help.stdout]).toEqual([0, (await countersign(['--help'])).stdout]);
});

describe('help', () => {
  test.each(PAGES.map((page) => [page.name, page] as const))(
    '%s has each option explained and an example, in 80 columns',
    (name, page) => {
      const text = helpText(page);
      expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
      expect(text).toContain(`  ${synopsisOf(page)}`);
      expect(page.example).toContain(name === 'chat' ? 'countersign --' : `countersign ${name}`);
      for (const { name: flag, help } of page.options) {
        expect(text).toContain(flag);
        expect(help.length).toBeGreaterThan(3);
      }
    },
  );

  test('names the options that the commands know', () => {
    for (const { name, options } of PAGES) {
      const [file] = { 'audit list': ['audit-list'], 'audit verify': ['audit-verify'] }[name] ?? [undefined];
      if (file === undefined) continue;
      const source = readFileSync(join(import.meta.dirname, `../../ts/cli/${file}.ts`), 'utf8');
      for (const { name: flag } of options.filter(
        ({ name: each }) => !['--help', '--ledger', '--key-env', '--json'].includes(each),
      ))
        expect(source, `${name} ${flag}`).toMatch(new RegExp(`'?${flag.slice(2)}'?: \\{ type`));
    }
  });

  test('each command has its own page', async () => {
    const approve = await quickly(['approve', '--help']);
    expect(approve.stdout).toContain('countersign approve ID…');
    expect(approve.stdout).not.toContain('countersign skip');
    expect((await quickly(['help', 'approve'])).stdout).toBe(approve.stdout);
    expect((await quickly(['policy', '--help'])).stdout).toContain('countersign policy explain COMMAND…');
    for (const command of [['help'], ['audit', '--help'], ['ledger', '--help'], ['policy', '--help']])
      expect((await quickly(command)).stdout).toMatch(/\nExamples:\n {2}countersign \w+/);
    const { stdout } = await quickly(['--help']);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    for (const name of COMMAND_NAMES.filter((each) => each !== 'chat')) expect(stdout).toContain(name);
  });
});

describe('policy explain', () => {
  test('takes the words of a command line as they are typed', async () => {
    const lines = [
      ['ls', '-la'],
      ['git', 'commit', '-m', "it's done"],
      ['echo', 'a b', '$HOME'],
    ];
    for (const words of sample(lines, 1)) {
      const typed = await quickly(['policy', 'explain', '-p', 'preset:read-only', ...words]);
      expect(typed.stderr).toBe('');
      const line = words
        .map((word) => (/^[\w-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
        .join(' ');
      const quoted = await quickly(['policy', 'explain', '-p', 'preset:read-only', line]);
      expect(typed.stdout).toBe(quoted.stdout);
    }
    expect((await quickly(['policy', 'check', '-p', 'preset:read-only', 'ls', '-la'])).code).toBe(0);
  });
});

describe('completion', () => {
  const scripts = new Map<string, string>();
  const scriptFor = (shell: string): string => {
    const cli = join(import.meta.dirname, '../../dist/cli.js');
    const made = scripts.get(shell) ?? execFileSync(process.execPath, [cli, 'completion', shell], { encoding: 'utf8' });
    scripts.set(shell, made);
    return made;
  };
  const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;
  const answersOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

  /** What is offered behind each line, the last word as far as it was typed: one bash, which reads the script once. */
  const complete = (script: string, lines: readonly string[]): string[][] => {
    const asks = `eval "$(cat)"; for line; do COMP_LINE="$line"; COMP_POINT=\${#line}; COMPREPLY=(); _countersign
      printf '%s\\n' "\${COMPREPLY[@]}" =; done`;
    const { stdout, stderr } = spawnSync('bash', ['-c', asks, 'bash', ...lines], { input: script, encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.split('=\n').slice(0, -1).map(answersOf);
  };

  test.skipIf(!isThere('bash'))('of bash', () => {
    const offered: [line: string, words: string[]][] = [
      ['pen', ['pending']],
      ['policy ex', ['explain']],
      ['policy explain --to', ['--tool']],
      ['approve 4f2a91c3 --rem', ['--remember']],
      ['', expect.arrayContaining([...COMMAND_NAMES, '--model', '--version'])],
      ['--mod', ['--model']],
      ['--plan --no', ['--notify']],
      ['--notify ', ['bell', 'desktop', 'none']],
      ['watch --notify de', ['desktop']],
      ['policy preset dev', ['developer']],
      ['policy init --preset read', ['read-only']],
      ['policy import gem', ['gemini-cli']],
      ['completion f', ['fish']],
      ['grants rev', ['revoke']],
      ['help pol', ['policy']],
      ['help policy tr', ['trust']],
      // bash has taken the word apart at the colon: what stands behind it is replaced.
      ['-p preset:d', ['developer']],
      ['policy check -p pre', ['preset:read-only', 'preset:developer']],
    ];
    const alike = ['show --ledger ', 'ledger info -l '];
    const said = complete(
      scriptFor('bash'),
      [...offered.map(([line]) => line), ...alike].map((line) => `countersign ${line}`),
    );
    for (const [at, [line, words]] of offered.entries()) expect([line, said[at]]).toEqual([line, words]);
    expect(said.at(-1)).toEqual(said.at(-2));
  });

  test.skipIf(!isThere('bash'))('of each command: what may stand behind it', () => {
    const lines = PAGES.map(({ name }) => `countersign ${name} `);
    for (const [at, words] of complete(scriptFor('bash'), lines).entries()) {
      const { name, options, takes = [] } = PAGES[at]!;
      expect([name, words.toSorted()]).toEqual([name, [...options.map((option) => option.name), ...takes].toSorted()]);
    }
  });

  test.skipIf(!isThere('zsh'))('of zsh', () => {
    const asks = 'autoload -U compinit && compinit -u; source /dev/stdin; print -l ${_comps[countersign]}';
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', asks], { input: scriptFor('zsh'), encoding: 'utf8' });
    expect([stdout.trim() !== '', stderr]).toEqual([true, '']);
  });

  test.skipIf(!isThere('fish'))('of fish', () => {
    const offered = (line: string) => {
      const asks = `source (string collect < /dev/stdin | psub); complete -C 'countersign ${line}'`;
      const { stdout } = spawnSync('fish', ['--no-config', '-c', asks], { input: scriptFor('fish'), encoding: 'utf8' });
      return answersOf(stdout).map((each) => each.split('\t')[0]);
    };
    expect(offered('pen')).toEqual(['pending']);
    expect(offered('policy ex')).toEqual(['explain']);
    expect(offered('policy preset dev')).toEqual(['developer']);
    expect(offered('--mod')).toEqual(['--model']);
    expect(offered('watch --notify de')).toEqual(['desktop']);
  });

  test('of zsh and fish, as they are written', () => {
    expect(scriptFor('zsh')).toMatch(/^#compdef countersign\n/);
    const fish = scriptFor('fish');
    for (const name of COMMAND_NAMES) expect(fish).toContain(` -a ${name} `);
    for (const { name, options } of PAGES)
      for (const { name: flag } of options)
        expect([name, fish]).toEqual([name, expect.stringContaining(` -l ${flag.slice(2)}`)]);
  });
});

describe('the man page', () => {
  const file = join(import.meta.dirname, '../../man/countersign.1');

  test('is what the table of the commands says: COUNTERSIGN_WRITE_MAN=1 npx vitest run __test__/cli/manners.long.test.ts', () => {
    if (process.env['COUNTERSIGN_WRITE_MAN'] !== undefined) {
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, manPage());
    }
    expect(readFileSync(file, 'utf8')).toBe(manPage());
  });

  test('has each command and option', () => {
    const text = manPage().replaceAll('\\-', '-');
    for (const page of PAGES) {
      expect(text).toContain(`.SS ${synopsisOf(page).replaceAll('…', '\\&...')}`);
      for (const { name } of page.options.filter(({ name: flag }) => flag !== '--help'))
        expect(text).toContain(`\\fB${name}\\fR`);
    }
  });

  test.each([
    ['groff', ['-man', '-ww', '-z', '-Tutf8', file]],
    ['mandoc', ['-Tlint', '-Wwarning', file]],
    ['man', ['-l', file]],
  ])('%s reads it, and has nothing to say against it', (program, args) => {
    const { error, status, stdout, stderr } = spawnSync(program, args, {
      encoding: 'utf8',
      env: { ...process.env, MANPAGER: 'cat' },
    });
    // Not on this machine.
    if (error !== undefined) return;
    expect([status, stderr]).toEqual([0, '']);
    if (program === 'man') expect(stdout).toContain('countersign policy explain');
    else expect(stdout).toBe('');
  });
});

test.skipIf(process.platform === 'win32')('without HOME the files of the account count', () => {
  const cli = join(import.meta.dirname, '../../dist/cli.js');
  for (const env of [{}, { HOME: '' }]) {
    const { status, stderr } = spawnSync(process.execPath, [cli, 'policy', 'trust', '--list'], {
      cwd: scratch(),
      env: { PATH: process.env['PATH'], ...env },
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
  }
});

test('policy init writes a policy that is one, and never over another', async () => {
  const root = scratch();
  const env = { HOME: root, XDG_CONFIG_HOME: join(root, 'config') };
  const first = await countersign(['policy', 'init', '--preset', 'developer'], { cwd: root, env });
  expect([first.code, first.stderr]).toEqual([0, '']);
  const file = join(root, '.countersign', 'policy.toml');
  expect(existsSync(file)).toBe(true);
  expect(await countersign(['policy', 'lint'], { cwd: root, env })).toMatchObject({ code: 0 });
  const text = readFileSync(file, 'utf8');
  const again = await countersign(['policy', 'init'], { cwd: root, env });
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('ERR_POLICY_EXISTS')]);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test.each([
  ['of npm', { 'package.json': '{"scripts":{"test":"vitest","deploy":"x"}}' }, ['npm test', 'npm run test']],
  ['in Rust', { 'Cargo.toml': '[package]' }, ['cargo build', 'cargo check', 'cargo test', 'cargo clippy']],
  ['of nothing yet', {}, []],
])('policy init writes a short policy for a project %s', async (_, files, builds) => {
  const root = scratch();
  const env = { HOME: root, XDG_CONFIG_HOME: join(root, 'config') };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  expect(await countersign(['policy', 'init'], { cwd: root, env })).toMatchObject({ code: 0, stderr: '' });
  expect(await countersign(['policy', 'lint'], { cwd: root, env })).toMatchObject({
    code: 0,
    stdout: '0 errors, 0 warnings, 0 info\n',
  });
  const text = readFileSync(join(root, '.countersign', 'policy.toml'), 'utf8');
  expect(text.split('\n').length).toBeLessThan(50);
  const [, commands] = /^commands = (\[.*)\n.*\nreason += "it builds and tests"/m.exec(text) ?? [];
  expect(commands === undefined ? [] : JSON.parse(commands)).toEqual(builds);
});

test('history tells what was decided, by whom, and why', async () => {
  const root = scratch();
  const ledger = `sqlite:${join(root, 'ledger.db')}` as const;
  const gate = createGate({ ledger });
  for (const [command, decision] of [
    ['one', { type: 'approve' }],
    ['two', { type: 'reject', reason: 'not today' }],
  ] as const) {
    const asking = gate.request({ toolName: 'execute', args: { command } });
    const [waiting] = await gate.pending();
    await gate.decide(waiting!.approvalId, decision, { by: 'ada' });
    await asking;
  }
  const left = gate.request({ toolName: 'execute', args: { command: 'three' } });
  left.catch(() => {});
  await gate.pending();
  await gate.close();
  const { stdout } = await countersign(['history', '-l', ledger]);
  expect(stdout).toMatch(/execute one\n {2}approved by ada[^]*execute two\n {2}rejected by ada through .*: not today/);
  expect(stdout).not.toContain('three');
  const json = await countersign(['history', '-l', ledger, '--json', '--limit', '1']);
  expect(JSON.parse(json.stdout)).toMatchObject({ args: { command: 'two' }, decidedBy: 'ada' });
});

test('grants lists what is remembered for ever, and takes it back', async () => {
  const root = scratch();
  mkdirSync(join(root, '.git'));
  writeFileSync(join(root, 'a.txt'), '');
  const env = { HOME: root, XDG_CONFIG_HOME: join(root, 'config') };
  const run = (...args: string[]) => countersign(args, { cwd: root, env });
  expect((await run('grants')).stdout).toBe('nothing is remembered for this project\n');
  expect(await run('grants', 'revoke', 'abcdef')).toMatchObject({ code: 4 });
  expect(await run('grants', 'remove')).toMatchObject({ code: 2 });
});
