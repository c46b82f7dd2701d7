/** What a reviewer is told of a call. */
import type { ModelMessage, Tool } from 'ai';
import type { FileChange, PolicyVerdict, ReviewedCall } from '../../../index.js';
import { copyOf, type ValueSnapshot } from '../../values/snapshot.js';
import { ownValue } from '../../values/own-value.js';
import { argsWithoutReason } from '../agent-reason.js';

export type AskReviewer = (call: ReviewedCall, options: { abortSignal: AbortSignal }) => AskedReviewer;

/** A reviewer that was asked; it may have thrown instead. */
export interface AskedReviewer {
  /** Its unchecked answer, or a promise of it. */
  answer: unknown;
  /** Whether it was shown all of the call, and all that was asked for. */
  isWhole: boolean;
}

/** What is known of a call when it is about to be put to a human. */
export interface CallToReview {
  toolName: string;
  toolCallId: string;
  runId: string;
  origin: readonly string[];
  args: ValueSnapshot;
  /** The tool itself, as far as it is known. */
  tool?: Tool | undefined;
  verdict: PolicyVerdict | null;
  changes: readonly FileChange[];
  /** Whether these say all that changes, the old contents too. */
  isShownWhole: boolean;
  /** Of the run of the user; `undefined`: unknown. */
  asked: readonly unknown[] | undefined;
  /** Of the run that makes the call. */
  messages: readonly unknown[] | undefined;
  /** Whether the run that makes the call is a part of another. */
  isPart: boolean;
}

/** A copy for the reviewer, which may change what it gets. */
export function reviewedCall(call: CallToReview, withConversation: boolean): ReviewedCall {
  const { toolName, toolCallId, runId, origin, args, tool, verdict, changes, asked, messages, isPart } = call;
  return {
    toolName,
    toolCallId,
    runId,
    origin: [...origin],
    // What would run: what the agent says for its call would be there to persuade.
    args: argsWithoutReason(tool, copyOf(args)),
    verdict: structuredClone(verdict),
    changes: structuredClone(changes),
    prompt: lastOfUser(isPart ? asked : (messages ?? asked)),
    task: isPart ? lastOfUser(messages) : null,
    messages: withConversation ? copied(messages ?? []) : [],
  };
}

/** The last that a user wrote in a conversation; `null`: nothing. */
export function lastOfUser(messages: readonly unknown[] | undefined): string | null {
  const last = messages?.findLast((message) => ownValue(message, 'role') === 'user');
  const text = last === undefined ? '' : textOf(ownValue(last, 'content'));
  return text === '' ? null : text;
}

/** The text of what a message holds. Pictures and files have none. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.map((part: unknown) => (ownValue(part, 'type') === 'text' ? ownValue(part, 'text') : ''));
  return texts.filter((text) => typeof text === 'string' && text !== '').join('\n');
}

/** What cannot be copied is left out: it is nothing that a provider was sent. */
function copied(messages: readonly unknown[]): ModelMessage[] {
  return messages.flatMap((message) => {
    try {
      return [structuredClone(message) as ModelMessage];
    } catch {
      return [];
    }
  });
}
