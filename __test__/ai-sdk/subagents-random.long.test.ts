/**
 * Families of agents at random, whose humans answer in any order, and that are left, aborted, suspended or lose their gate at
 * any moment: what holds whatever happens.
 */
import { tool, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentEvent, AgentRun, ApprovalAnswer, Gate } from '../../index.js';
import { createGate, streamWithEvents } from '../../ts/index.js';
import { pick, random, type Random } from '../policy/random.js';
import { effort } from '../support/effort.js';
import { call, calls, says, scripted, sleep, type ModelPart } from '../support/model.js';
import { isDurable } from '../support/ledger.js';

const ENDS = ['to its end', 'aborted', 'left', 'the gate is closed', ...(isDurable ? ['suspended'] : [])] as const;
type End = (typeof ENDS)[number];

/** What happened, as everybody saw it. */
interface Seen {
  events: AgentEvent[];
  started: string[];
  /** Of those, how many when it was left. */
  startedBefore: number | undefined;
  pending: number;
}

/** A family whose agents make up to `width` calls in each step, and are nested up to `most` levels deep. */
function family(next: Random, width: number, most: number, onStart: (path: string) => void) {
  let ids = 0;
  const turnsOf = (depth: number): ModelPart[][] => [
    ...Array.from({ length: 1 + Math.floor(next() * (depth === 0 ? 1 : 2)) }, () =>
      calls(
        ...Array.from({ length: 1 + Math.floor(next() * width) }, () => {
          const id = `c${ids++}`;
          const name = pick(next, depth < most ? ['task', 'task', 'del', 'read', 'slow'] : ['del', 'read', 'slow']);
          return call(name, name === 'task' ? { description: 'x', depth: depth + 1 } : { path: `/${id}` }, id);
        }),
      ),
    ),
    says(`the end of ${depth}`),
  ];
  const path = z.object({ path: z.string() });
  const toolOf = (wait: number) =>
    tool({
      inputSchema: path,
      execute: async ({ path }) => {
        onStart(path);
        for (let turn = 0; turn < wait; turn++) await sleep(0);
        return path;
      },
    });
  const tools: ToolSet = {
    del: toolOf(0),
    read: toolOf(0),
    slow: toolOf(3),
    task: tool({
      inputSchema: z.object({ description: z.string(), depth: z.number() }),
      execute: async ({ description, depth }, options) => {
        const { model } = scripted(turnsOf(depth));
        return (await streamWithEvents({ model, prompt: description, tools, parent: options } as never).result).text;
      },
    }),
  };
  return { tools, model: scripted(turnsOf(0)).model };
}

const ANSWERS: readonly Exclude<ApprovalAnswer, 'pass'>[] = [
  true,
  true,
  false,
  { type: 'edit', args: { path: '/edited' } },
  { type: 'respond', output: 'instead' },
  { type: 'skip' },
  { type: 'reject', stop: true },
];

/** Answers what waits, in any order, one at a time. */
async function human(next: Random, gate: Gate, isOver: () => boolean, answers = ANSWERS): Promise<void> {
  while (!isOver()) {
    const waiting = await gate.pending().catch(() => []);
    if (waiting.length > 0 && next() < 0.7)
      await gate.decide(pick(next, waiting).approvalId, pick(next, answers)).catch(() => {});
    await sleep(0);
  }
}

