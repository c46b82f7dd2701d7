/** What keys do to questions of the model. */
import type { Question } from '../../../../index.js';
import type { WaitingAsk } from '../view.js';
import { edited, EMPTY, insert } from './draft.js';
import type { PressedKey } from './keys.js';
import {
  atQuestion,
  goTo,
  isSecondLook,
  sent,
  warned,
  type AnsweringState,
  type PressResult,
  type ScreenState,
} from './state.js';

type QuestionAsk = Extract<WaitingAsk, { kind: 'question' }>;

/** How many options there are, with the one in the human's own words. */
export const optionsOf = (question: Question): number => {
  if (question.kind === 'text') return 0;
  return question.options.length + (question.kind === 'multiple_choice' ? 1 : 0);
};

/** Whether the human writes at this place: an answer, or "other". */
export const isWriting = (question: Question, { option }: AnsweringState): boolean =>
  question.kind === 'text' || (question.kind === 'multiple_choice' && option === question.options.length);

export function pressQuestion(state: ScreenState, ask: QuestionAsk, key: PressedKey, now: number): PressResult {
  const at = state.ask?.at;
  const question = at?.at === 'question' ? ask.questions[at.index] : undefined;
  if (at?.at !== 'question' || question === undefined) return { state };
  const { approvalId } = ask.request;
  const look = { key: 'escape', of: 'no answer', at: now } as const;
  const go = (change: Partial<AnsweringState>, said = ''): PressResult => ({
    state: goTo(state, { ...at, ...change }, said),
  });
  if (key.kind !== 'key') return written(key, question, at, go);
  switch (key.name) {
    case 'escape':
      if (at.draft.text !== '') return go({ draft: EMPTY });
      if (!isSecondLook(state, look)) return { state: warned(state, 'Esc once more: you do not want to answer', look) };
      return { state: sent(state, [approvalId]), action: { type: 'answer', approvalId, answers: null } };
    case 'enter':
      return answered(state, ask, question, at, go);
    case 'shift-tab': {
      return at.index === 0 ? { state } : go(atQuestion(at, at.index - 1, at.answers.slice(0, -1)));
    }
    case 'up':
    case 'down': {
      const moved = isWriting(question, at) ? edited(at.draft, key.name) : undefined;
      if (moved !== undefined) return go({ draft: moved });
      const option = at.option + (key.name === 'up' ? -1 : 1);
      return go({ option: Math.max(0, Math.min(optionsOf(question) - 1, option)) });
    }
    default:
      return isWriting(question, at) ? go({ draft: edited(at.draft, key.name) ?? at.draft }) : { state };
  }
}

type AnsweringStep = (change: Partial<AnsweringState>, said?: string) => PressResult;

/** Words are written where there is room for them; on a list, space and digits choose. */
function written(
  key: Exclude<PressedKey, { kind: 'key' }>,
  question: Question,
  at: AnsweringState,
  go: AnsweringStep,
): PressResult {
  if (question.kind === 'text' || isWriting(question, at)) return go({ draft: insert(at.draft, key.text) });
  const letter = key.kind === 'text' && [...key.text].length === 1 ? key.text : '';
  const digit = /^[1-9]$/.test(letter) ? Number(letter) - 1 : undefined;
  if (digit !== undefined && digit < optionsOf(question)) {
    return question.kind === 'multi_select'
      ? go({ option: digit, chosen: toggled(at.chosen, digit) })
      : go({ option: digit });
  }
  if (letter === ' ' && question.kind === 'multi_select') return go({ chosen: toggled(at.chosen, at.option) });
  if (letter === 'j' || letter === 'k') {
    const option = at.option + (letter === 'k' ? -1 : 1);
    return go({ option: Math.max(0, Math.min(optionsOf(question) - 1, option)) });
  }
  if (question.kind === 'multi_select') return go({}, 'space chooses, Enter answers');
  // Words that are no option are another answer.
  return go({ option: question.options.length, draft: insert(at.draft, key.text) });
}

const toggled = (chosen: readonly number[], option: number): number[] =>
  chosen.includes(option) ? chosen.filter((each) => each !== option) : [...chosen, option].toSorted((a, b) => a - b);

function answered(
  state: ScreenState,
  ask: QuestionAsk,
  question: Question,
  at: AnsweringState,
  go: AnsweringStep,
): PressResult {
  const answer = answerOf(question, at);
  if (answer === null && question.required !== false)
    return go({}, 'this one must be answered; Esc answers none of them');
  const answers = [...at.answers, answer];
  if (answers.length < ask.questions.length) return go(atQuestion(at, at.index + 1, answers));
  return {
    state: sent(state, [ask.request.approvalId]),
    action: { type: 'answer', approvalId: ask.request.approvalId, answers },
  };
}

/** `null`: none. */
function answerOf(question: Question, at: AnsweringState): string | string[] | null {
  const words = at.draft.text.trim() === '' ? null : at.draft.text.trim();
  switch (question.kind) {
    case 'text':
      return words;
    case 'multiple_choice':
      return isWriting(question, at) ? words : (question.options[at.option]?.label ?? null);
    case 'multi_select': {
      const labels = at.chosen.flatMap((option) => question.options[option]?.label ?? []);
      return labels.length === 0 ? null : labels;
    }
  }
}
