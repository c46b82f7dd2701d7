import type { UIMessage } from 'ai';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Approvals, PendingApproval, UseApprovalsOptions } from '../../react.js';
import { InvalidConfigError } from '../errors/invalid-config-error.js';
import { kindOf } from '../options/names.js';
import { checkNames } from './check-options.js';
import { askedCalls, detailsOf, previewOf } from './parts.js';

/** What became of an answer that was given here. */
interface AnswerState {
  state: 'answered' | 'failed';
  error?: unknown;
}

/** @see react.d.ts */
export function useApprovals<MESSAGE extends UIMessage>(options: UseApprovalsOptions<MESSAGE>): Approvals<MESSAGE> {
  checkNames(options);
  const { messages, details, status, sendMessage, addToolApprovalResponse, sendEdit } = options;
  const [answers, answer] = useAnswers(addToolApprovalResponse, sendEdit);
  const mayEdit = sendEdit !== undefined;
  const calls = useMemo(() => askedCalls(messages), [messages]);
  const waiting = useMemo(
    () =>
      calls
        .filter(({ state }) => state === 'requested')
        .map((call) => ({ call, details: detailsOf(call, messages, details) })),
    [calls, messages, details],
  );
  const now = useNow(waiting.flatMap(({ details }) => details?.expiresAt ?? []));

  const pending = useMemo(
    () =>
      waiting.map(({ call, details }) => {
        const { type, toolName, input, toolCallId, approvalId } = call;
        const expiresAt = details?.expiresAt ?? null;
        // Asked of the clock, not of what was drawn last.
        const unlessExpired = async (give: () => Promise<void>) => {
          if (expiresAt === null || Date.now() < expiresAt) await give();
        };
        const isEditable = mayEdit && (details?.allowedDecisions ?? ['edit']).includes('edit');
        // The id that the gate knows is that of the messages where the response stays open.
        const edits = { approvalId: details?.approvalId ?? approvalId, toolCallId };
        return {
          type,
          toolName,
          input,
          toolCallId,
          approvalId,
          details,
          preview: details?.preview ?? previewOf(call),
          state: answers.get(approvalId)?.state ?? 'requested',
          error: answers.get(approvalId)?.error,
          isExpired: expiresAt !== null && expiresAt <= now,
          approve: (reason?: string) => unlessExpired(() => answer(approvalId, { approved: true, reason })),
          reject: (reason?: string) => answer(approvalId, { approved: false, reason }),
          edit: isEditable
            ? (args: unknown, reason?: string) =>
                unlessExpired(() =>
                  answer(approvalId, { approved: true, reason, edit: { ...edits, args, shown: null } }),
                )
            : undefined,
        };
      }) as unknown as PendingApproval<MESSAGE>[],
    [waiting, answers, answer, now, mayEdit],
  );

  const isUnsent =
    calls.some(({ state }) => state === 'responded') &&
    calls.every(({ state }) => state !== 'requested') &&
    // Just after an answer `useChat` is ready for a moment, before it sends.
    (status === 'error' || (status === 'ready' && !calls.some(({ approvalId }) => answers.has(approvalId))));
  return {
    pending,
    progress: { answered: calls.length - pending.length, total: calls.length },
    sendAgain: isUnsent && sendMessage !== undefined ? () => void sendMessage() : undefined,
  };
}

type RespondFunction = UseApprovalsOptions['addToolApprovalResponse'];
type SendEdit = UseApprovalsOptions['sendEdit'];

interface GivenAnswer {
  approved: boolean;
  reason: string | undefined;
  /** With other arguments. */
  edit?: { approvalId: string; toolCallId: string; args: unknown; shown: null };
}

type GiveAnswer = (id: string, given: GivenAnswer) => Promise<void>;

/** Gives each answer once, however often it is asked for. */
function useAnswers(respond: RespondFunction, sendEdit: SendEdit): [ReadonlyMap<string, AnswerState>, GiveAnswer] {
  const [answers, setAnswers] = useState<ReadonlyMap<string, AnswerState>>(new Map());
  const given = useRef(new Map<string, Promise<void>>());
  const latest = useRef({ respond, sendEdit });
  useEffect(() => {
    latest.current = { respond, sendEdit };
  });
  const give = useCallback<GiveAnswer>((id, { approved, reason: said, edit }) => {
    const earlier = given.current.get(id);
    if (earlier !== undefined) return earlier;
    const note = (answer: AnswerState) => setAnswers((before) => new Map(before).set(id, answer));
    const send = async (): Promise<boolean> => {
      note({ state: 'answered' });
      try {
        const reason = reasonIn(said);
        if (edit !== undefined) await latest.current.sendEdit?.({ ...edit, ...reason });
        // The gate has the answer then, and the conversation has it where that carries the answers.
        if (edit === undefined || edit.approvalId !== id) await latest.current.respond({ id, approved, ...reason });
        return true;
      } catch (error) {
        note({ state: 'failed', error });
        return false;
      }
    };
    // Later, though it may fail at once: what was not sent can be given again.
    const forgetUnsent = async () => {
      if (!(await send())) given.current.delete(id);
    };
    const sending = forgetUnsent();
    given.current.set(id, sending);
    return sending;
  }, []);
  return [answers, give];
}

/** A yes with something else than a reason behind it, such as `false`, was perhaps none. @throws {InvalidConfigError} */
function reasonIn(said: unknown): { reason?: string } {
  if (said === undefined) return {};
  if (typeof said !== 'string')
    throw new InvalidConfigError({
      message: `useApprovals: a reason must be a text, not ${kindOf(said)}. Nothing was sent. In JSX write onClick={() => approve()}.`,
    });
  return said.trim() === '' ? {} : { reason: said.trim() };
}

/** The longest that a timer takes. */
const LONGEST_MS = 2_147_483_647;

/** The time, read anew whenever the next of these moments has come; 0 before the page is alive. */
function useNow(moments: readonly number[]): number {
  const [now, setNow] = useState(0);
  const next = Math.min(...moments.filter((moment) => moment > now));
  useEffect(() => {
    if (next === Infinity) return undefined;
    const read = () => setNow(Date.now());
    const timer = setTimeout(read, Math.min(Math.max(next - Date.now(), 0), LONGEST_MS));
    return () => clearTimeout(timer);
  }, [next, now]);
  return now;
}
