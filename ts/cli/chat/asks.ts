/** What waits for the human: requests, and how they are put. */
import type { ApprovalRequest, Question } from '../../../index.js';
import { ownWords } from '../../gate/own-words.js';
import { askedOften } from '../../gate/asked-before.js';
import { isAlike } from '../../gate/batch.js';
import { standing } from '../../gate/standing.js';
import { reviewLine } from '../../gate/reviewer/review-line.js';
import { whyAsked } from '../../gate/why-asked.js';
import { standsOut } from '../../gate/stands-out.js';
import { CONTENTS } from '../shown.js';
import { oneLine } from '../style.js';
import { dangersInWords, isHarmless } from '../../gate/danger.js';
import { safeLong } from '../../terminal/safe-long.js';
import type { WaitingAsk } from './view.js';

/** Those that wait, oldest first. */
export class WaitingAsks {
  #waiting: ApprovalRequest[] = [];
  /** Requests that came together, by who asked: what is counted. Until none of them waits. */
  readonly #together = new Map<string, string[]>();
  /** How often the like of them was approved before. */
  readonly #before = new Map<string, number>();

  get requests(): readonly ApprovalRequest[] {
    return this.#waiting;
  }

  /** @param before how often a person approved the like */
  add(request: ApprovalRequest, before = 0): void {
    if (this.find(request.approvalId) !== undefined) return;
    this.#before.set(request.approvalId, before);
    const who = whoOf(request);
    const others = this.#together.get(who) ?? [];
    const isOver = !others.some((id) => this.find(id) !== undefined);
    this.#together.set(who, [...(isOver ? [] : others), request.approvalId]);
    this.#waiting = [...this.#waiting, request];
  }

  find(approvalId: string): ApprovalRequest | undefined {
    return this.#waiting.find((each) => each.approvalId === approvalId);
  }

  /** With what was counted of it since. */
  update(approvalId: string, votes: ApprovalRequest['votes']): void {
    this.#waiting = this.#waiting.map((each) => (each.approvalId === approvalId ? { ...each, votes } : each));
  }

  remove(approvalId: string): void {
    this.#waiting = this.#waiting.filter((each) => each.approvalId !== approvalId);
    this.#before.delete(approvalId);
  }

  clear(): void {
    this.#waiting = [];
    this.#together.clear();
    this.#before.clear();
  }

  view(): readonly WaitingAsk[] {
    return this.#waiting.map((request) => {
      const together = this.#together.get(whoOf(request)) ?? [];
      const before = this.#before.get(request.approvalId);
      return askOf(request, together.indexOf(request.approvalId) + 1, together.length, {
        before,
        waiting: this.#waiting,
      });
    });
  }
}

const whoOf = ({ origin }: ApprovalRequest): string => JSON.stringify(origin);

/** What is known of a request beside it. */
interface AskBeside {
  /** How often a person approved the like. */
  before?: number | undefined;
  /** All that wait. */
  waiting?: readonly ApprovalRequest[];
}

export function askOf(
  request: ApprovalRequest,
  index: number,
  of: number,
  { before = 0, waiting = [] }: AskBeside = {},
): WaitingAsk {
  const common = { request, index, of, from: fromOf(request.origin) };
  if (request.kind === 'question') return { ...common, kind: 'question', questions: questionsOf(request.args) };
  const { allow } = request.always;
  const often = allow === null ? undefined : askedOften(before, request);
  const label = oneLine(allow?.label ?? '');
  const also = (allow?.also ?? []).map(oneLine).filter((each) => !label.includes(each));
  return {
    ...common,
    kind: 'approval',
    why: [
      whyOf(request),
      standing(request),
      reviewLine(request) ?? '',
      often === undefined ? '' : `${often}: s remembers it`,
    ]
      .filter((part) => part !== '')
      .join('; '),
    warnings: warningsOf(request),
    dangers: dangersInWords(request),
    alike: waiting.filter((other) => isAlike(request, other)).map(({ approvalId }) => approvalId),
    isHarmless: isHarmless(request),
    always: allow === null ? null : { label, also },
  };
}

/** The subagents on the way to it, in words: `researcher`, or `writer, started by researcher`. */
export function fromOf(origin: readonly string[]): string {
  // A path is the main agent, then the call and the name of each subagent.
  const names = origin.slice(1).filter((_, at) => at % 2 === 1);
  return names.map(oneLine).toReversed().join(', started by ');
}

function whyOf(request: ApprovalRequest): string {
  const reason = whyAsked(request);
  // Words of its own say more, e.g. that a call was begun before and stopped at an unknown point.
  const said = ownWords(request);
  return [...(said === undefined || said.includes(reason) ? [] : [said]), reason].join('; ');
}

const IN_WORDS: Readonly<Record<string, string>> = {
  ansi: 'it has codes that terminals act on',
  control: 'it has control characters',
  nul: 'it has a NUL character',
  bidi: 'it has characters that turn the direction of text',
  invisible: 'it has characters that nobody sees',
  'unicode-space': 'it has unusual spaces',
  homoglyph: 'it has letters that look like others',
  combining: 'it has letters with many marks',
  padding: 'it has long stretches of nothing, which push things out of sight',
  'odd-key': 'it has unusual names of arguments',
  hidden: 'a part of it is not shown: d shows all of it',
  'right-to-left': 'it has words that run from right to left: what stands first on the screen may come last',
};

function warningsOf(request: ApprovalRequest): string[] {
  const words = standsOut(request).map((flag) => IN_WORDS[flag] ?? flag);
  return request.contents === 'kept' ? words : [...words, CONTENTS[request.contents]];
}

/** The questions of a call, safe to show. Labels are answers too: front ends give back what they show, see {@link labelOf}. */
function questionsOf(args: unknown): Question[] {
  const { questions } = (args ?? {}) as { questions?: unknown };
  if (!Array.isArray(questions)) return [];
  return (questions as Question[]).map((each) => ({
    ...each,
    question: safeLong(String(each.question)),
    ...(each.header === undefined ? {} : { header: oneLine(String(each.header)) }),
    ...('options' in each
      ? {
          options: each.options.map(({ label, description }) => ({
            label: oneLine(String(label)),
            ...(description === undefined ? {} : { description: oneLine(String(description)) }),
          })),
        }
      : {}),
  })) as Question[];
}

/** Answers as the call knows its labels, from the labels that were shown. */
export function asAsked(
  request: ApprovalRequest,
  answers: readonly (string | readonly string[] | null)[],
): (string | readonly string[] | null)[] {
  const { questions } = (request.args ?? {}) as { questions?: Question[] };
  return answers.map((answer, at) => {
    const question = questions?.[at];
    if (answer === null || question === undefined || question.kind === 'text') return answer;
    const labels = new Map(question.options.map(({ label }) => [oneLine(String(label)), label]));
    const asked = (text: string): string => labels.get(text) ?? text;
    return typeof answer === 'string' ? asked(answer) : answer.map(asked);
  });
}
