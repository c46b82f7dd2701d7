/** What a command changes so that the next one, or one that a human said yes to, gets more than it was given. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { DeepAgentOptions } from '../../agent.js';
import type { ApprovalRequest } from '../../index.js';
import { createDeepAgent, createLocalBackend } from '../../ts/agent/index.js';
import { confinementReport, createGate } from '../../ts/index.js';
import { executed, type Asked } from '../support/confined-agent.js';
import { call, calls, says, scripted } from '../support/model.js';
import { ownPlace } from '../support/own-place.js';

const report = confinementReport();
const base = ownPlace('swapped');
afterAll(() => rmSync(base, { recursive: true, force: true }));

let home: string;
let root: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(base, 'home-')));
  root = join(home, 'project');
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
  mkdirSync(join(home, '.ssh'));
  writeFileSync(join(home, '.ssh/key'), 'SECRET');
});

/** What the model got for each of these calls, one after another. */
const run = (commands: object[], options: Omit<DeepAgentOptions, 'model'>, asked?: Asked): Promise<string> =>
  executed(
    commands,
    { backend: createLocalBackend({ root }), interruptOn: 'none', confine: true, ...options } as DeepAgentOptions,
    asked,
  );

const holds = report.by === 'landlock' && report.namespaces;

describe.runIf(holds)('a confined command', () => {
  test.each([
    ['PATH', () => `${root}/node_modules/.bin`, 'node_modules/.bin'],
    ['VIRTUAL_ENV', () => join(root, '.venv'), '.venv'],
    ['GOPATH', () => join(root, 'go/path'), 'go'],
  ])('leads %s nowhere by a symlink in the project', async (name, value, link) => {
    const path = process.env['PATH'] ?? '';
    const env = {
      PATH: name === 'PATH' ? `${value()}:${path}` : path,
      HOME: home,
      ...(name === 'PATH' ? {} : { [name]: value() }),
    };
    mkdirSync(join(home, 'other/path'), { recursive: true });
    writeFileSync(join(home, 'other/path/text'), 'OTHER');
    const look = { command: 'cat ../.ssh/key ../other/path/text; true' };
    const targets = name === 'GOPATH' ? ['other'] : ['.ssh', 'other/path', '.'];
    for (const target of targets) {
      const swap = { command: `rm -rf ${link}; ln -s ${join(home, target)} ${link}` };
      const said = await run([swap, look], { backend: createLocalBackend({ root, env }) });
      expect(said).toMatch(/Permission denied|No such file/);
      expect(said).not.toMatch(/SECRET|OTHER/);
    }
  });

  test('leads what the program lets it read nowhere, and the developer is warned', async () => {
    symlinkSync(join(home, '.ssh'), join(root, 'out'));
    const warned: string[] = [];
    const hear = (warning: Error) => warned.push(warning.message);
    process.on('warning', hear);
    const said = await run([{ command: 'cat out/key; true' }], { confine: { read: ['out'] } });
    await new Promise(setImmediate);
    process.off('warning', hear);
    expect(said).not.toContain('SECRET');
    expect(warned.join()).toContain('name where it leads');
  });

  test.each(['write', 'read'] as const)(
    'gets by a reach to %s what the human saw, whatever stands there by then',
    async (kind) => {
      mkdirSync(join(home, 'shared/out'), { recursive: true });
      const out = join(home, 'shared/out');
      const swap = () => {
        rmSync(out, { recursive: true });
        symlinkSync(home, out);
        return true;
      };
      const command =
        kind === 'write' ? `echo evil > ${home}/.bashrc; true` : `cat ${out}/.ssh/key ${home}/.ssh/key; true`;
      const said = await run([{ command, reach: { [kind]: ['../shared/out'] } }], {}, swap);
      expect(said).not.toContain('SECRET');
      expect(existsSync(join(home, '.bashrc'))).toBe(false);
    },
  );

  test('finds what was made while a human was asked hidden and protected', async () => {
    mkdirSync(join(home, 'other'));
    const make = () => {
      writeFileSync(join(root, '.env'), 'SECRET');
      writeFileSync(join(home, 'other/.env'), 'SECRET');
      mkdirSync(join(root, '.github'));
      writeFileSync(join(root, '.github/ci.yml'), 'own');
      return true;
    };
    const command = 'cat .env ../other/.env; echo evil > .github/ci.yml; true';
    const said = await run([{ command, reach: { write: ['../other'] } }], {}, make);
    expect(said).not.toContain('SECRET');
    expect(readFileSync(join(root, '.github/ci.yml'), 'utf8')).toBe('own');
  });

  test.each([
    ['of the root', '.git'],
    ['below it', 'deep/.git'],
  ])('leaves no repository %s that came while another command ran', async (_, git) => {
    // The second begins when the first has made one, and makes its own when that one is gone.
    const make = `mkdir -p ${git} && echo ref > ${git}/HEAD && mkdir -p ${git}/objects`;
    const first = { command: `${make}; touch made; while [ ! -e begun ]; do sleep 0.01; done` };
    const second = { command: `touch begun; while [ -e ${git} ]; do sleep 0.01; done; ${make}` };
    const { model } = scripted([
      calls(call('execute', first, 'a'), call('execute', { ...second, reach: { read: ['../near'] } }, 'b')),
      says('done'),
    ]);
    mkdirSync(join(home, 'near'));
    let asked = 0;
    const agent = createDeepAgent({ model, backend: createLocalBackend({ root }), interruptOn: 'none', confine: true });
    const onApprovalRequest = async () => {
      asked++;
      await expect.poll(() => existsSync(join(root, 'made'))).toBe(true);
      return true;
    };
    await agent.generate({ prompt: 'go', onApprovalRequest } as never);
    expect([asked, existsSync(join(root, git))]).toEqual([1, false]);
    // What was there before stays when nothing else runs any more.
    mkdirSync(join(root, git, 'objects'), { recursive: true });
    await run([{ command: 'true' }], {});
    expect(existsSync(join(root, git))).toBe(true);
  });

  test('neither reads nor changes nor moves away the ledger that its approvals are in', async () => {
    mkdirSync(join(root, 'data'));
    const gate = createGate({ ledger: `sqlite:${join(root, 'data/approvals.db')}`, place: { cwd: root } });
    await gate.pending();
    const before = readFileSync(join(root, 'data/approvals.db'));
    const there = readdirSync(join(root, 'data')).toSorted();
    const command =
      'for each in data/approvals.db-lock data/approvals.db-bell data/approvals.db-owners/*; do test -s $each && echo se""en; echo x > $each; done; cat data/approvals.db data/approvals.db-wal | wc -c; mv data away; mv data/approvals.db x; echo x >> data/approvals.db; ls data | wc -l';
    const said = await run([{ command }], { gate });
    expect(said).toMatch(/(?:^|[^0-9])0\\n/);
    expect(said).not.toContain('seen');
    expect(readdirSync(join(root, 'data')).toSorted()).toEqual(there);
    expect(readFileSync(join(root, 'data/approvals.db'))).toEqual(before);
    await gate.close();
  });
});