async function live(seed: number, end: End, width: number, most: number): Promise<Seen> {
  const next = random(seed);
  const started: string[] = [];
  let startedBefore: number | undefined;
  const { tools, model } = family(next, width, most, (path) => started.push(path));
  const gate = createGate();
  const leaving = new AbortController();
  const run: AgentRun = streamWithEvents({
    model,
    tools,
    prompt: 'go',
    gate,
    interruptOn: { del: true, slow: true, task: next() < 0.3 },
    abortSignal: leaving.signal,
  } as never);
  const after = Math.floor(next() * 20 * width);
  const events: AgentEvent[] = [];
  let isOver = false;
  const leave = async () => {
    startedBefore = started.length;
    if (end === 'aborted') leaving.abort(new Error('enough'));
    else if (end === 'left') await run.return();
    else if (end === 'suspended') await run.suspend();
    else if (end === 'the gate is closed') await gate.close();
  };
  const deciding = human(next, gate, () => isOver, end === 'to its end' ? ANSWERS.slice(0, -1) : ANSWERS);
  let left: Promise<void> | undefined;
  for await (const event of run) {
    events.push(event);
    if (events.length > after && end !== 'to its end') left ??= leave();
    if (next() < 0.2) await sleep(0);
  }
  await left;
  isOver = true;
  await deciding;
  await run.result.catch(() => {});
  // What is aborted may take a moment to be told of, and must not start anything meanwhile.
  for (let turn = 0; turn < 5; turn++) await sleep(0);
  const pending = end === 'the gate is closed' ? 0 : (await gate.pending()).length;
  await gate.close();
  return { events, started, startedBefore: left === undefined ? undefined : startedBefore, pending };
}

function check(end: End, { events, started, startedBefore, pending }: Seen): void {
  const last = events.at(-1)?.type;
  const isLeft = startedBefore !== undefined && (end === 'left' || end === 'suspended');
  if (!isLeft) expect(['done', 'abort', 'error']).toContain(last);
  if (startedBefore !== undefined && end === 'aborted') expect(['abort', 'done']).toContain(last);
  expect(events.filter(({ type }) => type === 'done' || type === 'abort').length).toBeLessThanOrEqual(1);
  const asked = events.filter(({ type }) => type === 'approval-requested') as never as Told[];
  const answered = events.filter(({ type }) => type === 'approval-response') as never as Told[];
  const told = (each: Told[]) =>
    each.map(({ approvalId, toolCallId, origin }) => [approvalId, toolCallId, ...origin].join(' ')).toSorted();
  if (end === 'to its end' || end === 'aborted') {
    expect(told(answered)).toEqual(told(asked));
    const ids = (type: string) =>
      events
        .filter((event) => event.type === type)
        .map((event) => (event as never as Told).origin.join('>'))
        .toSorted();
    expect(ids('subagent-finish')).toEqual(ids('subagent-start'));
  }
  if (end === 'aborted' && startedBefore !== undefined) expect(started.length).toBe(startedBefore);
  if (end === 'left' && startedBefore !== undefined) expect(started.length).toBe(startedBefore);
  if (end !== 'suspended' || startedBefore === undefined) expect(pending).toBe(0);
  expect(new Set(started.filter((path) => path !== '/edited')).size).toBe(
    started.filter((path) => path !== '/edited').length,
  );
}

type Told = { type: string; approvalId: string; toolCallId: string; origin: readonly string[] };

async function holds(seed: number, end: End, width: number, most: number): Promise<void> {
  const seen = await Promise.race([live(seed, end, width, most), sleep(500_000).then(() => undefined)]);
  if (seen === undefined) throw new Error(`seed ${seed} hangs`);
  try {
    check(end, seen);
  } catch (error) {
    const told = (seen.events as unknown as Told[]).map(
      ({ type, toolCallId, origin }) => `${type} ${toolCallId} ${origin}`,
    );
    throw new Error(`seed ${seed}: ${(error as Error).message}\n${told.join('\n')}`, { cause: error });
  }
}

const SEEDS = Number(process.env['COUNTERSIGN_SEEDS'] ?? effort(3, 25));

describe.each(ENDS)('a family that is %s', (end) => {
  it('keeps every promise, whatever happens when', async () => {
    for (let seed = 0; seed < SEEDS; seed++) await holds(seed, end, 3, 2);
  });

  it('and so do twenty at once', async () => {
    for (let seed = 1000; seed < 1000 + SEEDS / 5; seed++) await holds(seed, end, 20, 1);
  });
});
