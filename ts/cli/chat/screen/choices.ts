/**
 * What a call that waits may be answered with, and what a line means among that. Nothing is decided by a letter: it moves the
 * cursor, and Enter takes what the cursor is on. Any other words are a reason for a no.
 */
import type { DecisionType } from '../../../../index.js';
import { isKeyAlone, isNo, isYes } from '../../../terminal/words.js';
import { oneLine } from '../../style.js';
import type { WaitingAsk } from '../view.js';
import { textOfCall } from '../../../gate/text-field.js';

export type ApprovalAsk = Extract<WaitingAsk, { kind: 'approval' }>;

export type ChoiceName =
  | 'approve'
  | 'always'
  | 'like'
  | 'edit'
  | 'reject'
  | 'details'
  | 'respond'
  | 'skip'
  | 'edit-all'
  | 'auto'
  | 'help'
  /** Of a second question. */
  | 'agree'
  | 'agree-project'
  | 'again'
  | 'back';

export interface PanelChoice {
  name: ChoiceName;
  /** The letter that moves the cursor there. */
  key: string;
  label: string;
  /** In a sentence, for the help. */
  help: string;
  /** Whether it has a line of its own; the others stand side by side. */
  isMain: boolean;
  /** Whether only the help names it. */
  isQuiet: boolean;
  /** Whether something runs, or may run from then on: never before all of it was seen. */
  runs: boolean;
}

/** What the panel is about: the call, or a question about what was chosen. */
export type PanelAbout =
  | { readonly of: 'call' }
  | { readonly of: 'always' }
  /** It, and those that are like it. */
  | { readonly of: 'like'; readonly asks: readonly ApprovalAsk[] }
  | { readonly of: 'auto' }
  /** Other arguments, which are shown before they run. `text` is what was edited, of the argument `field`. */
  | {
      readonly of: 'edited';
      readonly args: unknown;
      readonly text: string;
      readonly field: string | null;
      readonly ask: ApprovalAsk;
    };

/** Which text would run, by a name that no other text of this request has. */
export const shownText = (about: PanelAbout): string =>
  about.of === 'edited'
    ? `edited ${JSON.stringify([about.field, about.text])}`
    : about.of === 'like'
      ? `like ${JSON.stringify(about.asks.map(({ request }) => request.approvalId))}`
      : about.of;

/** Why what is asked about wants a second look. Auto-approve is about all that waits. */
export function doubtsOf(ask: ApprovalAsk, about: PanelAbout, waiting: readonly WaitingAsk[]): string[] {
  const calls =
    about.of === 'edited'
      ? [about.ask]
      : about.of === 'like'
        ? about.asks
        : about.of === 'auto'
          ? [ask, ...waiting.filter((each) => each.request.approvalId !== ask.request.approvalId)]
          : [ask];
  const all = calls.flatMap((each) => (each.kind === 'approval' ? [...each.dangers, ...each.warnings] : []));
  return [...new Set(all)];
}

/** All choices, those with a line of their own first. */
export function choicesOf(ask: ApprovalAsk, about: PanelAbout): PanelChoice[] {
  const choice = (
    name: ChoiceName,
    key: string,
    label: string,
    help: string,
    more: Partial<PanelChoice> = {},
  ): PanelChoice => ({
    name,
    key,
    label,
    help,
    isMain: true,
    isQuiet: false,
    runs: false,
    ...more,
  });
  const back = choice('back', 'n', 'No, back to the call', 'Back to the call: nothing was decided.');
  switch (about.of) {
    case 'always':
      return [
        choice('agree', 'y', 'Yes, run it, and allow all of this from now on', 'Run it and what is like it.', {
          runs: true,
        }),
        choice(
          'agree-project',
          'p',
          'Yes, and from now on in this project',
          'Run it and what is like it, also when this program is started again here.',
          { runs: true },
        ),
        back,
      ];
    case 'like':
      return [
        choice('agree', 'y', `Yes, run these ${about.asks.length} calls`, 'Run all that are shown.', { runs: true }),
        back,
      ];
    case 'auto':
      return [choice('agree', 'y', 'Yes, turn Auto-approve on', 'Turn Auto-approve on.', { runs: true }), back];
    case 'edited':
      return [
        ...(about.ask.request.verdict?.effect === 'deny'
          ? []
          : [choice('agree', 'y', 'Yes, run it like this', 'Run it with these arguments.', { runs: true })]),
        choice('again', 'e', 'Edit it again', 'Change it once more.'),
        back,
        choice('details', 'd', 'details', 'All of it, as it would run.', { isMain: false }),
      ];
    case 'call':
      return ofCall(ask, choice);
  }
}

type MakeChoice = (
  name: ChoiceName,
  key: string,
  label: string,
  help: string,
  more?: Partial<PanelChoice>,
) => PanelChoice;

