/** What the commands print with `--json` is what the schemas in the package say, and no more. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator, type Schema } from '@cfworker/json-schema';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PAGES } from '../../ts/cli/manual.js';
import { createGate, gateTools } from '../../ts/index.js';
import { sendWebhooks } from '../../ts/webhooks/index.js';
import { scratch } from '../policy/support.js';
import { SECRET } from '../webhooks/receiver.js';
import { serve } from './chat-server.js';
import { cli, linesOf, quickly as countersign } from './command.js';

/** Schemas that something was printed of. */
const tried = new Set<string>();

const root = join(import.meta.dirname, '../..');
const NAMES = readdirSync(join(root, 'schemas')).map((file) => file.replace(/\.schema\.json$/, ''));
const schemaOf = (name: string): Schema =>
  JSON.parse(readFileSync(join(root, 'schemas', `${name}.schema.json`), 'utf8')) as Schema;

/** Names that a value has and its schema does not. `anyOf`: those of the alternative that fits. */
function unknownIn(value: unknown, schema: Schema, whole: Schema): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { $ref, anyOf, properties = {}, items } = schema as Schema & { items?: Schema };
  if ($ref !== undefined) return unknownIn(value, whole.$defs![$ref.split('/').at(-1)!] as Schema, whole);
  if (Array.isArray(value))
    return items === undefined ? [] : value.flatMap((each) => unknownIn(each, items as Schema, whole));
  const fitting = (anyOf ?? []).find((each) => isValid(value, { ...(each as Schema), $defs: whole.$defs! }));
  if (fitting !== undefined) return unknownIn(value, mergedWith(fitting as Schema, properties, whole), whole);
  if (Object.keys(properties).length === 0) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    Object.hasOwn(properties, name)
      ? unknownIn(each, properties[name] as Schema, whole).map((inner) => `${name}.${inner}`)
      : [name],
  );
}

const mergedWith = (schema: Schema, properties: Record<string, unknown>, whole: Schema): Schema => {
  const target = schema.$ref === undefined ? schema : (whole.$defs![schema.$ref.split('/').at(-1)!] as Schema);
  return { ...target, properties: { ...properties, ...target.properties } } as Schema;
};

const isValid = (value: unknown, schema: Schema): boolean =>
  // It writes into what it gets.
  new Validator(structuredClone(schema), '2020-12').validate(value).valid;

/** Of what was printed each line is as the schema says. */
function fits(name: string, text: string): void {
  tried.add(name);
  const schema = schemaOf(name);
  const lines = linesOf(text);
  expect(lines, name).not.toEqual([]);
  for (const line of lines) {
    const value = JSON.parse(line) as { schemaVersion: unknown };
    expect(value.schemaVersion, line).toBe(1);
    const { valid, errors } = new Validator(structuredClone(schema), '2020-12', false).validate(value);
    expect([valid, errors], line).toEqual([true, []]);
    // Events of runs have names of their own.
    if (name !== 'chat-event') expect(unknownIn(value, schema, schema), line).toEqual([]);
    expect(isValid({ ...value, schemaVersion: 2 }, schema), 'another version is another schema').toBe(false);
  }
}

