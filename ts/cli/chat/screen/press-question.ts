/** What keys do to questions of the model. */
import type { Question } from '../../../../index.js';
import { slipInAnswer } from '../answers.js';
import type { WaitingAsk } from '../view.js';
import { edited, EMPTY, insert } from './draft.js';
import type { PressedKey } from './keys.js';
import type { PressContext } from './press-context.js';
import { nextPage } from './seen.js';
import {
  atQuestion,
  goTo,
  isHabit,
  isSecondLook,
  sent,
  TOO_EARLY,
  unseen,
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
export const isWriting = (question: Question, { option }: Pick<AnsweringState, 'option'>): boolean =>
  question.kind === 'text' || (question.kind === 'multiple_choice' && option === question.options.length);

/** Whether a space shows more of the question, where it is no letter of an answer and chooses nothing. */
export function isSpaceMore(
  question: Question,
  at: Pick<AnsweringState, 'option' | 'draft'>,
  isShown: boolean,
): boolean {
  if (isWriting(question, at)) return at.draft.text === '';
  return question.kind === 'multiple_choice' || !isShown;
}

/** What Esc does, as it is said below a question. */
export const ESCAPES = 'Esc twice answers none';

/** One key, and what it meets. */
interface QuestionPress {
  state: ScreenState;
  ask: QuestionAsk;
  question: Question;
  at: AnsweringState;
  around: PressContext;
}

export function pressQuestion(
  state: ScreenState,
  ask: QuestionAsk,
  key: PressedKey,
  around: PressContext,
): PressResult {
  const at = state.ask?.at;
  const question = at?.at === 'question' ? ask.questions[at.index] : undefined;
  if (at?.at !== 'question' || question === undefined) return { state };
  const pressing: QuestionPress = { state, ask, question, at, around };
  if (key.kind !== 'key') return written(pressing, key);
  switch (key.name) {
    case 'escape':
      return escaped(pressing);
    case 'enter':
      return answered(pressing);
    case 'shift-tab':
      return at.index === 0 ? { state } : go(pressing, atQuestion(at, at.index - 1, at.answers.slice(0, -1)));
    case 'page-down':
      return more(pressing);
    case 'page-up':
      return scrolled(pressing, -around.scroll.page);
    case 'up':
    case 'down': {
      const draft = isWriting(question, at) ? edited(at.draft, key.name) : undefined;
      return draft === undefined ? moved(pressing, key.name === 'up' ? -1 : 1) : write(pressing, { draft });
    }
    default: {
      const draft = isWriting(question, at) ? edited(at.draft, key.name) : undefined;
      return draft === undefined ? { state } : write(pressing, { draft });
    }
  }
}

const go = ({ state, at }: QuestionPress, change: Partial<AnsweringState>, said = ''): PressResult => ({
  state: goTo(state, { ...at, ...change }, said),
});

/** Where the cursor goes the view goes along. */
const write = (pressing: QuestionPress, change: Partial<AnsweringState>, said = ''): PressResult =>
  go(pressing, { ...change, scroll: placeOf(pressing), isFollowing: true, isMoved: true }, said);

const placeOf = ({ at, around }: QuestionPress): number => around.scroll.from ?? at.scroll;

/** The next part of what is asked. */
function more(pressing: QuestionPress): PressResult {
  const { state, around } = pressing;
  return go(pressing, { scroll: nextPage(placeOf(pressing), around.scroll, state.ask?.seen), isFollowing: false });
}

const scrolled = (pressing: QuestionPress, lines: number): PressResult =>
  go(pressing, {
    scroll: Math.max(0, Math.min(pressing.around.scroll.most, placeOf(pressing) + lines)),
    isFollowing: false,
  });

/** The cursor, or beyond the first and last option the view. */
function moved(pressing: QuestionPress, way: 1 | -1): PressResult {
  const option = pressing.at.option + way;
  const isOption = option >= 0 && option < optionsOf(pressing.question);
  return isOption ? write(pressing, { option }) : scrolled(pressing, way);
}

function escaped(pressing: QuestionPress): PressResult {
  const { state, ask, at, around } = pressing;
  const { approvalId } = ask.request;
  const look = { key: 'escape', of: 'no answer', at: around.now } as const;
  if (at.draft.text !== '') return write(pressing, { draft: EMPTY });
  if (!isSecondLook(state, look)) return { state: warned(state, 'press Esc again to answer none', look) };
  return { state: sent(state, [approvalId]), action: { type: 'answer', approvalId, answers: null } };
}

/** Words are written where there is room for them; on a list, space and digits choose. */
function written(pressing: QuestionPress, key: Exclude<PressedKey, { kind: 'key' }>): PressResult {
  const { question, at, around } = pressing;
  const letter = key.kind === 'text' && [...key.text].length === 1 ? key.text : '';
  if (letter === ' ' && isSpaceMore(question, at, around.isShown)) return more(pressing);
  if (question.kind === 'text' || isWriting(question, at))
    return write(pressing, { draft: insert(at.draft, key.text) });
  const digit = /^[1-9]$/.test(letter) ? Number(letter) - 1 : undefined;
  if (digit !== undefined && digit < optionsOf(question)) {
    return question.kind === 'multi_select'
      ? write(pressing, { option: digit, chosen: toggled(at.chosen, digit) })
      : write(pressing, { option: digit });
  }
  if (letter === ' ') return write(pressing, { chosen: toggled(at.chosen, at.option) });
  if (letter === 'j' || letter === 'k') return moved(pressing, letter === 'k' ? -1 : 1);
  if (question.kind === 'multi_select') return go(pressing, {}, 'space chooses, Enter answers');
  // Words that are no option are another answer.
  return write(pressing, { option: question.options.length, draft: insert(at.draft, key.text) });
}

const toggled = (chosen: readonly number[], option: number): number[] =>
  chosen.includes(option) ? chosen.filter((each) => each !== option) : [...chosen, option].toSorted((a, b) => a - b);

/** Enter: an answer to what was seen whole, by what is in sight. */
function answered(pressing: QuestionPress): PressResult {
  const { state, ask, question, at, around } = pressing;
  if (!around.isShown) return go(pressing, {}, unseenInWords(pressing));
  if (around.scroll.hasMark === false) return write(pressing, {}, 'this is what Enter chooses: press it again');
  if (!at.isMoved && isHabit(state, around.now)) return { state: unseen({ ...state, said: TOO_EARLY }, around.now) };
  const answer = answerOf(question, at);
  if (answer === null && question.required !== false) return go(pressing, {}, `this one must be answered; ${ESCAPES}`);
  const slip = slipInAnswer(answer, question);
  const look = { key: 'enter', of: `answer ${at.index} ${at.draft.text}`, at: around.now } as const;
  if (slip !== undefined && !isSecondLook(state, look))
    return { state: unseen(warned(state, `${slip}: press Enter again to answer with it`, look), around.now) };
  const answers = [...at.answers, answer];
  // An Enter that is held down answers the first one only.
  if (answers.length < ask.questions.length)
    return { state: unseen(goTo(state, atQuestion(at, at.index + 1, answers)), around.now) };
  return {
    state: sent(state, [ask.request.approvalId]),
    action: { type: 'answer', approvalId: ask.request.approvalId, answers },
  };
}

/** Why Enter answers nothing yet. */
function unseenInWords({ question, at, around: { tooSmall, scroll } }: QuestionPress): string {
  if (tooSmall !== undefined) return tooSmall;
  if (scroll.most === 0) return 'too small: the window does not show the question';
  return `not all of it was seen: ${isSpaceMore(question, at, false) ? 'space' : 'PageDown'} shows more`;
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
