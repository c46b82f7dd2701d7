/**
 * countersign/react: tool approvals in a React page, over the messages of the AI SDK's `useChat`, versions 6 and 7.
 *
 * This file is the public API, written and reviewed by hand. A test keeps it equal to what the entry exports. It is for browsers:
 * it loads React and nothing else.
 *
 * @packageDocumentation
 */
import type { UIMessage } from 'ai';
import type { ReactElement, ReactNode } from 'react';
import type { ApprovalDetails } from './index.js';

export type { ApprovalDataTypes, ApprovalDetails } from './index.js';

/** The parts of a message type for a call that waits. */
type AskedPart<MESSAGE extends UIMessage> = Extract<MESSAGE['parts'][number], { state: 'approval-requested' }>;

/** What the hook takes of `useChat`, and what it may be told besides. */
export interface UseApprovalsOptions<MESSAGE extends UIMessage = UIMessage> {
  /** Those of `useChat`. Only the last message is looked at: a request before it cannot be answered any more. */
  messages: readonly MESSAGE[];
  /**
   * That of `useChat`, which continues on its own with `sendAutomaticallyWhen:
   * lastAssistantMessageIsCompleteWithApprovalResponses`. Where a response stays open while a human decides, a function that
   * sends the answer to your own route. A throw, or a rejected promise: the answer was not sent, and can be given again.
   */
  addToolApprovalResponse: (response: { id: string; approved: boolean; reason?: string }) => unknown;
  /**
   * Sends other arguments to a route of your own, which gives them to `gate.edit` (`countersign`). With it a call can be edited:
   * {@link PendingApprovalOf.edit}, and a field in the card. `approvalId` is the gate's, from the details of
   * `withApprovalDetails`; where a response stays open, that of the message. Pass `shown` in the options of `gate.edit`: it says
   * that the person has not seen the files that the edit writes, so that none is overwritten unseen. A throw, or a rejected
   * promise: the edit was not accepted, and can be sent again.
   */
  sendEdit?: (edit: { approvalId: string; toolCallId: string; args: unknown; shown: null; reason?: string }) => unknown;
  /** That of `useChat`; for {@link Approvals.sendAgain}. */
  status?: 'submitted' | 'streaming' | 'ready' | 'error';
  /** That of `useChat`; for {@link Approvals.sendAgain}. */
  sendMessage?: () => unknown;
  /** Newer than those in the messages, e.g. of `approvalDetails()` after the page was opened again. They win. */
  details?: readonly ApprovalDetails[];
}

/** A tool call that waits for this person. */
export interface PendingApprovalOf<TYPE extends string, NAME extends string, INPUT> {
  /**
   * That of the message part, e.g. `'tool-delete_file'`; `'dynamic-tool'` for a tool that the types do not know. It narrows
   * `input`.
   */
  type: TYPE;
  toolName: NAME;
  /** As the message has it, not made safe to show: that is {@link PendingApprovalOf.preview}. */
  input: INPUT;
  toolCallId: string;
  /** What `addToolApprovalResponse` takes. */
  approvalId: string;
  /** What would run, safe to show: from the server's details, or else made from `input` here. */
  preview: string;
  /** The details from the server; `undefined`: it sent none. */
  details: ApprovalDetails | undefined;
  /** `answered`: on its way; `failed`: it could not be sent, and may be given again. */
  state: 'requested' | 'answered' | 'failed';
  /** What `addToolApprovalResponse` failed with. */
  error: unknown;
  /** By the clock of this page. The server decides by its own. */
  isExpired: boolean;
  /**
   * The reason reaches the model. Counts once. Never rejects: see `state`. Does nothing once it
   * {@link PendingApprovalOf.isExpired}. With any other value than a text it sends nothing, and `error` is an
   * {@link InvalidConfigError} (`ERR_INVALID_CONFIG`): in JSX write `onClick={() => approve()}`.
   */
  approve: (reason?: string) => Promise<void>;
  /** The reason reaches the model. Counts once. Never rejects: see `state`. */
  reject: (reason?: string) => Promise<void>;
  /**
   * Approves the call with these arguments instead, by {@link UseApprovalsOptions.sendEdit}; then, where the conversation carries
   * the answers, by `addToolApprovalResponse`. `undefined` without `sendEdit`, and where the request does not allow it.
   */
  edit: ((args: unknown, reason?: string) => Promise<void>) | undefined;
}

/** One member per tool of the message type, so that `type` narrows `input`. */
export type PendingApproval<MESSAGE extends UIMessage = UIMessage> =
  AskedPart<MESSAGE> extends infer PART
    ? PART extends { type: infer TYPE extends string; input: infer INPUT }
      ? PendingApprovalOf<TYPE, TYPE extends `tool-${infer NAME}` ? NAME : string, INPUT>
      : never
    : never;

export interface Approvals<MESSAGE extends UIMessage = UIMessage> {
  /** What waits for an answer, in the order of the calls. */
  pending: readonly PendingApproval<MESSAGE>[];
  /** Of the calls of this step that a human is asked about. The run goes on when all are answered. */
  progress: { answered: number; total: number };
  /**
   * Sends answers that were given and did not reach the server: after an error, or before the page was opened again. `undefined`
   * where all have reached it, or `status` and `sendMessage` were not given.
   */
  sendAgain: (() => void) | undefined;
}

