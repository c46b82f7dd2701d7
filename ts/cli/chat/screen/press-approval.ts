/** What keys do to a tool call that waits. */
import type { DecisionType } from '../../../../index.js';
import { messageOf } from '../../../errors/message-of.js';
import { isYes } from '../../../terminal/words.js';
import { revive, snapshot } from '../../../values/snapshot.js';
import type { WaitingAsk } from '../view.js';
import { draftOf, edited, EMPTY, insert, type TextDraft } from './draft.js';
import type { PressedKey } from './keys.js';
import type { PressContext } from './press-context.js';
import { goTo, sent, warned, type PressResult, type ScreenState } from './state.js';

export type ApprovalAsk = Extract<WaitingAsk, { kind: 'approval' }>;

/** A key that an approval knows, and what it does. */
export interface KeyOffer {
  key: string;
  /** In a word or two. */
  does: string;
  /** In a sentence, for the help. */
  help: string;
}

/** The keys that this call may be answered with. */
export function offers({ request, always }: ApprovalAsk, isShown: boolean): KeyOffer[] {
  const may = (type: DecisionType): boolean => request.allowedDecisions.includes(type);
  const offer = (is: boolean, key: string, does: string, help: string): KeyOffer[] => (is ? [{ key, does, help }] : []);
  const runs = may('approve') && isShown;
  return [
    ...offer(runs, 'y', 'approve', 'Run it, as it is shown.'),
    ...offer(true, 'n', 'reject', 'Do not run it. To tell the model why, type the reason, or a space and the reason.'),
    ...offer(may('edit') && isShown, 'e', 'edit', 'Run it with other arguments: they are shown again before they run.'),
    ...offer(may('respond'), 'r', 'respond', 'Do not run it, and give the model a result of your own.'),
    ...offer(
      runs && always !== null,
      's',
      'always',
      'Run it, and others like it until this program ends: it says which first.',
    ),
    ...offer(runs, 'A', 'approve all', 'Turn Auto-approve on: all that waits runs, but for what a policy denies.'),
    ...offer(true, 'd', 'details', 'All of it, to scroll through.'),
  ];
}

export function pressApproval(
  state: ScreenState,
  ask: ApprovalAsk,
  key: PressedKey,
  isAlone: boolean,
  around: PressContext,
): PressResult {
  const at = state.ask?.at;
  const { approvalId } = ask.request;
  const back = (said = ''): PressResult => ({ state: goTo(state, { at: 'keys' }, said) });
  const isAgreed = key.kind === 'text' && isYes(key.text) && isAlone;
  switch (at?.at) {
    case 'keys':
      return pressKeys(state, ask, key, isAlone, around);
    case 'reason':
    case 'respond':
    case 'edit':
      return isYesInWords(at, key)
        ? agree(state, ask, at.draft, isAlone, around)
        : pressDraft(state, ask, at.at, at.draft, key);
    case 'edited':
      if (isAgreed && around.isShown)
        return {
          state: sent(state),
          action: { type: 'decide', approvalId, decision: { type: 'edit', args: at.args } },
        };
      return isLetter(key, 'e', isAlone) ? edit(state, ask, at.text, around) : back('not edited: it goes on waiting');
    case 'always':
      if (isAgreed && around.isShown) return { state: sent(state), action: { type: 'always', approvalId } };
      return back('not remembered: it goes on waiting');
    case 'whole':
    case 'help': {
      const scroll = scrolled(at.scroll, key, around.scroll);
      return scroll === undefined ? back() : { state: goTo(state, { at: at.at, scroll }) };
    }
    default:
      return { state };
  }
}

/** Whether what was typed as a reason is a yes. */
const isYesInWords = (at: { at: string; draft: TextDraft }, key: PressedKey): boolean =>
  at.at === 'reason' && key.kind === 'key' && key.name === 'enter' && isYes(at.draft.text);

/** A yes in words counts as its key does: on its own, and where the key does. */
function agree(
  state: ScreenState,
  ask: ApprovalAsk,
  draft: TextDraft,
  isAlone: boolean,
  around: PressContext,
): PressResult {
  const stay = (said: string): PressResult => ({ state: goTo(state, { at: 'reason', draft }, said) });
  if (!offers(ask, around.isShown).some(({ key }) => key === 'y')) return stay('it cannot be approved here');
  if (!isAlone) return stay('Enter once more approves it');
  if (mustLookTwice(state, ask))
    return { state: warned(state, `${lookTwice(ask)}: Enter once more approves it`, around.now) };
  const { approvalId } = ask.request;
  return { state: sent(state), action: { type: 'decide', approvalId, decision: { type: 'approve' } } };
}

/** Whether it may be another call than it seems to be, and the human was not told yet to look twice. */
const mustLookTwice = ({ ask }: ScreenState, { warnings }: ApprovalAsk): boolean =>
  warnings.length > 0 && ask?.isWarned !== true;

const lookTwice = ({ warnings }: ApprovalAsk): string => `look twice, ${warnings.join('; ')}`;

const isLetter = (key: PressedKey, letter: string, isAlone: boolean): boolean =>
  isAlone && key.kind === 'text' && key.text === letter;

