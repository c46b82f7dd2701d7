/**
 * Nested runs at random, that are suspended, or lose their gate, at any event, and are continued each time by another process: no
 * call runs more often than it was approved, none that was approved is lost, nothing hangs, and no drift is reported.
 */
import { tool, type ToolSet } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentEvent, AgentRun, Gate } from '../../index.js';
import { listRuns, resume, streamWithEvents } from '../../ts/index.js';
import { pick, random, type Random } from '../policy/random.js';
import { effort } from '../support/effort.js';
import { call, calls, says, scripted, sleep, type ModelPart } from '../support/model.js';
import { of } from '../support/play.js';
import { RUN, stage } from './stage.js';

/** What each agent says, turn by turn; `main` is the main one. */
type Family = Map<string, ModelPart[][]>;

function familyOf(next: Random, name: string, depth: number, made: Family = new Map()): Family {
  const turns: ModelPart[][] = [];
  made.set(name, turns);
  for (let turn = 0; turn <= next() * 2; turn++) {
    const parts: ModelPart[] = [];
    for (let index = 0; index <= next() * 3; index++) {
      const id = `${name}.${turn}.${index}`;
      const toolName = pick(next, depth > 0 ? ['task', 'task', 'del', 'read'] : ['del', 'del', 'read']);
      if (toolName === 'task') familyOf(next, id, depth - 1, made);
      parts.push(call(toolName, toolName === 'task' ? { description: id } : { path: id }, id));
    }
    turns.push(calls(...parts));
  }
  turns.push(says(`${name} is done`));
  return made;
}

/** It says what comes next in the conversation that it is shown, in whichever process. */
const modelOf = (turns: ModelPart[][]) =>
  scripted(
    Array.from({ length: turns.length }, () => ({ prompt }: { prompt: unknown[] }) => {
      const said = (prompt as { role: string }[]).filter(({ role }) => role === 'assistant').length;
      return turns[said] as ModelPart[];
    }),
  ).model;

function toolsOf(next: Random, family: Family, ran: string[]): ToolSet {
  const path = z.object({ path: z.string() });
  const toolNamed = (name: string) =>
    tool({
      description: name,
      inputSchema: path,
      execute: async ({ path }) => {
        ran.push(path);
        for (let turn = 0; turn < next() * 4; turn++) await sleep(0);
        if (next() < 0.1) throw new Error('it broke');
        return path;
      },
    });
  const task: ToolSet[string] = Object.assign(
    tool({
      inputSchema: z.object({ description: z.string() }),
      execute: async ({ description }, options) => {
        const model = modelOf(family.get(description) as ModelPart[][]);
        const run = streamWithEvents({ model, prompt: description, tools, parent: options } as never);
        return (await run.result).text;
      },
    }),
    { [Symbol.for('countersign.task')]: true },
  );
  const tools: ToolSet = { del: toolNamed('del'), read: toolNamed('read'), task };
  return tools;
}

/** Answers what waits, in any order, until it is told to stop. */
async function answer(next: Random, gate: Gate, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const waiting = await gate.pending();
    if (waiting.length > 0 && next() < 0.6) {
      const { approvalId } = pick(next, waiting);
      await (next() < 0.75 ? gate.approve(approvalId) : gate.reject(approvalId, 'no'));
    }
    await sleep(0);
  }
}

const LIVES = 5;

async function live(seed: number, ends: readonly ('suspended' | 'closed')[]): Promise<void> {
  const next = random(seed);
  const family = familyOf(next, 'main', 2);
  const on = stage();
  const human = on.gate();
  const ran: string[] = [];
  const events: AgentEvent[] = [];
  let isOver = false;
  const answering = answer(next, human, () => isOver);
  let end: string | undefined;
  for (let life = 0; end !== 'done'; life++) {
    const gate = on.gate();
    const model = modelOf(family.get('main') as ModelPart[][]);
    const options = { model, tools: toolsOf(next, family, ran), interruptOn: { del: true }, gate, onError: () => {} };
    const isKept = (await listRuns(human)).some(({ runId }) => runId === RUN);
    const run = (
      isKept
        ? resume({ ...options, runId: RUN } as never)
        : streamWithEvents({ ...options, runId: RUN, prompt: 'go' } as never)
    ) as AgentRun;
    const [after, leaves] = life < LIVES ? [Math.floor(next() * 15), pick(next, ends)] : [Infinity, undefined];
    let left: Promise<void> | undefined;
    let seen = 0;
    for await (const event of run) {
      events.push(event);
      if (seen++ >= after) left ??= leaves === 'closed' ? gate.close() : run.suspend();
    }
    end = await run.result.then(
      () => 'done',
      (error: { name: string; code?: string }) => (error.name === 'AbortError' ? 'suspended' : error.code),
    );
    expect(left === undefined ? ['done'] : ['done', leaves === 'closed' ? 'ERR_GATE_CLOSED' : 'suspended']).toContain(
      end,
    );
    await left;
    await gate.close();
  }
  isOver = true;
  await answering;
  check(events, ran, await recordsOf(human), ends);
  expect(await human.pending()).toEqual([]);
  expect(new Set((await listRuns(human)).map(({ status }) => status))).toEqual(new Set(['done']));
}

const recordsOf = (gate: Gate) => gate.history({ limit: 1000 });

function check(
  events: readonly AgentEvent[],
  ran: readonly string[],
  records: Awaited<ReturnType<typeof recordsOf>>,
  ends: readonly string[],
): void {
  for (const { drift } of of(events)('run-resumed')) expect(drift).toEqual({ tools: [], prompt: false });
  const asked = records.filter(({ toolName }) => toolName !== 'del');
  expect(asked).toEqual([]);
  for (const { description } of records) expect(description).not.toContain('has changed');
  const paths = new Set(records.map(({ args }) => (args as { path: string }).path));
  for (const path of paths) {
    const approved = records.filter(
      ({ args, decision }) => decision?.type === 'approve' && (args as { path: string }).path === path,
    );
    // Each approval has started its call: once, and none is left over.
    expect.soft(ran.filter((each) => each === path).length, path).toBe(approved.length);
    for (const { status } of approved) expect(['succeeded', 'failed', 'interrupted']).toContain(status);
    // A tool is cut off in its middle by a gate that is closed alone.
    if (!ends.includes('closed')) expect.soft(approved.length, path).toBeLessThanOrEqual(1);
  }
}

it.each<[string, ('suspended' | 'closed')[]]>([
  ['suspended', ['suspended']],
  ['suspended, or left by their gate,', ['suspended', 'closed']],
])('nested runs that are %s at any event come to their end', async (_, ends) => {
  for (let seed = 0; seed < effort(10, 20); seed++) {
    await live(seed, ends).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
    });
  }
});
