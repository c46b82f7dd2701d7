/** What a person who decides is told of the run that asks: whether it goes on, what it was given to do, and what it did last. */
import type { ApprovalRecord } from '../../../index.js';
import { callInALine, oneLine } from '../../gate/in-a-line.js';
import { mainRunOf } from '../../gate/run-ids.js';
import type { NativeSavedRun } from '../../native.js';
import { isRecord } from '../tools/tools.js';
import { decode } from './saved-run.js';

export interface ToldRun {
  /** The run that is continued: the main one, of a subagent. */
  runId: string;
  status: 'active' | 'suspended' | 'failed' | 'done' | 'cancelled';
  /** The person's last words to the agent, safe to show; `null`: unknown. */
  prompt: string | null;
  /** What it called last, the latest at the end, each in a line that is safe to show. */
  steps: readonly string[];
  /** How many other requests of the run wait: it goes on when they are decided, too. Counted once the request itself is decided. */
  waits: number;
}

/** How many calls of before are told, and how many characters of each and of the prompt. */
const MOST_STEPS = 4;
const LONGEST_STEP = 120;
const LONGEST_PROMPT = 1_000;

interface RunReader {
  run: (runId: string) => Promise<NativeSavedRun | null>;
}

/** What waits of one run. */
type PendingReader = (runId: string) => Promise<readonly Pick<ApprovalRecord, 'approvalId'>[]>;

/**
 * Never rejects: what cannot be read is told nothing of, and the request can be decided all the same.
 *
 * @returns `null`: the ledger keeps no such run; `undefined`: it cannot be read
 */
export async function toldRun(
  ledger: RunReader,
  { runId, toolCallId, approvalId, status: decided }: AskingCall,
  pending: PendingReader,
): Promise<ToldRun | null | undefined> {
  const main = mainRunOf(runId);
  try {
    const kept = await ledger.run(main);
    if (kept === null) return null;
    const { status, active } = kept.info;
    const told = { runId: main, status: status !== 'running' ? status : active ? 'active' : 'suspended' } as const;
    const waiting = decided === 'pending' ? [] : await pending(runId);
    const waits = waiting.filter((each) => each.approvalId !== approvalId).length;
    return { ...told, ...spokenIn(main, kept, toolCallId), waits };
  } catch {
    return undefined;
  }
}

type AskingCall = Pick<ApprovalRecord, 'runId' | 'toolCallId' | 'approvalId' | 'status'>;

function spokenIn(
  runId: string,
  { entries, state }: NativeSavedRun,
  asking: string,
): Pick<ToldRun, 'prompt' | 'steps'> {
  try {
    const { messages } = decode(runId, entries, state);
    const prompt = messages.findLast(({ role }) => role === 'user');
    const calls = messages.flatMap(({ role, content }) => (role === 'assistant' ? callsIn(content) : []));
    const at = calls.findIndex(({ toolCallId }) => toolCallId === asking);
    // Of the calls beside the one that asks, and of those that were refused, nothing has run.
    const ran = new Set(messages.flatMap(({ content }) => ranIn(content)));
    const before = (at === -1 ? calls : calls.slice(0, at)).filter(({ toolCallId }) => ran.has(toolCallId));
    const words = prompt === undefined ? '' : textIn(prompt.content);
    return {
      prompt: words === '' ? null : cut(oneLine(words), LONGEST_PROMPT),
      steps: before.slice(-MOST_STEPS).map(({ toolName, input }) => cut(inALine(toolName, input), LONGEST_STEP)),
    };
  } catch {
    return { prompt: null, steps: [] };
  }
}

interface CallPart {
  toolCallId: unknown;
  toolName: string;
  input: unknown;
}

function callsIn(content: unknown): CallPart[] {
  if (!Array.isArray(content)) return [];
  return content.filter(
    (part): part is CallPart & { type: 'tool-call' } =>
      isRecord(part) && part['type'] === 'tool-call' && typeof part['toolName'] === 'string',
  );
}

/** The ids of the calls whose results it has. */
function ranIn(content: unknown): unknown[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) => {
    if (!isRecord(part) || part['type'] !== 'tool-result') return [];
    const { output } = part;
    return isRecord(output) && output['type'] === 'execution-denied' ? [] : [part['toolCallId']];
  });
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.flatMap((part) => (isRecord(part) && typeof part['text'] === 'string' ? [part['text']] : []));
  return texts.join(' ');
}

const inALine = (toolName: string, args: unknown): string => {
  const call = callInALine({ kind: 'approval', args, contents: 'kept', verdict: null, changes: [] });
  return `${oneLine(toolName)} ${call}`;
};

/** By characters, so that none is cut in two. */
function cut(text: string, most: number): string {
  const characters = text.length > most ? [...text] : [];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

/** What becomes of a request that was decided, by where its run stands; empty: unknown. */
export function becomes({ status }: Pick<ApprovalRecord, 'status'>, run: ToldRun | null | undefined): string {
  if (run === undefined || status === 'pending') return '';
  const runs = status === 'approved' || status === 'edited';
  // Of a call that is no part of a run, and of a request alone, nothing else is known.
  if (run === null) return runs ? 'it runs in the process that asked, if that still waits for it' : '';
  switch (run.status) {
    case 'active':
      return run.waits === 0 ? 'its run goes on' : `its run waits for ${run.waits} more to be decided`;
    case 'suspended':
    case 'failed':
      return `no process continues its run${runs ? ', so nothing runs yet' : ''}: resume the run ${oneLine(run.runId)}, with resume() in its program or /resume in the chat`;
    default:
      return runs ? 'its run is over, so nothing will run' : 'its run is over';
  }
}

/** What a tool gave back, as the model got it; `undefined`: nothing is kept of it. */
export function gaveBack(result: unknown): unknown {
  if (result === undefined || result === null) return undefined;
  return isRecord(result) && 'value' in result ? result['value'] : result;
}
