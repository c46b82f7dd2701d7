/** The whole agent over real files and real commands: what a human was shown is what is written, and where. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DeepAgentOptions } from '../../agent.js';
import type { AgentEvent, ApprovalRequest } from '../../index.js';
import { createBackendTools, createDeepAgent, createLocalBackend } from '../../ts/agent/index.js';
import { createGate, gateTools } from '../../ts/index.js';
import { call, calls, collect, resultsIn, says, scripted, type ModelTurn } from '../support/model.js';
import { of, types } from '../support/play.js';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-agent-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(file(name), 'utf8');

interface Stage extends Partial<DeepAgentOptions> {
  /** What happens between the request and its answer. */
  meanwhile?: (request: ApprovalRequest) => void;
}

async function play(turns: ModelTurn[], { meanwhile = () => {}, ...options }: Stage = {}) {
  const { model, prompts } = scripted(turns);
  const agent = createDeepAgent({ model, backend: createLocalBackend({ root: folder }), ...options });
  const asked: ApprovalRequest[] = [];
  const onApprovalRequest = (request: ApprovalRequest) => {
    asked.push(request);
    meanwhile(request);
    return true;
  };
  const run = agent.streamWithEvents({ prompt: 'x', onApprovalRequest: onApprovalRequest as never });
  const events = (await collect(run)) as AgentEvent[];
  return { events, asked, results: resultsIn(prompts.at(-1)) as Record<string, { type: string; value: string }> };
}

const interruptOn = { write_file: true, edit_file: true, execute: true } as const;

test('each tool does its work', async () => {
  writeFileSync(file('a.txt'), 'one\ntwo\n');
  const { events, asked, results } = await play(
    [
      calls(
        call('ls', {}, 'ls'),
        call('read_file', { file_path: 'a.txt' }, 'read'),
        call('glob', { pattern: '*.txt' }, 'glob'),
        call('grep', { pattern: 'tw.' }, 'grep'),
      ),
      calls(call('write_file', { file_path: 'new/b.txt', content: 'b\n' }, 'write')),
      calls(call('edit_file', { file_path: 'a.txt', old_string: 'two', new_string: 'zwei' }, 'edit')),
      calls(call('execute', { command: 'cat new/b.txt; exit 3' }, 'execute')),
      says('Done.'),
    ],
    { interruptOn },
  );
  expect(Object.fromEntries(Object.entries(results).map(([id, { value }]) => [id, value]))).toEqual({
    ls: 'a.txt (8 bytes)',
    read: '     1\tone\n     2\ttwo',
    glob: 'a.txt',
    grep: 'a.txt:2: two\n[Lines: 1. Files: 1.]',
    write: 'Made new/b.txt: 2 bytes.',
    edit: 'Edited a.txt: one place.',
    execute: 'b\n[exit code 3]',
  });
  expect([read('a.txt'), read('new/b.txt')]).toEqual(['one\nzwei\n', 'b\n']);
  expect(asked.map(({ toolName, changes }) => [toolName, changes.map(({ path }) => path)])).toEqual([
    ['write_file', ['new/b.txt']],
    ['edit_file', ['a.txt']],
    ['execute', []],
  ]);
  const told = types(events).filter((type) => /^(ls|glob|grep|file-.*|execute-.*)$/.test(type));
  // The calls of one step run side by side.
  expect(told.slice(0, 4).toSorted()).toEqual(['file-read', 'glob', 'grep', 'ls']);
  expect(told.slice(4)).toEqual([
    'file-write-start',
    'file-written',
    'file-edited',
    'execute-start',
    'execute-output',
    'execute-finish',
  ]);
  expect(of(events)('execute-output').map(({ text }) => text)).toEqual(['b\n']);
});

describe('what changed after it was shown is not overwritten', () => {
  const write = call('write_file', { file_path: 'a.txt', content: 'mine' }, 'c1');

  test('it is shown again', async () => {
    writeFileSync(file('a.txt'), 'shown');
    const { asked } = await play([calls(write), says('Done.')], {
      interruptOn,
      meanwhile: () => {
        if (read('a.txt') === 'shown') writeFileSync(file('a.txt'), 'changed');
      },
    });
    expect(asked.map(({ changes }) => changes[0]?.diff.includes('changed'))).toEqual([false, true]);
    expect(read('a.txt')).toBe('mine');
  });

  // The loop has looked for the last time when the tool begins.
  test.each<[string, string | null]>([
    ['changed', 'shown'],
    ['made', null],
  ])('nor what is %s after the last look of the loop', async (_what, before) => {
    if (before !== null) writeFileSync(file('a.txt'), before);
    const backend = createLocalBackend({ root: folder });
    const late: typeof backend = {
      ...backend,
      writeFile: (...parts) => {
        writeFileSync(file('a.txt'), 'came last');
        return backend.writeFile(...parts);
      },
    };
    const { results } = await play([calls(write), says('Done.')], { backend: late, interruptOn });
    expect(read('a.txt')).toBe('came last');
    expect(results['c1']).toMatchObject({ type: 'error-text' });
    expect(results['c1']?.value).toContain('"a.txt": it is not what it was when the call was approved');
  });

  test('in tools that gateTools has wrapped neither', async () => {
    writeFileSync(file('a.txt'), 'shown');
    const backend = createLocalBackend({ root: folder });
    const late: typeof backend = {
      ...backend,
      writeFile: (...parts) => {
        writeFileSync(file('a.txt'), 'came last');
        return backend.writeFile(...parts);
      },
    };
    const gate = createGate({ ledger: 'memory:', place: { cwd: folder } });
    const tools = gateTools(createBackendTools({ backend: late }), {
      gate,
      interruptOn: ['write_file'],
      onApprovalRequest: () => true,
    });
    const input = { file_path: 'a.txt', content: 'mine' };
    const options = { toolCallId: 'c1', messages: [], context: undefined };
    await expect(Promise.resolve(tools.write_file.execute?.(input, options as never))).rejects.toMatchObject({
      code: 'ERR_FILE_CHANGED',
    });
    expect(read('a.txt')).toBe('came last');
  });
});