/**
 * The approvals that the last message of a chat waits for. All that `useChat` gives may be passed on.
 *
 * @throws {InvalidConfigError} (`ERR_INVALID_CONFIG`) for what is nearly the name of an option
 */
export declare function useApprovals<MESSAGE extends UIMessage>(
  options: UseApprovalsOptions<MESSAGE>,
): Approvals<MESSAGE>;

/** The words of {@link ApprovalCard}. */
export interface ApprovalLabels {
  /** @default (tool) => `Run ${tool}?` */
  title: (tool: string) => string;
  /** @default 'Approve' */
  approve: string;
  /** @default 'Reject' */
  reject: string;
  /** @default 'Reason, for the model' */
  reason: string;
  /** @default 'What would run' */
  preview: string;
  /** Shows all of a call whose preview leaves something out. @default 'All of it' */
  whole: string;
  /**
   * In place of `approve`, when it was pressed for a call that stands out, and of `approveEdit`, when it was pressed.
   *
   * @default 'I have looked twice: approve'
   */
  approveAnyway: string;
  /**
   * Where that was pressed within a second, or by a key that is held down.
   *
   * @default 'That came too early: read it, then press again.'
   */
  tooEarly: string;
  /** Before the names of what deceives the eye. @default 'Careful' */
  warnings: string;
  /** @default (flag) => a few words, e.g. 'characters that cannot be seen' */
  warning: (flag: string) => string;
  /** @default (why) => e.g. 'ask: writes outside the project (policy.toml:7)' */
  why: (why: NonNullable<ApprovalDetails['why']>) => string;
  /** Why the agent makes the call: its word, and not checked. @default (said) => e.g. 'The agent says: “to free space”' */
  agentReason: (said: string) => string;
  /** @default (path) => e.g. 'From main > researcher' */
  origin: (path: readonly string[]) => string;
  /** @default (change) => e.g. 'Changes notes.txt: 2 lines added, 1 removed' */
  change: (change: ApprovalDetails['changes'][number]) => string;
  /** @default (need, approvedBy) => e.g. 'Needs 2 of group:ops; approved by ada' */
  need: (need: ApprovalDetails['needs'][number], approvedBy: readonly string[]) => string;
  /** @default (seconds) => e.g. 'Expires in 4 min 10 s' */
  timeLeft: (seconds: number) => string;
  /** @default 'It has expired. Reject it to go on.' */
  expired: string;
  /** @default 'Secrets are not shown: what runs has more in it.' */
  redacted: string;
  /** @default 'The server says nothing about this call: this is how it came with the message.' */
  noDetails: string;
  /** Shows the field. @default 'Edit' */
  edit: string;
  /**
   * Of the field, where the call has one main text, such as a command or the content of a file.
   *
   * @default (name) => e.g. 'Change command'
   */
  editText: (name: string) => string;
  /** Of the check box that shows all arguments in place of that text. @default 'Edit all arguments' */
  editAll: string;
  /** Of the field, for all other arguments. @default 'Arguments, as JSON' */
  editArgs: string;
  /** @default 'Approve as edited' */
  approveEdit: string;
  /** The reason follows it, e.g. a number that JavaScript does not keep, or a name that is there twice. @default 'This is not JSON.' */
  notJson: string;
  /** Of the field, while it has the arguments that were asked for. @default 'Nothing is changed yet.' */
  unchanged: string;
  /** Of the edit as it would run. @default 'It would run like this' */
  shownEdit: string;
  /** @default 'Sent …' */
  answered: string;
  /** @default 'It could not be sent. Try again.' */
  failed: string;
}

export interface ApprovalCardProps {
  /** One of the `pending` of {@link useApprovals}. */
  approval: PendingApprovalOf<string, string, unknown>;
  /** Other words for its texts. @default those of {@link ApprovalLabels} */
  labels?: Partial<ApprovalLabels>;
  /** The class of its `section`. */
  className?: string;
  /** Of the title. @default 3 */
  headingLevel?: 2 | 3 | 4 | 5 | 6;
  /** In place of the preview. What it shows of `input` must be made safe: see {@link safeText}. */
  renderPreview?: (approval: PendingApprovalOf<string, string, unknown>) => ReactNode;
  /** In place of the reason and the buttons. */
  renderActions?: (approval: PendingApprovalOf<string, string, unknown>) => ReactNode;
}

/**
 * One approval as a card without a style of its own: a `section` with `data-countersign="approval"`, `data-tool` and
 * `data-state`, whose parts have `data-part`, and lines of a diff `data-change`. With {@link UseApprovalsOptions.sendEdit} a
 * call can be edited in it: a command, a query or the content of a file as text, all other arguments as JSON. A call that stands out (`data-part="warnings"`, except what is only long) is approved
 * by a second click. So is each edit, which is shown as it would run: the page does not know what it becomes. A call whose
 * preview leaves something out is there whole, in a `details` (`data-part="whole"`). A click that began before the card was in
 * its place does not count.
 */
export declare function ApprovalCard(props: ApprovalCardProps): ReactElement;

/**
 * Any text made safe to show in a browser, at most 4,000 characters of it. Stricter than `safeText` of `countersign`: what that
 * one may show as it is by what is around it, such as Cyrillic and Greek, is always escaped here.
 */
export declare function safeText(text: string): string;
