/** A run that is left by one gate and continued by another on the same ledger, as two processes would. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AgentEvent, AgentRun, ApprovalRequest, Gate, GateOptions } from '../../index.js';
import { localGate } from '../../ts/gate/gate.js';
import { createGate, resume, streamWithEvents } from '../../ts/index.js';
import { ledgerIn } from '../support/ledger.js';
import { collect, scripted, sleep, type ModelTurn, type ScriptedModel } from '../support/model.js';
import { of } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { withoutUndefined } from '../../ts/values/without-undefined.js';

export interface Stage {
  gate(more?: GateOptions): Gate;
  /** What the tools ran, over all gates. */
  ran: string[];
  /** The tools of one process. */
  tools(): ReturnType<typeof recordingTools>['tools'];
}

export function stage(): Stage {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-resume-'));
  const ledger = ledgerIn(folder);
  const gates: Gate[] = [];
  onTestFinished(async () => {
    for (const gate of gates) await gate.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const ran: string[] = [];
  return {
    ran,
    tools: () => recordingTools(ran).tools,
    gate(more) {
      const gate = createGate({ ledger, ...more });
      gates.push(gate);
      return gate;
    },
  };
}

export type More = { [option: string]: unknown };

export const RUN = 'the-run';

/** Runs until this many requests wait and calls have a result. Then the process is gone, as far as possible without a kill. */
export async function askThenLeave(
  on: Stage,
  turns: ModelTurn[],
  requests: number,
  { results = 0, ...more }: More & { results?: number } = {},
): Promise<{ waiting: ApprovalRequest[]; events: AgentEvent[] }> {
  const gate = on.gate();
  const { model } = scripted(turns);
  const run = streamWithEvents(
    withoutUndefined({
      model,
      messages: [{ role: 'user', content: 'go' }],
      tools: on.tools(),
      interruptOn: { del: true },
      gate,
      runId: RUN,
      ...more,
    }) as never,
  ) as AgentRun;
  const events: AgentEvent[] = [];
  while (of(events)('approval-requested').length < requests || of(events)('tool-result').length < results) {
    const { value, done } = await run.next();
    if (done === true)
      throw new Error(
        `the run ended: ${JSON.stringify(events).slice(-900)} ${String((events.findLast((e) => e.type === 'error') as { error?: unknown })?.error)}`,
      );
    events.push(value);
  }
  // A result without an approval is kept a moment after it is told.
  const isKept = async () =>
    (JSON.stringify((await localGate(gate, 'stage').runs.run(RUN))?.entries).match(/"tool-result"/g)?.length ?? 0) >=
    results;
  while (!(await isKept())) await sleep(1);
  const waiting = await gate.pending();
  await gate.close();
  for await (const event of run) events.push(event);
  return { waiting, events };
}

/** A life that asks about the call once more, and is not answered by its own callback. */
export const askUnanswered = (
  on: Stage,
  gate: Gate,
  onApprovalRequest: (request: ApprovalRequest) => Promise<never> = () => new Promise<never>(() => {}),
): AgentRun =>
  resume({
    model: scripted([]).model,
    tools: on.tools(),
    interruptOn: { del: true },
    runId: RUN,
    gate,
    onApprovalRequest,
  } as never);

export interface Continued {
  run: AgentRun;
  events: AgentEvent[];
  prompts: ScriptedModel['prompts'];
  of: ReturnType<typeof of>;
}

/** Continues the run to its end. `gate`: the one to use. */
export async function goOn(on: Stage, turns: ModelTurn[], more: More & { gate?: Gate } = {}): Promise<Continued> {
  const { model, prompts } = scripted(turns);
  const run = resume({
    model,
    tools: on.tools(),
    interruptOn: { del: true },
    runId: RUN,
    ...more,
    gate: more.gate ?? on.gate(),
  } as never) as AgentRun;
  const events = await collect(run);
  return { run, events, prompts, of: of(events) };
}