test('nothing outside the folder is read or written', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'countersign-outside-'));
  try {
    writeFileSync(join(outside, 'secret'), 'secret');
    symlinkSync(outside, file('link'));
    const { results } = await play([
      calls(
        call('read_file', { file_path: 'link/secret' }, 'read'),
        call('read_file', { file_path: join(outside, 'secret') }, 'absolute'),
        call('write_file', { file_path: 'link/secret', content: 'x' }, 'write'),
        call('edit_file', { file_path: '../x', old_string: 'a', new_string: 'b' }, 'edit'),
        call('ls', { path: '..' }, 'ls'),
        call('grep', { pattern: 'secret', path: 'link' }, 'grep'),
      ),
      says('Done.'),
    ]);
    expect(Object.values(results).map(({ type }) => type)).toEqual(Array.from({ length: 6 }, () => 'error-text'));
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
  } finally {
    rmSync(outside, { recursive: true });
  }
});

test('an abort ends the command', async () => {
  const { model } = scripted([calls(call('execute', { command: 'echo started; sleep 60' }, 'c1'))]);
  const agent = createDeepAgent({ model, backend: createLocalBackend({ root: folder }) });
  const abort = new AbortController();
  const run = agent.streamWithEvents({ prompt: 'x', abortSignal: abort.signal });
  const seen: string[] = [];
  for await (const { type } of run) {
    seen.push(type);
    if (type === 'execute-output') abort.abort(new Error('enough'));
  }
  expect(seen.at(-1)).toBe('abort');
  await expect(run.result).rejects.toThrow('enough');
});

test('a gate of the same folder by another path is the same place', async () => {
  symlinkSync(folder, `${folder}-link`);
  try {
    const gate = createGate({ ledger: 'memory:', place: { cwd: `${folder}-link` } });
    const { asked } = await play([calls(call('write_file', { file_path: 'a', content: 'x' }, 'c1')), says('Done.')], {
      gate,
      interruptOn,
    });
    expect(asked).toHaveLength(1);
    expect(read('a')).toBe('x');
  } finally {
    rmSync(`${folder}-link`);
  }
});

test('a run goes on in another process where it stood, its subagents included', async () => {
  const start = call('task', { description: 'write', subagent_type: 'general-purpose' }, 't1');
  const write = call('write_file', { file_path: 'a.txt', content: 'x' }, 'k1');
  const ledger = `sqlite:${file('ledger.db')}` as const;
  const open = () => createGate({ ledger, place: { cwd: folder } });
  const agentOf = (gate: ReturnType<typeof open>, turns: ModelTurn[]) =>
    createDeepAgent({
      model: scripted(turns).model,
      backend: createLocalBackend({ root: folder }),
      gate,
      interruptOn,
    });
  const first = open();
  const run = agentOf(first, [calls(start), calls(write)]).streamWithEvents({ prompt: 'x' });
  for (;;) {
    const { value, done } = await run.next();
    if (done === true) throw new Error('the run ended');
    if (value.type === 'approval-requested') break;
  }
  await run.suspend();
  await first.close();

  const second = open();
  const [waiting] = await second.pending();
  expect(waiting).toMatchObject({ toolName: 'write_file', origin: ['main', 'task:t1', 'general-purpose'] });
  await second.approve(waiting!.approvalId);
  const resumed = agentOf(second, [says('Written.'), says('Done.')]).resume({ runId: run.runId });
  const events = (await collect(resumed)) as AgentEvent[];
  await second.close();
  expect(read('a.txt')).toBe('x');
  expect(types(events)[0]).toBe('run-resumed');
  expect(types(events)).not.toContain('user-message');
  expect(of(events)('text-segment')).toEqual([{ type: 'text-segment', text: 'Done.' }]);
  expect(of(events)('subagent-finish')).toMatchObject([{ status: 'done', result: 'Written.' }]);
});
