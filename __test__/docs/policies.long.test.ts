/**
 * Every policy of the documentation is read and tried:
 *
 * - `toml` and `jsonc` are whole policies; `toml part` is one without its `version`. Each must be read, and lint must have no
 *   warning about it, unless `warns` stands behind it: then it must have one
 * - `toml refused` must not be read, and the `text output` that follows is what is said about it
 * - `text verdicts` is what the policy before it says: on each line an effect and a command line for the tool `execute`, or a
 *   tool and its arguments as JSON. The place is `/project`, the home `/home/user`, and no file exists there
 * - `sh run` is run beside the policy before it, which is the file `policy.toml`; `text output` is what it prints
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPolicy, lintPolicy, parsePolicy, type Policy, type PolicyError } from 'countersign';
import { afterAll, describe, expect, test } from 'vitest';
import { exec } from '../runtimes.js';
import { blocks, type Block } from './blocks.js';

const root = join(import.meta.dirname, '../..');
const place = { cwd: '/project', project: '/project', home: '/home/user' };

const KINDS = /^(toml|toml part|toml warns|jsonc)$/;
const textOf = ({ kind, code }: Block) => (kind === 'toml part' ? `version = 1\n\n${code}` : code);
const read = (block: Block): Policy =>
  parsePolicy(textOf(block), { name: block.kind === 'jsonc' ? 'policy.jsonc' : 'policy.toml' });

const policies = blocks.filter(({ kind }) => KINDS.test(kind));
const refused = blocks.filter(({ kind }) => kind === 'toml refused');

/** The policy that stands before a block, in the same document. */
function before(block: Block): Block {
  const document = block.place.split(':')[0];
  const policy = blocks
    .slice(0, blocks.indexOf(block))
    .findLast((each) => each.place.split(':')[0] === document && KINDS.test(each.kind));
  if (policy === undefined) throw new Error(`${block.place}: no policy before it`);
  return policy;
}

test('there are policies', () => {
  expect(policies.length).toBeGreaterThan(20);
  expect(verdicts.length).toBeGreaterThan(100);
  expect(refused.length).toBeGreaterThan(0);
});

test.each(policies)('$place is a policy', (block) => {
  const warnings = lintPolicy(read(block)).filter(({ severity }) => severity !== 'info');
  if (block.kind === 'toml warns') expect(warnings).not.toEqual([]);
  else expect(warnings).toEqual([]);
});

test.each(refused)('$place is refused', (block) => {
  let said = '';
  try {
    read(block);
  } catch (error) {
    said = (error as PolicyError).problems.map(({ code, message }) => `${code}: ${message}\n`).join('');
  }
  expect(said).not.toBe('');
  expect(said).toBe(block.output ?? said);
});

const verdicts = blocks
  .filter(({ kind }) => kind === 'text verdicts')
  .flatMap((block) =>
    block.code.split('\n').flatMap((text, index) => {
      if (text.trim() === '') return [];
      const [, effect = '', tool, args, command = ''] =
        /^(allow|ask|deny) +(?:([\w.:/-]+) (\{.*\})|(.*))$/.exec(text) ?? [];
      const [document, line = '0'] = block.place.split(':');
      return [{ at: `${document}:${Number(line) + index}`, text, block, effect, tool, args, command }];
    }),
  );

test.each(verdicts)('$at: $text', async ({ block, effect, tool = 'execute', args, command }) => {
  expect(effect).not.toBe('');
  const call = { toolName: tool, args: args === undefined ? { command } : (JSON.parse(args) as unknown) };
  const verdict = await checkPolicy(read(before(block)), call, place);
  expect(`${verdict.effect}: ${verdict.reason}`).toMatch(new RegExp(`^${effect}: `));
});

// A POSIX shell is needed to run them.
describe.skipIf(process.platform === 'win32')('commands', () => {
  const commands = blocks.filter(({ kind }) => kind === 'sh run');
  const folder = mkdtempSync(join(tmpdir(), 'countersign-docs-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

  // `npx countersign` is this very package.
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const npx = join(bin, 'npx');
  writeFileSync(npx, `#!/bin/sh\nshift\nexec '${process.execPath}' '${join(root, 'dist/cli.js')}' "$@"\n`);
  chmodSync(npx, 0o755);

  test.each(commands)('$place', async (block) => {
    const cwd = join(folder, block.name);
    const home = join(folder, `${block.name}.home`);
    for (const made of [cwd, home]) mkdirSync(made, { recursive: true });
    writeFileSync(join(cwd, 'policy.toml'), textOf(before(block)));
    const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home, XDG_CONFIG_HOME: home };
    const done = await exec('/bin/sh', ['-c', block.code], { cwd, env });
    expect(`${done.stdout}${done.stderr}`).toBe(block.output ?? '');
    expect(done.code).toBe(0);
  });
});