function ofCall({ request, always, alike }: ApprovalAsk, choice: MakeChoice): PanelChoice[] {
  const may = (type: DecisionType): boolean => request.allowedDecisions.includes(type);
  const when = (is: boolean, made: () => PanelChoice): PanelChoice[] => (is ? [made()] : []);
  const isText = textOfCall(request.args) !== undefined;
  const runs = { runs: true };
  const aside = { isMain: false };
  return [
    ...when(may('approve'), () => choice('approve', 'y', 'Yes', 'Run it, as it is shown.', runs)),
    ...when(may('approve') && always !== null, () =>
      choice(
        'always',
        's',
        `Yes, and always: ${likeIt(always?.label ?? '')}`,
        'Run it, and others like it until this program ends: it says which, and asks once more.',
        runs,
      ),
    ),
    ...when(may('approve') && alike.length > 0, () =>
      choice(
        'like',
        'l',
        `Yes, to all ${alike.length + 1} like this`,
        'Run it, and those that wait and are like it: it shows each, and asks once more.',
        runs,
      ),
    ),
    ...when(may('edit'), () =>
      choice('edit', 'e', 'Edit it first', 'Change it; it is shown again, and needs a yes, before it runs.', runs),
    ),
    choice('reject', 'n', 'No, and tell the agent why', 'Do not run it: it asks why, and Enter alone gives no reason.'),
    choice('details', 'd', 'details', 'All of it: the arguments, the verdict on each part, the ids.', aside),
    ...when(may('edit') && isText, () =>
      choice('edit-all', 'E', 'edit as JSON', 'Change all arguments, as JSON.', { ...aside, ...runs }),
    ),
    ...when(may('respond'), () =>
      choice('respond', 'r', 'respond', 'Do not run it, and give the model a result of your own.', aside),
    ),
    ...when(may('skip'), () =>
      choice('skip', 'x', 'skip', 'Do not run it: the model goes on without it.', {
        ...aside,
        isQuiet: true,
      }),
    ),
    ...when(may('approve'), () =>
      choice(
        'auto',
        'A',
        'Auto-approve',
        'Turn Auto-approve on, after one more question: all waiting calls run, except those that a policy denies.',
        { ...aside, ...runs },
      ),
    ),
    choice('help', '?', 'help', 'This page.', aside),
  ];
}

/** What a grant is about, without the words that the choice has by itself. */
const likeIt = (label: string): string => oneLine(label).replace(/^Always allow /, '');

/** What a line is: nothing, the key of a choice, that of one that is not offered here, or words. */
export type LineMeaning =
  | { type: 'empty' }
  | { type: 'choice'; name: ChoiceName }
  | { type: 'unoffered' }
  | { type: 'words' };

/** @param isWords it was pasted, or given as words: no letter of it is a key */
export function meaningOf(text: string, choices: readonly PanelChoice[], isWords: boolean): LineMeaning {
  if (text === '') return { type: 'empty' };
  if (isWords) return { type: 'words' };
  const main = choices.filter(({ isMain }) => isMain);
  const digit = /^[1-9]$/.test(text) ? main[Number(text) - 1] : undefined;
  const keyed = choices.find(({ key }) => key === text);
  // Capitals are taken where they mean nothing else.
  const lower = keyed ?? choices.find(({ key, isMain }) => isMain && key === text.toLowerCase());
  const spoken = isYes(text)
    ? choices.find(({ name }) => name === 'approve' || name === 'agree')
    : isNo(text)
      ? choices.find(({ name }) => name === 'reject' || name === 'back')
      : undefined;
  const found = digit ?? keyed ?? lower ?? spoken;
  if (found !== undefined) return { type: 'choice', name: found.name };
  return isKeyAlone(text) ? { type: 'unoffered' } : { type: 'words' };
}

/** Whether a call stands out: one yes is not enough. */
export const isDoubtful = ({ warnings, dangers }: ApprovalAsk): boolean => warnings.length + dangers.length > 0;

/** Where the cursor is before anybody has moved it. */
export function firstChoice(ask: ApprovalAsk, about: PanelAbout, isShown: boolean): ChoiceName {
  if (about.of === 'always' || about.of === 'like' || about.of === 'auto') return 'back';
  if (about.of === 'edited') {
    if (about.ask.request.verdict?.effect === 'deny') return 'back';
    if (!isShown) return 'details';
    return about.ask.isHarmless ? 'agree' : 'back';
  }
  if (!ask.request.allowedDecisions.includes('approve')) return 'reject';
  // Enter by habit must neither run nor reject what has not been read.
  if (!isShown) return 'details';
  return ask.isHarmless ? 'approve' : 'reject';
}

/** Where the cursor is. */
export const markedOf = (
  ask: ApprovalAsk,
  { marked, about }: { marked: ChoiceName | null; about: PanelAbout },
  isShown: boolean,
): ChoiceName => marked ?? firstChoice(ask, about, isShown);