function pressKeys(
  state: ScreenState,
  ask: ApprovalAsk,
  key: PressedKey,
  isAlone: boolean,
  around: PressContext,
): PressResult {
  const { approvalId } = ask.request;
  const reject: PressResult = {
    state: sent(state),
    action: { type: 'decide', approvalId, decision: { type: 'reject' } },
  };
  if (key.kind === 'key') {
    if (key.name === 'escape') return reject;
    return key.name === 'enter'
      ? { state: { ...state, said: 'Enter decides nothing: press a key of those below' } }
      : { state };
  }
  const letter = key.kind === 'text' && isAlone ? key.text : undefined;
  const typed = letter === 'Y' ? 'y' : letter === 'N' ? 'n' : letter;
  if (typed === '?') return { state: goTo(state, { at: 'help', scroll: 0 }) };
  if (!offers(ask, around.isShown).some((offer) => offer.key === typed)) {
    if (typed !== undefined && /^[yersA]$/.test(typed))
      return { state: { ...state, said: `${typed} is not possible here` } };
    // Words: why it must not run.
    return { state: goTo(state, { at: 'reason', draft: insert(EMPTY, key.text.replace(/^\s+/, '')) }) };
  }
  if ((typed === 'y' || typed === 'A') && mustLookTwice(state, ask))
    return { state: warned(state, `${lookTwice(ask)}: ${typed} once more does it`, around.now) };
  switch (typed) {
    case 'y':
      return { state: sent(state), action: { type: 'decide', approvalId, decision: { type: 'approve' } } };
    case 'n':
      return reject;
    case 'e':
      return edit(state, ask, JSON.stringify(snapshot(ask.request.args).json, null, 2), around);
    case 'r':
      return { state: goTo(state, { at: 'respond', draft: EMPTY }) };
    case 's':
      return { state: goTo(state, { at: 'always' }) };
    case 'A':
      return { state: sent(state), action: { type: 'approveAll', approvalId } };
    default:
      return { state: goTo(state, { at: 'whole', scroll: 0 }) };
  }
}

function edit(state: ScreenState, ask: ApprovalAsk, text: string, { hasEditor }: PressContext): PressResult {
  if (hasEditor) return { state, action: { type: 'edit', approvalId: ask.request.approvalId, text } };
  return { state: goTo(state, { at: 'edit', draft: draftOf(text) }) };
}

function pressDraft(
  state: ScreenState,
  ask: ApprovalAsk,
  at: 'reason' | 'respond' | 'edit',
  draft: TextDraft,
  key: PressedKey,
): PressResult {
  const go = (next: TextDraft): PressResult => ({ state: goTo(state, { at, draft: next }) });
  const back: PressResult = { state: goTo(state, { at: 'keys' }) };
  if (key.kind !== 'key') return go(insert(draft, key.text));
  if (key.name === 'escape') return back;
  if (key.name === 'backspace' && draft.text === '') return back;
  if (key.name !== 'enter') return go(edited(draft, key.name) ?? draft);
  const text = draft.text.trim();
  if (text === '') return back;
  if (at === 'edit') return { state: withEdited(state, ask, draft.text) };
  const { approvalId } = ask.request;
  return {
    state: sent(state),
    action: {
      type: 'decide',
      approvalId,
      decision: at === 'reason' ? { type: 'reject', reason: text } : { type: 'respond', output: text },
    },
  };
}

/** With other arguments, as the human wrote them: to be shown before they run. What is tagged stays what its tag says. */
export function withEdited(state: ScreenState, { request }: ApprovalAsk, text: string): ScreenState {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return goTo(state, { at: 'edit', draft: draftOf(text) }, `that is no JSON: ${messageOf(error)}`);
  }
  if (JSON.stringify(json) === JSON.stringify(snapshot(request.args).json))
    return goTo(state, { at: 'keys' }, 'nothing was changed: it goes on waiting');
  return goTo(state, { at: 'edited', args: revive(json), text });
}

/** Where a key scrolls to; `undefined`: it leaves. Several that were typed at once are several keys. */
function scrolled(at: number, key: PressedKey, scroll: PressContext['scroll']): number | undefined {
  if (key.kind === 'paste') return at;
  let place: number | undefined = at;
  for (const name of key.kind === 'key' ? [key.name] : key.text) {
    if (place !== undefined) place = scrolledBy(place, name, scroll);
  }
  return place;
}

function scrolledBy(at: number, name: string, { most, page }: PressContext['scroll']): number | undefined {
  const to = (place: number): number => Math.min(most, Math.max(0, place));
  switch (name) {
    case 'j':
    case 'down':
    case 'enter':
      return to(at + 1);
    case 'k':
    case 'up':
      return to(at - 1);
    case ' ':
    case 'page-down':
      return to(at + page);
    case 'b':
    case 'page-up':
      return to(at - page);
    case 'g':
    case 'home':
      return 0;
    case 'G':
    case 'end':
      return most;
    case 'escape':
    case 'q':
    case 'd':
    case '?':
    case 'backspace':
      return undefined;
    default:
      return to(at);
  }
}
