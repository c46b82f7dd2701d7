import type { UIMessage } from 'ai';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Approvals, PendingApproval, UseApprovalsOptions } from '../../react.js';
import { askedCalls, detailsOf, previewOf } from './parts.js';

/** What became of an answer that was given here. */
interface Answer {
  state: 'answered' | 'failed';
  error?: unknown;
}

/** @see react.d.ts */
export function useApprovals<MESSAGE extends UIMessage>(options: UseApprovalsOptions<MESSAGE>): Approvals<MESSAGE> {
  const { messages, details, status, sendMessage, addToolApprovalResponse } = options;
  const [answers, answer] = useAnswers(addToolApprovalResponse);
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
          // Asked of the clock, not of what was drawn last.
          approve: async () => {
            if (expiresAt === null || Date.now() < expiresAt) await answer(approvalId, true);
          },
          reject: (reason?: string) => answer(approvalId, false, reason),
        };
      }) as unknown as PendingApproval<MESSAGE>[],
    [waiting, answers, answer, now],
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

type Respond = UseApprovalsOptions['addToolApprovalResponse'];
type GiveAnswer = (id: string, approved: boolean, reason?: string) => Promise<void>;

/** Gives each answer once, however often it is asked for. */
function useAnswers(respond: Respond): [ReadonlyMap<string, Answer>, GiveAnswer] {
  const [answers, setAnswers] = useState<ReadonlyMap<string, Answer>>(new Map());
  const given = useRef(new Map<string, Promise<void>>());
  const latest = useRef(respond);
  useEffect(() => {
    latest.current = respond;
  });
  const give = useCallback<GiveAnswer>((id, approved, reason) => {
    const earlier = given.current.get(id);
    if (earlier !== undefined) return earlier;
    const note = (answer: Answer) => setAnswers((before) => new Map(before).set(id, answer));
    const send = async () => {
      note({ state: 'answered' });
      try {
        await latest.current({ id, approved, ...(reason?.trim() ? { reason: reason.trim() } : {}) });
      } catch (error) {
        given.current.delete(id);
        note({ state: 'failed', error });
      }
    };
    const sending = send();
    given.current.set(id, sending);
    return sending;
  }, []);
  return [answers, give];
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
