'use client';

/**
 * The card of `countersign/react` in the style of shadcn/ui, within the `Confirmation` of AI Elements. What is checked before a call
 * is approved stays in the package: this file is looks, and yours to change.
 */
import {
  Confirmation,
  ConfirmationAccepted,
  ConfirmationRejected,
  ConfirmationRequest,
} from '@/components/ai-elements/confirmation';
import { cn } from '@/lib/utils';
import type { ToolUIPart } from 'ai';
import { ApprovalCard, safeText, type ApprovalLabels, type PendingApproval } from 'countersign/react';

/** By the parts and states of the card, which carry them as attributes. */
const CARD = cn(
  'grid gap-3 text-sm',
  '[&_[data-part=title]]:text-base [&_[data-part=title]]:font-semibold',
  '[&_[data-part=why]]:text-muted-foreground [&_[data-part=origin]]:text-muted-foreground',
  '[&_[data-part=agent-reason]]:text-muted-foreground',
  '[&_[data-part=need]]:text-muted-foreground [&_[data-part=time-left]]:text-muted-foreground',
  '[&_[data-part=warnings]]:text-destructive [&_[data-part=redacted]]:text-destructive',
  '[&_[data-part=error]]:text-destructive [&_[data-part=not-json]]:text-destructive',
  '[&_pre]:overflow-x-auto [&_pre]:rounded-md [&_pre]:border [&_pre]:bg-muted [&_pre]:p-3 [&_pre]:font-mono [&_pre]:text-xs',
  '[&_ins]:bg-green-500/15 [&_ins]:no-underline [&_del]:bg-red-500/15 [&_del]:no-underline',
  '[&_[data-part=actions]]:flex [&_[data-part=actions]]:flex-wrap [&_[data-part=actions]]:items-end [&_[data-part=actions]]:gap-2',
  '[&_label]:grid [&_label]:w-full [&_label]:gap-1.5 [&_label]:text-muted-foreground',
  '[&_textarea]:rounded-md [&_textarea]:border [&_textarea]:bg-transparent [&_textarea]:px-3 [&_textarea]:py-2 [&_textarea]:text-foreground',
  '[&_textarea:is([data-part=args],[data-part=text])]:font-mono [&_textarea:is([data-part=args],[data-part=text])]:text-xs',
  '[&_textarea[aria-invalid=true]]:border-destructive [&_label[data-part=edit-all]]:flex [&_label[data-part=edit-all]]:items-center',
  '[&_button]:inline-flex [&_button]:h-9 [&_button]:items-center [&_button]:rounded-md [&_button]:border [&_button]:px-4',
  '[&_button]:font-medium [&_button:hover]:bg-accent [&_button:disabled]:pointer-events-none [&_button:disabled]:opacity-50',
  '[&_:is(button,textarea):focus-visible]:outline-2 [&_:is(button,textarea):focus-visible]:outline-ring',
  // Marked only where the call is proven to do no lasting harm: the hand chooses all else.
  '[&_button[data-marked]]:border-primary [&_button[data-marked]]:bg-primary [&_button[data-marked]]:text-primary-foreground',
  '[&[data-state=expired]]:opacity-70 [&[data-state=answered]]:opacity-70',
);

export interface ApprovalConfirmationProps {
  /** The part of the message: it stays what was asked, and becomes what was answered. */
  part: Pick<ToolUIPart, 'state' | 'approval'>;
  /** Of `pending` of `useApprovals`, the one with the id of this call; `undefined` once it is answered. */
  approval?: PendingApproval;
  /** Who decided, of the `data-approval` part of this call; absent: no name is known. */
  decidedBy?: string | null;
  labels?: Partial<ApprovalLabels>;
  className?: string;
}

export function ApprovalConfirmation({ part, approval, decidedBy, labels, className }: ApprovalConfirmationProps) {
  const reason = part.approval?.reason;
  return (
    <Confirmation approval={part.approval} state={part.state} className={className}>
      <ConfirmationRequest>
        {approval !== undefined && <ApprovalCard approval={approval} className={CARD} {...(labels && { labels })} />}
      </ConfirmationRequest>
      <ConfirmationAccepted>
        <p data-part="outcome">{said('Approved', decidedBy, reason)}</p>
      </ConfirmationAccepted>
      <ConfirmationRejected>
        <p data-part="outcome" className="text-destructive">
          {said('Rejected', decidedBy, reason)}
        </p>
      </ConfirmationRejected>
    </Confirmation>
  );
}

/** Names and reasons may be another person's: what deceives the eye is escaped. */
function said(what: string, by: string | null | undefined, reason: string | undefined): string {
  const decided = by ? `${what} by ${safeText(by)}` : what;
  return reason === undefined || reason === '' ? `${decided}.` : `${decided}: ${safeText(reason)}`;
}
