/**
 * What a front end of the chat shows, and what it may ask the chat to do. There is no terminal in it: the full-screen program,
 * the plain one for pipes and screen readers, and JSON Lines are three front ends of one chat.
 *
 * Every text in a view is safe to show as it is: control, bidi and invisible characters are visible marks by now.
 */
import type {
  ApprovalRequest,
  Decision,
  Remember,
  PolicyMode,
  Question,
  QuestionsAnswered,
  Todo,
} from '../../../index.js';

/** The chat at one moment. Never changed: the next moment is another object. */
export interface ChatView {
  readonly mode: PolicyMode;
  /** Whether a run goes on. */
  readonly isBusy: boolean;
  readonly model: string;
  /** Where files are and commands run. */
  readonly folder: string;
  /** What was said and done, oldest first. Only those at the end that are not `isDone` still change. */
  readonly entries: readonly TranscriptEntry[];
  /** What waits for the human, oldest first: the first is to be shown, the others are counted. */
  readonly asks: readonly WaitingAsk[];
  /** What became of requests that others decided in this run, in words, by their ids: `approved by mia`. */
  readonly decided: Readonly<Record<string, string>>;
  /**
   * Requests of this run that were over without an answer from here, and not since something was allowed here, oldest first.
   * `behind`: those that waited before them, and do still.
   */
  readonly overtaken: readonly { request: ApprovalRequest; behind: readonly string[] }[];
  readonly todos: readonly Todo[];
  /** Subagents that work at this moment. */
  readonly subagents: readonly { name: string; task: string; origin: readonly string[] }[];
}

/** One thing that was said or done. */
export type TranscriptEntry = { readonly id: number; readonly isDone: boolean; readonly origin: readonly string[] } & (
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'tool';
      readonly toolCallId: string;
      readonly toolName: string;
      /** What it does, in one line: the command, the path. */
      readonly title: string;
      /** `approved`, `answered`: those that came with it have no answer yet. */
      readonly status:
        | 'called'
        | 'waits'
        | 'approved'
        | 'answered'
        | 'runs'
        | 'succeeded'
        | 'failed'
        | 'denied'
        | 'cancelled';
      /** The end of its output, the reason why it did not run, how an edit changed it. Several lines. */
      readonly detail: string;
    }
  /** Of the program itself: answers to commands, a change of mode, errors. */
  | { readonly kind: 'note'; readonly level: 'info' | 'warning' | 'error'; readonly text: string }
);

/** Something that waits for the human. */
export type WaitingAsk = {
  readonly request: ApprovalRequest;
  /** "Tool 2 of 3": among those of its step, from 1. */
  readonly index: number;
  readonly of: number;
  /** Where it came from, in words; empty for the main agent. */
  readonly from: string;
} & (
  | {
      readonly kind: 'approval';
      /** Why it asks, with the rule and its file where there is one. */
      readonly why: string;
      /** What looks deceptive, in words: see `ApprovalRequest.flags`. */
      readonly warnings: readonly string[];
      /** What it would do that may not be undone, in words: see `gate/danger.ts`. */
      readonly dangers: readonly string[];
      /** What `s` would allow for this session; `null`: it is not offered. */
      readonly always: { readonly label: string; readonly also: readonly string[] } | null;
      /** The ids of those that wait and are like it: one answer may be for all. */
      readonly alike: readonly string[];
      /** Whether it is proven to do no lasting harm: only then the cursor begins on yes. See `gate/danger.ts`. */
      readonly isHarmless: boolean;
      /** Of an edit: what names what is shown of it, for the decision. */
      readonly shown?: string | null;
    }
  | { readonly kind: 'question'; readonly questions: readonly Question[] }
);

/** A tool call that waits. */
export type ApprovalAsk = Extract<WaitingAsk, { kind: 'approval' }>;

/** A line that begins with `/`. */
export interface ChatCommand {
  readonly name: string;
  readonly usage: string;
  readonly help: string;
}

/** The chat, for a front end. */
export interface Chat {
  readonly view: ChatView;
  readonly commands: readonly ChatCommand[];
  /** Called after each change, at most once per turn of the event loop. @returns what ends it */
  subscribe(listener: () => void): () => void;
  /** A line that the human entered while nothing waits: a prompt, or a command. Resolves when it has been dealt with. */
  submit(line: string): Promise<void>;
  /** What a line may become, the whole lines: commands and their arguments. */
  complete(line: string): string[];
  /**
   * Answers an approval. What goes wrong becomes a note, and it goes on waiting.
   *
   * @returns why it was not taken, here and from all that answers; `undefined`: it was, or somebody was faster
   */
  decide(approvalId: string, decision: Decision): Promise<string | undefined>;
  /** The same call with other arguments, as it would be asked about. Nothing is asked or decided. A decision for it hands `shown` back. */
  reconsider(approvalId: string, args: unknown): Promise<ApprovalAsk>;
  /**
   * Refuses what waits, for lack of a human to answer; it stands so in the record.
   *
   * @returns why it goes on waiting
   */
  refuse(approvalId: string): Promise<string | undefined>;
  /** Approves it, and those that wait and are like it. */
  approveAlike(approvalId: string): Promise<string | undefined>;
  /** Approves it and what the request says is like it. */
  always(approvalId: string, remember: Remember): Promise<string | undefined>;
  /** Turns Auto-approve on, which answers everything that waits and is not denied. */
  approveAll(): Promise<string | undefined>;
  /** Answers questions; `null`: the human does not want to. */
  answer(approvalId: string, answers: QuestionsAnswered['answers'] | null): Promise<string | undefined>;
  /** Cancels the run with everything that waits. @returns whether there was one */
  interrupt(): boolean;
  /** Whether the human asked to leave. */
  readonly isOver: boolean;
  /** Cancels what goes on and closes the gate. Idempotent. */
  close(): Promise<void>;
}
