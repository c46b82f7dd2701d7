/** Settings of the chat: which files count, what they may say, and how mistakes are told. */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigFileError, readConfig, type ChatConfig, type ConfigFlags } from '../../ts/cli/chat/config.js';
import { scratch } from '../policy/support.js';

interface Files {
  user?: string;
  project?: string;
}

function there({ user, project }: Files) {
  const root = realpathSync(scratch());
  const folder = join(root, 'project', 'inner');
  mkdirSync(join(root, 'project', '.countersign'), { recursive: true });
  mkdirSync(folder);
  const files = {
    user: join(root, 'xdg', 'countersign', 'config.toml'),
    project: join(root, 'project/.countersign/config.toml'),
  };
  for (const [which, text] of [
    ['user', user],
    ['project', project],
  ] as const) {
    if (text === undefined) continue;
    mkdirSync(dirname(files[which]), { recursive: true });
    writeFileSync(files[which], text);
  }
  const read = (flags: ConfigFlags = {}): Promise<ChatConfig> =>
    readConfig(folder, flags, { XDG_CONFIG_HOME: join(root, 'xdg'), HOME: root });
  return { root, folder, files, read };
}

test('nobody says anything: what changes things is asked about', async () => {
  const { read, root } = there({});
  expect(await read()).toEqual({
    model: undefined,
    baseUrl: undefined,
    sendsKey: true,
    ledger: undefined,
    projectLedger: undefined,
    needApproval: ['execute', 'write_file', 'edit_file'],
    policies: [],
    narrowing: [],
    plain: false,
    emoji: true,
    history: true,
    isBare: true,
    project: join(root, 'project'),
    settings: join(root, 'xdg/countersign'),
    files: [],
  });
});

test('flags count more than the project, and that more than the user', async () => {
  const files = {
    user: 'model = "u"\nbase_url = "http://u.example/v1"\nledger = "sqlite:u.db"\n[chat]\nplain = true\nemoji = false\n',
    project: 'model = "p"\nledger = "sqlite:p.db"\n[chat]\nplain = false\n',
  };
  const { read, root, files: at } = there(files);
  expect(await read()).toMatchObject({
    model: 'p',
    baseUrl: 'http://u.example/v1',
    // The record of what a project had done stays where its user wants it.
    ledger: `sqlite:${join(root, 'xdg/countersign/u.db')}`,
    projectLedger: `sqlite:${join(root, 'project/.countersign/p.db')}`,
    plain: false,
    emoji: false,
    files: [at.user, at.project],
  });
  expect(await read({ model: 'f', 'base-url': 'http://f.example/v1', ledger: 'memory:', plain: true })).toMatchObject({
    model: 'f',
    baseUrl: 'http://f.example/v1',
    ledger: 'memory:',
    plain: true,
  });
});

test('policies of the user and of flags are the gate’s, those of the project only narrow', async () => {
  const { read, root, folder } = there({
    user: 'policy = "u.toml"\n',
    project: 'policy = ["p.toml", "preset:read-only"]\n',
  });
  const config = await read({ policy: ['f.toml', 'preset:developer'] });
  expect(config.policies).toEqual([join(root, 'xdg/countersign/u.toml'), join(folder, 'f.toml'), 'preset:developer']);
  expect(config.narrowing).toEqual([join(root, 'project/.countersign/p.toml'), 'preset:read-only']);
});

describe('a project only tightens', () => {
  test('its need_approval is added to the user’s', async () => {
    const needed = async (files: Files) => (await there(files).read()).needApproval;
    expect(await needed({ project: '[tools]\nneed_approval = ["read_file"]\n' })).toEqual([
      'execute',
      'write_file',
      'edit_file',
      'read_file',
    ]);
    expect(await needed({ project: '[tools]\nneed_approval = []\n' })).toHaveLength(3);
    expect(await needed({ user: '[tools]\nneed_approval = []\n' })).toEqual([]);
    expect(
      await needed({
        user: '[tools]\nneed_approval = ["task"]\n',
        project: '[tools]\nneed_approval = ["*", "task"]\n',
      }),
    ).toEqual(['task', '*']);
  });

  test('its server is on this machine and gets no key', async () => {
    const { read } = there({ project: 'base_url = "http://localhost:1/v1"\n' });
    expect(await read()).toMatchObject({ baseUrl: 'http://localhost:1/v1', sendsKey: false });
    expect(await read({ 'base-url': 'https://f.example' })).toMatchObject({ sendsKey: true });
    const same = there({ project: 'base_url = "http://[::1]:1/v1"\n', user: 'base_url = "http://[::1]:1/v1"\n' });
    expect(await same.read()).toMatchObject({ sendsKey: true });
    for (const url of ['https://evil.example/v1', 'http://localhost.evil.example', 'http://localhost@evil.example/'])
      await expect(there({ project: `base_url = "${url}"\n` }).read()).rejects.toThrow(/on this machine/);
    expect(await there({ user: 'base_url = "https://u.example/v1"\n' }).read()).toMatchObject({ sendsKey: true });
  });

  test('its ledger lies in it', async () => {
    for (const ledger of ['sqlite:../../out.db', 'sqlite:/tmp/out.db', 'sqlite:..'])
      await expect(there({ project: `ledger = "${ledger}"\n` }).read()).rejects.toThrow(/lie in the project/);
  });
});

describe('a mistake is told with file, line and column', () => {
  const cases: [text: string, line: number, column: number, message: RegExp][] = [
    ['a = = 1\n', 1, 5, /./],
    ['model = 1\nmodel = 2\n', 2, 1, /./],
    ['\n  modle = "x"\n', 2, 3, /no setting "modle": did you mean model\?/],
    ['[tools]\nneed_aproval = []\n', 2, 1, /did you mean tools\.need_approval/],
    ['auto = true\n', 1, 1, /no setting "auto"/],
    ['tools = 3\n', 1, 1, /tools must be a table/],
    ['model = 3\n', 1, 1, /model must be a text, not 3/],
    ['[chat]\nemoji = "no"\n', 2, 1, /chat\.emoji must be true or false, not "no"/],
    ['[tools]\nneed_approval = ["exceute"]\n', 2, 1, /no tool "exceute": did you mean execute/],
    ['[tools]\nneed_approval = "execute"\n', 2, 1, /must be a list of texts/],
    ['base_url = "ftp://x"\n', 1, 1, /http or https/],
    ['ledger = "postgres:x"\n', 1, 1, /sqlite:PATH/],
    ['[model]\nid = "x"\n', 2, 1, /no setting "model\.id"/],
  ];
  test.each(cases)('%j', async (text, line, column, message) => {
    for (const which of ['user', 'project'] as const) {
      const { read, files } = there({ [which]: text });
      const error: unknown = await read().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(ConfigFileError);
      expect(error).toMatchObject({ code: 'ERR_CONFIG_FILE', source: files[which], line, column });
      expect((error as Error).message).toMatch(message);
      expect((error as Error).message.startsWith(`${files[which]}:${line}:${column}: `)).toBe(true);
    }
  });

  test('a file that cannot be read is one, too', async () => {
    const { read, files } = there({});
    mkdirSync(files.project, { recursive: true });
    await expect(read()).rejects.toMatchObject({ code: 'ERR_CONFIG_FILE' });
  });
});