describe.runIf(report.by === 'landlock')('hosts that a reach names', () => {
  test.each(['2130706433', '0x7f.1', '0177.1', '127.1', 'LOCALHOST.'])('are shown as they are: %s', async (host) => {
    const seen: string[] = [];
    await run([{ command: ':', reach: { network: [`http://${host}:1`] } }], {}, ({ description }) => {
      seen.push(description ?? '');
      return false;
    });
    expect(seen.join()).toMatch(/http:\/\/(?:127\.0\.0\.1|localhost):1 \(this machine\)/);
  });

  test('open this machine by no pattern', async () => {
    const server = createServer((_, response) => response.end('of the server'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const { port } = server.address() as AddressInfo;
    const asked: string[] = [];
    const command = `curl -sS --noproxy '' http://127.0.0.1:${port}/`;
    const said = await run([{ command, reach: { network: ['*:*'] } }], {}, ({ toolName }) => {
      asked.push(toolName);
      return toolName === 'execute';
    });
    expect(asked).toEqual(['execute']);
    expect(said).not.toContain('of the server');
    server.close();
  });

  test('are put to a human twenty at a time, and not after twenty refusals', async () => {
    let waiting = 0;
    let most = 0;
    let asked = 0;
    const hosts = Array.from({ length: 60 }, (_, index) => `http://h${index}.example/`);
    const command = `for each in ${hosts.join(' ')}; do curl -sS --max-time 60 $each & done; wait`;
    await run([{ command }], { confine: { network: 'ask' } }, async ({ toolName }) => {
      if (toolName !== 'network') return true;
      asked += 1;
      most = Math.max(most, (waiting += 1));
      await new Promise((resolve) => setTimeout(resolve, 20));
      waiting -= 1;
      return false;
    });
    expect([asked, most <= 20]).toEqual([20, true]);
  });

  test('are those of a subagent, whose own policy reaches less', async () => {
    const server = createServer((_, response) => response.end('of the server'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const { port } = server.address() as AddressInfo;
    const host = `127.0.0.1:${port}`;
    for (const network of ['none', ['a.example']] as const) {
      const { model } = scripted([calls(call('task', { subagent_type: 's', description: 'go' }, 't1')), says('done')]);
      const sub = scripted([
        calls(call('execute', { command: `curl -sS --noproxy '' http://${host}/; true` }, 'c1')),
        says('done'),
      ]);
      const agent = createDeepAgent({
        model,
        backend: createLocalBackend({ root }),
        interruptOn: 'none',
        confine: { network: [host], always: true },
        subagents: [
          {
            name: 's',
            description: 'd',
            model: sub.model,
            policy: { version: 1, network, rule: [{ tools: 'execute', effect: 'allow' }] },
          },
        ],
      } as DeepAgentOptions);
      await agent.generate({
        prompt: 'go',
        onApprovalRequest: ({ toolName }: ApprovalRequest) => toolName !== 'network',
      } as never);
      expect(JSON.stringify(sub.prompts.at(-1))).not.toContain('of the server');
    }
    server.close();
  });
});

test.runIf(report.by === 'landlock')(
  'the executable that confines is protected where it may be written, and not used once it is changed',
  async () => {
    const { confineProgram } = await import('../../ts/native.js');
    const { confined } = await import('../../ts/confine/confine.js');
    const { checkProgram } = await import('../../ts/confine/program.js');
    const folder = join(confineProgram ?? '', '..');
    const made = confined(':', { cwd: join(folder, '..'), env: {}, settings: {}, place: 'test', status: null });
    expect((JSON.parse(made.args.slice(1).join('')) as { protect: string[] }).protect).toContain(folder);
    const elsewhere = confined(':', { cwd: root, env: {}, settings: {}, place: 'test', status: null });
    expect((JSON.parse(elsewhere.args.slice(1).join('')) as { protect: string[] }).protect).not.toContain(folder);
    expect(() => checkProgram()).not.toThrow();
  },
);
