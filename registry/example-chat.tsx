'use client';

/** A chat that asks with it. */
import { ApprovalConfirmation } from '@/components/countersign/approval-confirmation';
import { useChat } from '@ai-sdk/react';
import { isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import { useApprovals, type ApprovalDataTypes } from 'countersign/react';

export function Chat() {
  const chat = useChat<UIMessage<unknown, ApprovalDataTypes>>({
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const { pending } = useApprovals(chat);
  return chat.messages.map((message) => (
    <article key={message.id}>
      {message.parts.map((part, index) => {
        if (part.type === 'text') return <p key={index}>{part.text}</p>;
        if (!isToolUIPart(part) || part.approval === undefined) return null;
        const approval = pending.find(({ toolCallId }) => toolCallId === part.toolCallId);
        const decided = message.parts.findLast(
          (each) => each.type === 'data-approval' && each.data.toolCallId === part.toolCallId,
        );
        const decidedBy = decided?.type === 'data-approval' ? decided.data.decidedBy : null;
        return <ApprovalConfirmation key={part.toolCallId} part={part} approval={approval} decidedBy={decidedBy} />;
      })}
    </article>
  ));
}
