/**
 * The README's quickstart to the letter, in a folder as a stranger has it: on a terminal with one call and with several at once, on
 * pipes, without anybody who could answer, and with everything that goes wrong on a first run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makeSandbox, type Sandbox } from '../lifecycle/sandbox.js';
import { environment, exec, PATIENTLY, runtimes, type Finished, type Runtime } from '../runtimes.js';
import { isThorough } from '../support/effort.js';
import { linkIn } from '../support/installed.js';
import { Terminal } from '../terminal/terminal.js';
import { blocks } from './blocks.js';

const root = join(import.meta.dirname, '../..');

/** Given by its name, as in the quickstart: a model that deletes several files at once, and then says what came of it. */
const MODEL = `
import * as ai from 'ai';
import * as test from 'ai/test';

const Model = test.MockLanguageModelV4 ?? test.MockLanguageModelV3;
const usage = { inputTokens: { total: 1, noCache: 1 }, outputTokens: { total: 1, text: 1 } };
const doStream = async ({ prompt }) => {
  const results = prompt.filter(({ role }) => role === 'tool').flatMap(({ content }) => content);
  // A model takes its time: what was typed or piped meanwhile must not get lost.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const said = results.length > 0 && process.env.REASON === undefined;
  const parts = said
    ? [
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: JSON.stringify(results.map(({ output }) => output)) },
        { type: 'text-end', id: '1' },
      ]
    : Array.from({ length: Number(process.env.CALLS) }, (_, n) => ({
        type: 'tool-call',
        toolCallId: 'c' + n + '-' + prompt.length,
        toolName: 'delete_file',
        input: JSON.stringify({ path: n + '.txt' }),
      }));
  const reason = said ? 'stop' : (process.env.REASON ?? 'tool-calls');
  const finish = { type: 'finish', finishReason: { unified: reason, raw: reason }, usage };
  const chunks = [{ type: 'stream-start', warnings: [] }, ...parts, finish];
  return { stream: ai.simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
};
globalThis.AI_SDK_DEFAULT_PROVIDER = { languageModel: () => new Model({ doStream }) };
`;

/** A real provider, which was made for AI SDK 7, whose server is not there. */
const DOWN = `
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';

globalThis.AI_SDK_DEFAULT_PROVIDER = createOpenAICompatible({ name: 'down', baseURL: 'http://127.0.0.1:9/v1' });
`;

const [quickstart] = blocks.filter(({ kind }) => kind === 'ts run');

type Program = Pick<Runtime, 'name' | 'kind' | 'path'>;
const programs: Program[] = isThorough ? runtimes() : [{ name: 'this Node', kind: 'node', path: process.execPath }];
// A pseudo-terminal of node-pty is one of Unix here.
const isUnix = process.platform !== 'win32';

