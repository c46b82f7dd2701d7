/** Decisions on their way. Nothing counts as decided before the inbox has said so. */
import { batch, computed, signal } from '@preact/signals';
import type { Decision, DecisionType } from '../../../../index.js';
import type { BulkBody, BulkResults, DecideAnswer, DecisionBody, ErrorBody, ShownRecord } from '../../protocol.js';
import { NoAnswer, RefusedError, post } from '../api.js';
import { decided, standing } from '../words.js';
import { dropDrafts } from './drafts.js';
import { detail, faultOf, readDetail, readList, readSession, revision, session } from './store.js';

export type AnswerResult =
  /** It is sent at `until`, in ms since the epoch, unless it is taken back. */
  | { at: 'held'; type: DecisionType; until: number; takeBack: () => void }
  | { at: 'sending'; type: DecisionType }
  | { at: 'done'; text: string }
  | { at: 'failed'; text: string; problems: NonNullable<ErrorBody['problems']> };

/** By the id of the request. */
export const answers = signal<ReadonlyMap<string, AnswerResult>>(new Map());

function set(id: string, answer: AnswerResult | null): void {
  const next = new Map(answers.value);
  if (answer === null) next.delete(id);
  else next.set(id, answer);
  answers.value = next;
}

/** Whether it is on its way, or about to be. */
export const isSending = (id: string): boolean => ['sending', 'held'].includes(answers.value.get(id)?.at ?? '');
export const dismiss = (id: string): void => set(id, null);

/** Decides this request, and no other. Whether it was taken. */
export async function decide(id: string, decision: Decision): Promise<boolean> {
  if (isSending(id)) return false;
  const type = decision.type === 'rejectAndStop' ? 'reject' : decision.type;
  // At once, so that a second click finds it on its way.
  if (undoMs() > 0 && !(await held([id], type))) return false;
  set(id, { at: 'sending', type });
  try {
    const body: DecisionBody = { decision };
    const { record, counted, becomes } = await post<DecideAnswer>(`requests/${encodeURIComponent(id)}/decision`, body);
    batch(() => {
      // What becomes of its run changes: that stands with the request alone, which is read again.
      set(id, { at: 'done', text: outcome(record, counted) });
      show(record, becomes);
      dropDrafts(id);
    });
    return true;
  } catch (error) {
    set(id, failure(error));
    if (error instanceof RefusedError && error.body.winner) show(error.body.winner);
    return false;
  } finally {
    readAgain();
  }
}

const undoMs = (): number => session.value?.undo ?? 0;

/** Waits as long as it may be taken back. Nothing has left this page until then. Whether it stands. */
function held(ids: readonly string[], type: DecisionType): Promise<boolean> {
  return new Promise((resolve) => {
    const until = Date.now() + undoMs();
    const timer = window.setTimeout(() => resolve(true), undoMs());
    const takeBack = () => {
      window.clearTimeout(timer);
      batch(() => {
        for (const id of ids) set(id, null);
      });
      resolve(false);
    };
    for (const id of ids) set(id, { at: 'held', type, until, takeBack });
  });
}

/** The decisions that may be taken back, the latest last, each once. */
export const heldNow = computed(() => {
  const all = [...answers.value.values()].filter((answer) => answer.at === 'held');
  return all.filter(({ takeBack }, at) => all.findIndex((other) => other.takeBack === takeBack) === at);
});

// What is held is gone with the page: it is not decided.
window.addEventListener('beforeunload', (event) => {
  if (heldNow.value.length > 0) event.preventDefault();
});

/** Decides several of one run; each is decided or not by itself. */
export async function decideAll(ids: readonly string[], decision: BulkBody['decision']): Promise<void> {
  const free = ids.filter((id) => !isSending(id));
  if (undoMs() > 0 && !(await held(free, decision.type))) return;
  for (const id of free) set(id, { at: 'sending', type: decision.type });
  try {
    const { results } = await post<BulkResults>('decisions', { ids: free, decision } satisfies BulkBody);
    batch(() => {
      const left = new Set(free);
      for (const { approvalId, ok, record, error } of results) {
        left.delete(approvalId);
        if (record !== null) show(record);
        if (ok && record !== null) set(approvalId, { at: 'done', text: outcome(record, true) });
        else set(approvalId, { at: 'failed', text: reason(error), problems: [] });
      }
      for (const id of left) set(id, { at: 'failed', text: 'The inbox said nothing about this one', problems: [] });
    });
  } catch (error) {
    batch(() => {
      for (const id of free) set(id, failure(error));
    });
  } finally {
    readAgain();
  }
}

/** What was said here beats what was read before it, until it is read again. */
function show(record: ShownRecord, becomes = ''): void {
  const shown = detail.value;
  if (shown?.record.approvalId === record.approvalId) detail.value = { ...shown, record, becomes };
}

function readAgain(): void {
  revision.value++;
  readList();
  readDetail();
}

function outcome(record: ShownRecord, counted: boolean): string {
  if (record.status !== 'pending') return `Done: ${decided(record)}`;
  return counted
    ? 'Your approval counts. Others have to agree before it runs'
    : 'You had approved it before. Others have to agree before it runs';
}

function reason(error: ErrorBody | null): string {
  if (error === null) return 'The server did not accept it, and gave no reason';
  if (error.winner) return `Somebody was faster: ${standing(error.winner)}`;
  return error.message;
}

function failure(error: unknown): AnswerResult {
  if (error instanceof NoAnswer) {
    const text = 'No answer came. It may have been decided or not: look at what is shown here once you are connected';
    return { at: 'failed', text, problems: [] };
  }
  if (!(error instanceof RefusedError)) return { at: 'failed', text: faultOf(error), problems: [] };
  // The token may be of another time: with the next one it may be tried again.
  if (error.status === 403) void readSession();
  faultOf(error);
  return { at: 'failed', text: reason(error.body), problems: error.body.problems ?? [] };
}