/** A project with a policy that asks, a ledger and a gate on it, where calls wait. */
async function place() {
  const home = scratch();
  const project = join(home, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
  writeFileSync(join(project, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  const ledger = `sqlite:${join(home, 'ledger.db')}` as const;
  const gate = createGate({
    ledger,
    policyFiles: true,
    policy: { version: 1, rule: [{ effect: 'ask', commands: ['git push'], reason: 'it is seen by others' }] },
    place: { cwd: project, home },
  });
  onTestFinished(() => gate.close());
  await gate.ready();
  const inputSchema = { type: 'object' } as never;
  const execute: (args: { command: string }, options: object) => Promise<string> = async () => 'done';
  const tools = gateTools({ execute: { inputSchema, execute } }, { gate });
  /** @returns its id */
  const asks = async (toolCallId: string, command = 'git push'): Promise<string> => {
    void tools.execute.execute({ command }, { toolCallId, messages: [] }).catch(() => {});
    for (;;) {
      const id = (await gate.pending()).find((each) => each.toolCallId === toolCallId)?.approvalId;
      if (id !== undefined) return id;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), COUNTERSIGN_LEDGER: ledger, NO_COLOR: '1' };
  const run = async (...args: string[]) => (await countersign([...args, '--json'], { cwd: project, env })).stdout;
  return { gate, asks, env, run, project };
}

/** Its files are there until it has ended. */
const endsWithTest = (child: ChildProcess): void => {
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
};

describe('what is printed is what its schema says:', () => {
  test('requests, decisions, grants, the audit, the ledger', async () => {
    const { gate, asks, run, project } = await place();
    const [one, two, three, four, five, six] = [
      await asks('1'),
      await asks('2'),
      await asks('3'),
      await asks('4'),
      await asks('5'),
      await asks('6'),
    ];
    fits('request', await run('pending'));
    fits('request', await run('show', one));
    fits('decision', await run('approve', one, '--remember', '30d', '--yes'));
    fits('decision', await run('reject', two, '--stop', '--reason', 'no'));
    fits('decision', await run('edit', three, '--args', '{"command":"git status"}'));
    fits('decision', await run('respond', four, '--text', 'it is done'));
    fits('decision', await run('skip', five));
    // Already decided by somebody else; no such request.
    fits('decision', await run('approve', two));
    fits('decision', await run('approve', 'ffffffff'));
    fits('request', await run('history'));
    const grants = await run('grants');
    fits('grant', grants);
    fits('grant', await run('grants', 'revoke', (JSON.parse(grants) as { id: string }).id));
    fits('audit-entry', await run('audit', 'list'));
    fits('audit-report', await run('audit', 'verify'));
    fits('audit-head', await run('audit', 'head'));
    fits('audit-key', await run('audit', 'keygen', 'example.com/ledger', '-o', 'own.key'));
    fits('audit-head', await run('audit', 'head', '--sign', 'own.key'));
    writeFileSync(join(project, 'export.jsonl'), await run('audit', 'export'));
    fits('audit-report', await run('audit', 'verify', '--file', 'export.jsonl'));
    fits('ledger-info', await run('ledger', 'info'));
    fits('ledger-report', await run('ledger', 'verify'));
    fits('ledger-compaction', await run('ledger', 'compact'));
    expect((await gate.get(six))?.status).toBe('pending');
  });

  test('events', async () => {
    const { gate, asks, env, project } = await place();
    const id = await asks('1');
    const child = spawn(process.execPath, [cli, 'watch', '--json'], { cwd: project, env: { ...process.env, ...env } });
    endsWithTest(child);
    let text = '';
    for await (const chunk of child.stdout) {
      const before = text;
      text += String(chunk);
      if (before === '') await gate.approve(id, { by: 'mia' });
      if (text.includes('"settled"') && text.endsWith('\n')) break;
    }
    fits('event', text);
    expect(linesOf(text).map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
      'requested',
      'decided',
      'started',
      'settled',
    ]);
  });

  test('policies, and the machine', async () => {
    const { run, project } = await place();
    writeFileSync(join(project, 'log.jsonl'), '{"toolName":"execute","args":{"command":"rm x"},"effect":"allow"}\n');
    writeFileSync(
      join(project, 'broad.toml'),
      'version = 1\n[[rule]]\neffect = "allow"\ncommands = ["bash"]\n[[rule]]\neffect = "ask"\ncommands = ["git push"]\n',
    );
    for (const how of ['check', 'explain']) {
      for (const command of ['ls', 'git push; cat a > b; $X; curl https://example.com; bash'])
        fits('verdict', await run('policy', how, '-p', 'broad.toml', command));
    }
    fits('lint', await run('policy', 'lint', 'broad.toml'));
    fits('replay', await run('policy', 'replay', 'log.jsonl', '-p', 'preset:read-only'));
    fits('suggestion', await run('policy', 'suggest'));
    fits('doctor', await run('doctor'));
  });

  test('webhooks', async () => {
    const { gate, asks, run } = await place();
    let status = 410;
    const server = createServer((_, response) => response.writeHead(status).end()).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const logger = { warn: () => {}, error: () => {} };
    const slow = { firstDelay: 3_600_000, maxDelay: 3_600_000 };
    const sender = await sendWebhooks(gate, { endpoints: [{ name: 'hooks', url, secret: SECRET }], logger, ...slow });
    await asks('1');
    while (!(await run('webhooks')).includes('"dead","id"')) status = 410;
    status = 500;
    await asks('2');
    while (!(await run('webhooks')).includes('"waiting","endpoint"')) status = 500;
    fits('webhook', await run('webhooks'));
    await sender.close();
    fits('webhook', await run('webhooks', '--retry', 'all'));
  });

  test('the inbox, and the chat', async () => {
    const { env, project } = await place();
    const child = spawn(process.execPath, [cli, 'inbox', '--json'], { cwd: project, env: { ...process.env, ...env } });
    endsWithTest(child);
    for await (const chunk of child.stdout) {
      fits('inbox-link', String(chunk));
      break;
    }
    const server = await serve([{ calls: [['write_file', { file_path: 'a.txt', content: 'a' }]] }, 'Done.']);
    const args = ['--model', 'scripted', '--base-url', server.url, '--auto', '--json', '--prompt', 'go'];
    fits('chat-event', (await countersign(args, { cwd: project, env: { ...env, COUNTERSIGN_API_KEY: 'key' } })).stdout);
  });
});

test('runs', async () => {
  const { env, project, run } = await place();
  const server = await serve(['Done.']);
  const args = ['--model', 'scripted', '--base-url', server.url, '--prompt', 'go', '-l', env.COUNTERSIGN_LEDGER];
  await countersign(args, { cwd: project, env: { ...env, COUNTERSIGN_API_KEY: 'key' } });
  fits('run', await run('runs', '--all'));
});

test('each schema was tried, and each command with --json is told to have one', () => {
  expect([...tried].toSorted()).toEqual(NAMES.toSorted());
  const document = readFileSync(join(root, 'docs/commands-ledger.md'), 'utf8').split('## JSON')[1]!.split('\n## ')[0]!;
  expect([...document.matchAll(/`([a-z-]+)`(?=[^|]*\|[^|]*\|$)/gm)].map(([, name]) => name).toSorted()).toEqual(
    NAMES.toSorted(),
  );
  for (const { name } of PAGES.filter(({ options }) => options.some((option) => option.name === '--json')))
    expect(document).toContain(`\`${name}\``);
});
