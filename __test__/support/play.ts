/** A whole run of a scripted model, and everything there is to see of it afterwards. */
import type { AgentEvent, AgentRun, ApprovalRequest, Gate, RunOptions } from '../../index.js';
import type { ModelMessage, ToolSet } from 'ai';
import { streamWithEvents } from '../../ts/index.js';
import { collect, scripted, sleep, type ModelTurn, type ScriptedModel } from './model.js';

/** Options of a run; what `streamText` takes beside them goes through untyped, since it differs between the versions. */
export type PlayOptions = RunOptions<ToolSet> & { turns: ModelTurn[]; [streamTextOption: string]: unknown };

export interface Played {
  run: AgentRun;
  events: AgentEvent[];
  prompts: ScriptedModel['prompts'];
  of: <TYPE extends AgentEvent['type']>(type: TYPE) => Extract<AgentEvent, { type: TYPE }>[];
}

/** Starts a run without reading it. */
export function start({ turns, ...options }: PlayOptions): { run: AgentRun; prompts: ScriptedModel['prompts'] } {
  const { model, prompts } = scripted(turns);
  const messages: ModelMessage[] = [{ role: 'user', content: 'go' }];
  return { run: streamWithEvents({ model, messages, ...options } as never), prompts };
}

/** Runs to the end. */
export async function play(options: PlayOptions): Promise<Played> {
  const { run, prompts } = start(options);
  const events = await collect(run);
  return { run, events, prompts, of: of(events) };
}

export const types = (events: readonly { type: string }[]): string[] => events.map(({ type }) => type);

/** The events of one type. */
export const of =
  (events: readonly AgentEvent[]) =>
  <TYPE extends AgentEvent['type']>(type: TYPE): Extract<AgentEvent, { type: TYPE }>[] =>
    events.filter((event): event is Extract<AgentEvent, { type: TYPE }> => event.type === type);

/** The requests that wait at a gate, once there are `count`. */
export async function waiting(gate: Gate, count = 1): Promise<ApprovalRequest[]> {
  for (;;) {
    const requests = await gate.pending();
    if (requests.length >= count) return requests;
    await sleep(2);
  }
}

/** Reads until an event of this type came; the run goes on waiting. */
export async function until<TYPE extends AgentEvent['type']>(
  run: AgentRun,
  type: TYPE,
): Promise<Extract<AgentEvent, { type: TYPE }>> {
  for (;;) {
    const { value, done } = await run.next();
    if (done === true) throw new Error(`the run ended without ${type}`);
    if (value.type === type) return value as Extract<AgentEvent, { type: TYPE }>;
  }
}