describe.each(isThorough ? (['ai7', 'ai6'] as const) : (['ai7'] as const))('%s', (ai) => {
  let sandbox: Sandbox;
  beforeAll(() => {
    sandbox = makeSandbox(ai);
    writeFileSync(join(sandbox.folder, 'delete.mjs'), quickstart!.code);
    writeFileSync(join(sandbox.folder, 'model.mjs'), MODEL);
    writeFileSync(join(sandbox.folder, 'down.mjs'), DOWN);
    for (const name of ['zod', '@ai-sdk']) linkIn(sandbox.folder, name);
  });
  afterAll(() => sandbox.remove());

  // What runtimes differ in does not hang on the version of the AI SDK: the older one is tried on the first and the last of them.
  const some = programs.filter((_, index) => ai === 'ai7' || index === 0 || index === programs.length - 1);

  describe.each(some)('$name', ({ kind, path }) => {
    const args = (preload: string | undefined): string[] => {
      const flags = preload === undefined ? [] : [kind === 'bun' ? '--preload' : '--import', `./${preload}.mjs`];
      return [...flags, 'delete.mjs'];
    };
    const env = (calls: number): Record<string, string> => ({
      ...environment({ AI_GATEWAY_API_KEY: undefined, VERCEL_OIDC_TOKEN: undefined }),
      CALLS: String(calls),
    });
    const onTerminal = (calls: number): Terminal => {
      const terminal = new Terminal(path, args('model'), { cwd: sandbox.folder, rows: 60, env: env(calls) });
      onTestFinished(() => terminal.close());
      return terminal;
    };
    const prompts = ({ raw }: Terminal): number => raw.split('Run it?').length - 1;
    /** Twice: what is deleted may not come back. */
    const approve = async (terminal: Terminal): Promise<void> => {
      const before = prompts(terminal);
      terminal.write('y\r');
      await expect.poll(() => prompts(terminal), PATIENTLY).toBe(before + 1);
      terminal.write('y\r');
    };
    const piped = (calls: number, input: string): Promise<Finished> =>
      exec(path, args('model'), { cwd: sandbox.folder, env: env(calls), input });

    test.runIf(isUnix).each(isThorough ? [1, 2, 5] : [5])(
      '%i calls in one step, on a terminal: each is asked about and runs',
      async (calls) => {
        const terminal = onTerminal(calls);
        for (let asked = 1; asked <= calls; asked++) {
          await expect.poll(() => prompts(terminal), PATIENTLY).toBe(2 * asked - 1);
          expect(terminal.raw).toContain(`│ path: ${asked - 1}.txt`);
          await approve(terminal);
        }
        await terminal.ended();
        for (let n = 0; n < calls; n++) expect(terminal.raw).toContain(`deleted ${n}.txt`);
        expect([terminal.code, prompts(terminal)]).toEqual([0, 2 * calls]);
      },
    );

    test.runIf(isUnix)('Ctrl+C at the question: nothing runs, and it ends', async () => {
      const terminal = onTerminal(2);
      await expect.poll(() => prompts(terminal), PATIENTLY).toBe(1);
      terminal.write('\u0003');
      await terminal.ended();
      expect(terminal.code).toBe(1);
      expect(terminal.raw).not.toContain('deleted');
      // One sentence, and no stack.
      expect(terminal.raw).toContain('You stopped the run (Ctrl+C).');
      expect(terminal.raw).not.toMatch(/DOMException|\n\s+at /);
      expect(prompts(terminal)).toBe(1);
    });

    test.runIf(isUnix)('what was typed before the question was there decides nothing', async () => {
      const terminal = onTerminal(2);
      terminal.write('y\ry\ry\r');
      await expect.poll(() => prompts(terminal), PATIENTLY).toBe(1);
      terminal.write('no, keep it\r');
      await expect.poll(() => prompts(terminal), PATIENTLY).toBe(2);
      terminal.write('not this one\r');
      await terminal.ended();
      expect(terminal.raw).not.toContain('deleted');
      expect(terminal.raw).toContain('not this one');
    });

    test('piped lines answer one call each, however early they come', async () => {
      const { code, stdout, stderr } = await piped(3, 'YES\nbecause\nok\n');
      expect(stderr).toContain('│ path: 2.txt');
      for (const said of ['deleted 0.txt', 'because', 'deleted 2.txt']) expect(stdout).toContain(said);
      expect(stdout).not.toContain('deleted 1.txt');
      expect(code).toBe(0);
    });

    test.runIf(isThorough)(
      'too few piped lines: the rest does not run, the developer is told, and it fails',
      async () => {
        const { code, stdout, stderr } = await piped(2, 'y\n');
        expect(stdout).toContain('deleted 0.txt');
        expect(stdout).not.toContain('deleted 1.txt');
        expect(stdout).toContain('Asking the human failed');
        expect(stderr).toMatch(
          /onApprovalRequest: delete_file did not run: the callback failed: the input has ended, and nobody can answer/,
        );
        expect(code).toBe(1);
      },
    );

    test.runIf(isThorough)('with stdin closed: nothing runs, the developer is told, and it fails', async () => {
      const child = spawn(path, args('model'), { cwd: sandbox.folder, env: env(2), stdio: ['ignore', 'pipe', 'pipe'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      let [stdout, stderr] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      const [code] = (await once(child, 'close')) as [number | null];
      expect(stdout).toContain('Asking the human failed');
      expect(stdout).not.toContain('deleted');
      expect(stderr).toContain('the input has ended, and nobody can answer');
      expect(code).toBe(1);
    });

    test.runIf(isThorough)(
      'a turn that the model did not finish: nobody is asked, and the developer is told',
      async () => {
        const { stdout, stderr } = await exec(path, args('model'), {
          cwd: sandbox.folder,
          env: { ...env(1), REASON: 'length' },
          input: 'y\n',
        });
        expect(stdout).not.toContain('deleted');
        expect(stderr).not.toContain('Run it?');
        expect(stderr).toMatch(/incomplete \(length\).*"delete_file" did not run, and nobody was asked/);
      },
    );

    test.runIf(isThorough)(
      "a piped edit that does not fit is a no, told, and the next line is the next call's",
      async () => {
        const { code, stdout, stderr } = await piped(2, 'e {"path":5}\ny\n');
        expect(stderr).toContain('Not accepted, so it counts as a no');
        expect(stderr).toContain('The edited arguments do not fit the schema of delete_file');
        expect(stdout).not.toContain('deleted 0.txt');
        expect(stdout).toContain('deleted 1.txt');
        expect(code).toBe(0);
      },
    );

    // A shell with jobs, as people have it.
    const inShell = (line: string): Terminal => {
      const shell = ['--norc', '--noprofile', '-i'];
      const terminal = new Terminal('bash', shell, { cwd: sandbox.folder, rows: 60, env: { ...env(1), PS1: '$ ' } });
      onTestFinished(() => terminal.close());
      terminal.write(`${line}\r`);
      return terminal;
    };
    const command = [path, ...args('model')].map((word) => `'${word}'`).join(' ');

    test.runIf(isUnix && isThorough)('Ctrl+Z and fg at the question: it goes on where it was', async () => {
      const terminal = inShell(`${command}; echo "ended: $?"`);
      await expect.poll(() => prompts(terminal), PATIENTLY).toBe(1);
      terminal.write('\u001a');
      await expect.poll(() => terminal.raw, PATIENTLY).toContain('Stopped');
      terminal.write('fg\r');
      await expect.poll(() => prompts(terminal), PATIENTLY).toBeGreaterThan(1);
      await approve(terminal);
      await expect.poll(() => terminal.raw, PATIENTLY).toContain('deleted 0.txt');
    });

    test.runIf(isUnix && isThorough)('Ctrl+C after Ctrl+Z and fg ends it', async () => {
      const terminal = inShell(command);
      await expect.poll(() => prompts(terminal), PATIENTLY).toBe(1);
      terminal.write('\u001a');
      await expect.poll(() => terminal.raw, PATIENTLY).toContain('Stopped');
      terminal.write('fg; echo "ended: $?"\r');
      await expect.poll(() => prompts(terminal), PATIENTLY).toBeGreaterThan(1);
      terminal.write('\u0003');
      await expect.poll(() => terminal.raw, PATIENTLY).toMatch(/ended: [1-9]/);
      expect(terminal.raw).not.toContain('deleted');
    });

    test.runIf(isUnix && isThorough)('with its output redirected the question is on the terminal', async () => {
      const terminal = inShell(`${command} 2> err.log > out.log; cat out.log`);
      await expect.poll(() => prompts(terminal), PATIENTLY).toBe(1);
      expect(terminal.raw).toContain('│ path: 0.txt');
      await approve(terminal);
      await expect.poll(() => terminal.raw, PATIENTLY).toContain('deleted 0.txt');
      expect(readFileSync(join(sandbox.folder, 'err.log'), 'utf8')).not.toContain('Run it?');
    });

    test('without a key: the cause and its cure, once, and it fails', async () => {
      const { code, stdout, stderr } = await exec(path, args(undefined), { cwd: sandbox.folder, env: env(1) });
      expect(stderr).toContain('AI_GATEWAY_API_KEY');
      expect(stderr.split('GatewayAuthenticationError: AI Gateway').length - 1).toBeLessThanOrEqual(1);
      expect([code, stdout]).toEqual([1, '']);
    });

    test.runIf(isThorough)(
      'with the server down, or a provider of another version: the cause, and it fails',
      async () => {
        const { code, stderr } = await exec(path, args('down'), { cwd: sandbox.folder, env: env(1) });
        expect(stderr).toMatch(ai === 'ai7' ? /Cannot connect|ECONNREFUSED|Unable to connect/i : /version/i);
        expect(code).toBe(1);
      },
    );
  });
});

test('it is the first of the README, and short', () => {
  expect(quickstart?.place).toMatch(/^README\.md:/);
  expect(quickstart?.code.trimEnd().split('\n').length).toBeLessThanOrEqual(15);
});

test('the README says how to run it, and with which key', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  expect(readme).toContain('AI_GATEWAY_API_KEY=… node delete.mjs');
});
