/** Checked by `tsc`: what `countersign/react` infers of the messages of `useChat`, on AI SDK 7 and 6. */
import { useChat as useChat7 } from '@ai-sdk/react';
import type { InferUITools, Tool, UIMessage } from 'ai';
import { useChat as useChat6 } from 'ai-react6';
import type { UIMessage as UIMessage6 } from 'ai6';
import { expectTypeOf } from 'vitest';
import type { ApprovalDataTypes, ApprovalDetails, PendingApproval } from '../../react.js';
import { ApprovalCard, useApprovals } from '../../ts/react/index.js';

type Tools = { book_flight: Tool<{ from: string; to: string }, string>; pay: Tool<{ amount: number }, string> };
type Message = UIMessage<unknown, ApprovalDataTypes, InferUITools<Tools>>;

export function narrows(approval: PendingApproval<Message>) {
  switch (approval.type) {
    case 'tool-book_flight':
      expectTypeOf(approval.input).toEqualTypeOf<{ from: string; to: string }>();
      expectTypeOf(approval.toolName).toEqualTypeOf<'book_flight'>();
      return;
    case 'tool-pay':
      expectTypeOf(approval.input).toEqualTypeOf<{ amount: number }>();
      return;
    case 'dynamic-tool':
      expectTypeOf(approval.input).toEqualTypeOf<unknown>();
      expectTypeOf(approval.toolName).toEqualTypeOf<string>();
      return;
    // @ts-expect-error an unknown tool
    case 'tool-other':
  }
}

/** Of `useChat`, as it is. */
export function Version7() {
  const chat = useChat7<Message>();
  const { pending, progress, sendAgain } = useApprovals(chat);
  expectTypeOf(pending[0]!).toEqualTypeOf<PendingApproval<Message>>();
  expectTypeOf(progress).toEqualTypeOf<{ answered: number; total: number }>();
  expectTypeOf(sendAgain).toEqualTypeOf<(() => void) | undefined>();
  expectTypeOf(pending[0]!.details).toEqualTypeOf<ApprovalDetails | undefined>();
  return pending.map((approval) => ApprovalCard({ approval }));
}

export function Version6() {
  const chat =
    useChat6<UIMessage6<unknown, ApprovalDataTypes, { pay: { input: { amount: number }; output: string } }>>();
  const { pending } = useApprovals(chat);
  for (const approval of pending)
    if (approval.type === 'tool-pay') expectTypeOf(approval.input).toEqualTypeOf<{ amount: number }>();
  return pending.map((approval) => ApprovalCard({ approval }));
}

export function Untyped() {
  const { pending } = useApprovals(useChat7());
  for (const { input } of pending) expectTypeOf(input).toEqualTypeOf<unknown>();
  return pending.map((approval) => ApprovalCard({ approval, labels: { approve: 'Ja' }, headingLevel: 2 }));
}

/** What there is not. */
export function Refused(approval: PendingApproval<Message>) {
  // @ts-expect-error a reason is a text
  void approval.reject({ reason: 'no' });
  // @ts-expect-error it is there only where an edit can be sent
  void approval.edit({ path: 'b.txt' });
  // @ts-expect-error there is no such word
  return ApprovalCard({ approval, labels: { change: 'Edit' } });
}
