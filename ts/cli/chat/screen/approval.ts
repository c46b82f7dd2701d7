/**
 * A tool call that waits, as lines: a question, the call, what it would change, why it asks, and the choices. Never more than there
 * is room for, and what would run is what is seen.
 */
import { agentLine } from '../../../gate/agent-reason.js';
import { againLine } from '../../../gate/asked-again.js';
import { startedFirst } from '../../../gate/stands-out.js';
import { count } from '../../print.js';
import { fit, isCut, oneLine, style, widthOf, type TextStyle } from '../../style.js';
import { helpPage, wholePage, saysOf } from './approval-pages.js';
import { callView, type CallView } from './call-lines.js';
import { choicesOf, doubtsOf, markedOf, meaningOf, shownText, type ApprovalAsk, type PanelChoice } from './choices.js';
import { laid, type TextDraft } from './draft.js';
import { headline } from './headline.js';
import {
  bothEnds,
  clipped,
  countdown,
  hanging,
  partOf,
  placed,
  row,
  rows,
  rule,
  wrap,
  type ScreenKind,
} from './layout.js';
import { isSeenWhole } from './seen.js';
import { type AskState, type CallAnswer, type PagePlace, type PanelPlace, type StandingPart } from './state.js';
import type { WaitingAsk } from '../view.js';

/** A view that may be scrolled. */
export interface ScrolledView {
  /** How far it goes down. */
  most: number;
  /** How many lines of it are seen. */
  page: number;
  /** Where it is now, where that depends on the cursor. */
  from?: number;
  /** Whether what Enter takes is in sight. @default true */
  hasMark?: boolean;
}

/** Lines, and what of them matters to keys. */
export interface DrawnLines {
  lines: string[];
  /** Where the human writes, from the first line. */
  cursor?: { x: number; y: number };
  /** Whether all of what would run, or is asked, was seen, so that it may be approved or answered. */
  isShown: boolean;
  scroll: ScrolledView;
  /** What of it stands there, where that is where it is answered. */
  standing?: StandingPart;
}

const INDENT = ' ';
/** With less room than this, choices stand side by side. */
const ROOMY = 14;
/** And with less than this, not all of them are shown: keys that are not take them all the same. */
const TINY = 12;
const ALWAYS_SHOWN: ReadonlySet<string> = new Set(['details', 'help']);
/** Calls that are listed of those that wait together. */
const LISTED = 6;

export interface DrawContext {
  screen: ScreenKind;
  /** How many lines there may be. */
  room: number;
  /** In ms since the epoch. */
  now: number;
  /** Whether keys are meant for it by now. */
  isReady: boolean;
  /** One line about the last key. */
  said: string;
  /** The calls that wait together with it, itself among them, each with the answer that it has by now. */
  together: readonly { ask: WaitingAsk; answer: CallAnswer | undefined }[];
  /** All that waits, of any agent. */
  waiting: readonly WaitingAsk[];
}

export function approvalLines(asked: AskState, ask: ApprovalAsk, drawing: DrawContext): DrawnLines {
  const { at } = asked;
  const width = drawing.screen.columns - 1 - INDENT.length;
  switch (at.at) {
    case 'whole':
      return scrolling(asked, at, ask, wholePage(at.about.of === 'edited' ? at.about.ask : ask, width), drawing);
    case 'help':
      return scrolling(asked, at, ask, helpPage(ask, width), drawing);
    case 'reason':
      return writing(ask, 'why: ', at.draft, ['Enter rejects it', 'an empty line: without a reason'], drawing);
    case 'respond':
      return writing(ask, 'the result is: ', at.draft, ['Enter gives it to the model'], drawing);
    case 'edit':
      return writing(ask, '', at.draft, ['Enter shows it once more', 'Ctrl+J new line'], drawing);
    case 'checking':
      return {
        ...none(),
        lines: [title(ask, drawing), `${INDENT}${style('dim', `looking at it${drawing.screen.symbols.more}`)}`],
      };
    case 'panel':
      return panel(asked, at, ask, drawing);
    default:
      return none();
  }
}

const none = (): DrawnLines => ({ lines: [], isShown: false, scroll: { most: 0, page: 1 } });

// --- the panel --------------------------------------------------------------------------------------------------------

function panel(asked: AskState, at: PanelPlace, ask: ApprovalAsk, drawing: DrawContext): DrawnLines {
  const { screen, room } = drawing;
  const width = screen.columns - 1 - INDENT.length;
  const shown = at.about.of === 'edited' ? at.about.ask : ask;
  const { lines: body, isWhole } = bodyOf(at, shown, width);
  const around = (isRoomy: boolean): PanelParts => {
    const head = [
      title(ask, drawing, isRoomy),
      ...listOf(ask, drawing, isRoomy),
      ...asks(at, shown, width, drawing, isRoomy),
    ];
    const why = reasons(at, shown, drawing, isRoomy ? Math.max(1, Math.floor(room / 8)) : 1);
    const foot = (isShown: boolean): FootLines => footOf(asked, at, ask, drawing, isShown, isRoomy);
    // The choices are always seen. Their room is the same, whether or not the whole call is shown.
    return { head, why, foot, space: Math.max(0, room - head.length - why.length - foot(true).lines.length) };
  };
  const roomy = around(room >= ROOMY);
  const dense = around(false);
  // Side by side they leave more room for the call: only where that shows all of it.
  const isDense = roomy.space < body.length && dense.space >= body.length;
  const { head, why, foot, space } = isDense ? dense : roomy;
  const part = partOf(body, at.scroll, space);
  const lines = placed(part, body.length, screen);
  const text = shownText(at.about);
  const standing = { of: `${text} ${width}`, from: part.from, to: part.to, total: body.length };
  // To its end, and nothing left out on the way: of what stood here together with the choices.
  // In a window that has become too small for any of it, what stood here before is out of sight.
  const isInSight = body.length === 0 || part.to > part.from;
  const isAll = isInSight && isWhole && hasChoices(asked, drawing) && isSeenWhole(asked.seen, standing);
  // What has its end out of the window stands nowhere.
  const isInside = screen.tooSmall === undefined && !isCut(lines, width);
  const isShown = isInside && (isAll || asked.seenWhole === text);
  const footing = foot(isShown);
  const all = [...head, ...lines.map((line) => `${INDENT}${line}`), ...why, ...footing.lines];
  // In a very small window the choices are what is seen.
  const hidden = Math.max(0, all.length - room);
  const top = head.length + lines.length + why.length - hidden;
  const cursor = footing.cursor === undefined ? {} : { cursor: { x: footing.cursor.x, y: top + footing.cursor.y } };
  return {
    lines: all.slice(hidden),
    ...cursor,
    // Lines that were pushed out were not seen.
    isShown: isShown && hidden <= head.length,
    scroll: { most: part.most, page: part.page },
    ...(isInside && hasChoices(asked, drawing) && hidden <= head.length ? { standing } : {}),
  };
}

/** Whether what is seen is seen where it is answered. */
export const hasChoices = ({ isAnswered }: AskState, { isReady }: DrawContext): boolean => isReady && !isAnswered;

/** What stands around the call. */
interface PanelParts {
  head: string[];
  why: string[];
  foot: (isShown: boolean) => FootLines;
  space: number;
}

/** @param hasList whether the calls that wait together are listed: otherwise it says how many have an answer */
function title(
  ask: ApprovalAsk,
  { screen, now, together }: Pick<DrawContext, 'screen' | 'now' | 'together'>,
  hasList = true,
): string {
  const { request, index, of, warnings, dangers } = ask;
  const left = request.expiresAt === null ? '' : `${countdown(request.expiresAt - now)} left`;
  const held = hasList ? 0 : together.filter(({ answer }) => answer !== undefined).length;
  const which = of > 1 ? `Tool ${index} of ${of}${held > 0 ? `, ${held} answered` : ''}` : '';
  const right = [which, left].filter((part) => part !== '').join(` ${screen.symbols.dot} `);
  return rule(request.toolName, right, screen, warnings.length + dangers.length > 0 ? 'red' : 'yellow');
}

/** The calls that wait together: which have an answer, and which one this is. */
function listOf(ask: ApprovalAsk, { together, screen }: DrawContext, isRoomy: boolean): string[] {
  if (together.length < 2 || !isRoomy) return [];
  const { symbols, columns } = screen;
  const at = together.findIndex((each) => each.ask.request.approvalId === ask.request.approvalId);
  const from = Math.max(0, Math.min(at - Math.floor(LISTED / 2), together.length - LISTED));
  const shown = together.slice(from, from + LISTED);
  return shown.map(({ ask: each, answer }, index) => {
    const isHere = from + index === at;
    const sign = answer === undefined ? symbols.waits : symbols.succeeded;
    const how: TextStyle = answer === undefined ? 'yellow' : 'green';
    const again = each.request.startedBefore ? ` ${symbols.dot} may have run already` : '';
    const word = `${again}${answer === undefined ? '' : ` ${symbols.dot} ${answerInWords(answer)}`}`;
    const asked = each.kind === 'approval' ? headline(each.request, columns) : '';
    const text = fit(`${each.index} ${asked}`, columns - 6 - widthOf(word));
    const line = `${isHere ? symbols.cursor : ' '} ${style(how, sign)} ${isHere ? style('bold', text) : text}${style('dim', word)}`;
    return `${INDENT}${line}`;
  });
}

/** What is held here is not given yet, and somebody else may be faster: it says so. */
function answerInWords(answer: CallAnswer): string {
  const what = answer.type === 'always' ? 'yes, always' : answer.decision.type === 'edit' ? 'yes, edited' : 'yes';
  return `${what}, once all have an answer`;
}

/** The question, and what to beware of. */
function asks(
  at: PanelPlace,
  shown: ApprovalAsk,
  width: number,
  { screen: { symbols }, waiting, room }: DrawContext,
  isRoomy: boolean,
): string[] {
  const others = waiting.length - 1;
  const these =
    others < 1 ? 'this call' : `this call and ${count(others, 'other')} that wait${others === 1 ? 's' : ''}`;
  const question = {
    call: headline(shown.request, width * 2),
    edited: headline(shown.request, width * 2),
    always: 'Run it, and allow this from now on, until this program ends?',
    like: 'Run all of these?',
    auto: `Turn Auto-approve on? Calls that need approval run at once from now on, ${these} too. Calls that a policy denies do not.`,
  }[at.about.of];
  const { first, others: rest } = startedFirst(doubtsOf(shown, at.about, waiting));
  const beware = (doubts: readonly string[], most = 2): string[] =>
    doubts.flatMap((each) =>
      hanging(
        '! ',
        bothEnds(wrap(oneLine(each), width - 2), most, symbols).map((line) => style('red', line)),
        'red',
      ),
    );
  const isAboutCall = at.about.of === 'call' || at.about.of === 'edited';
  const isEdited = at.about.of === 'edited';
  const agent = isAboutCall && room >= TINY ? agentLine(shown.request, isEdited) : undefined;
  const again = isAboutCall ? againLine(shown.request) : undefined;
  // It does not say what runs: where there is little room the details have the rest of it.
  const most = isRoomy ? 2 : 1;
  const said = agent === undefined ? [] : clipped(agent, width, most);
  return [
    ...wrap(question, width).map((line) => style('bold', line)),
    ...beware(first),
    ...beware(again === undefined ? [] : [again], isRoomy ? 4 : 2),
    ...(shown.from === ''
      ? []
      : wrap(`from ${shown.from}`, width)
          .slice(0, 1)
          .map((line) => style('dim', line))),
    ...said.map((line) => style('dim', line)),
    ...beware(rest),
  ].map((line) => `${INDENT}${line}`);
}

/** What would run, in lines of `width` columns. */
function bodyOf(at: PanelPlace, shown: ApprovalAsk, width: number): CallView {
  if (at.about.of === 'auto') return { lines: [], isWhole: true };
  if (at.about.of === 'like') {
    const views = at.about.asks.map((each) => callView(each, width));
    return { lines: views.flatMap(({ lines }) => lines), isWhole: views.every(({ isWhole }) => isWhole) };
  }
  if (at.about.of !== 'always') return callView(shown, width);
  const { label = '', also = [] } = shown.always ?? {};
  const more = also.flatMap((each) => hanging('- ', wrap(oneLine(each), width - 2)));
  return { lines: [...wrap(oneLine(label), width), ...more], isWhole: true };
}

/** A reason without what it is about, which the headline says: "not covered by any rule". */
const withoutSubject = (reason: string): string => reason.replace(/^(?:[a-z ]+ )?`[^`]*`(?:: +| is )/, '');

/** Why it asks, and what the tool says. Long ones are cut, so that the call itself is seen. */
function reasons(at: PanelPlace, ask: ApprovalAsk, { screen }: DrawContext, most: number): string[] {
  const { columns, symbols } = screen;
  const width = columns - 1 - INDENT.length;
  if (at.about.of === 'always' || at.about.of === 'like' || at.about.of === 'auto') return [];
  const part = (label: string, text: string): string[] => {
    if (text === '') return [];
    const room = width - widthOf(label);
    if (most === 1 && widthOf(text) > room) return hanging(label, [fit(withoutSubject(oneLine(text)), room)], 'dim');
    const lines = most < 3 ? clipped(oneLine(text), room, most) : bothEnds(wrap(oneLine(text), room), most, symbols);
    return hanging(label, lines, 'dim');
  };
  return [...part('why  ', ask.why), ...part('says ', saysOf(ask))].map((line) => `${INDENT}${line}`);
}

// --- the choices ------------------------------------------------------------------------------------------------------

interface FootLines {
  lines: string[];
  cursor?: { x: number; y: number };
}

const OUT_OF_SIGHT = 'not all of the call is in sight: space shows more';

/** As long as there are no choices their place stays empty: the call stands where it will be answered. */
function footOf(
  asked: AskState,
  at: PanelPlace,
  ask: ApprovalAsk,
  drawing: DrawContext,
  isShown: boolean,
  isRoomy: boolean,
): FootLines {
  // The second yes is for what was seen: out of sight, Enter is asked for nothing, and the cursor is on none.
  const isLost = asked.warned !== undefined && !isShown && hasChoices(asked, drawing);
  const beside = isLost ? { ...drawing, said: drawing.screen.tooSmall ?? OUT_OF_SIGHT } : drawing;
  const foot = choiceLines(at, ask, beside, isShown, { isRoomy, isLost });
  if (hasChoices(asked, drawing)) return foot;
  const { screen, said } = drawing;
  const { more } = screen.symbols;
  const width = screen.columns - 1 - INDENT.length;
  const note = asked.isAnswered || said === '' ? [] : wrap(said, width).map((line) => style('yellow', line));
  const lines = [
    ...note,
    style('dim', asked.isAnswered ? `answering${more}` : fit('please read; the choices come soon', width)),
  ];
  const all = lines.map((line) => `${INDENT}${line}`);
  return { lines: [...all, ...foot.lines.slice(all.length).map(() => '')] };
}

function choiceLines(
  at: PanelPlace,
  ask: ApprovalAsk,
  { screen, room, said, together }: DrawContext,
  isShown: boolean,
  { isRoomy, isLost }: { isRoomy: boolean; isLost: boolean },
): FootLines {
  const { columns, symbols } = screen;
  const width = columns - 1 - INDENT.length;
  const inside = (lines: readonly string[]): string[] => lines.map((line) => `${INDENT}${line}`);
  const note = said === '' ? [] : wrap(said, width).map((line) => style('yellow', line));
  const choices = choicesOf(ask, at.about);
  const { type } = meaningOf(at.draft.text, choices, at.isWords);
  // Words are a no, which a second question has no choice for.
  const of = markedOf(ask, at, isShown);
  const isOut = isLost && choices.some(({ name, runs }) => name === of && runs);
  const marked = type === 'words' ? 'reject' : type === 'unoffered' || isOut ? undefined : of;
  const seen = choices.filter(({ isQuiet, name }) => !isQuiet || name === marked);
  const main = seen.filter(({ isMain }) => isMain);
  const beside = seen.filter(({ isMain }) => !isMain);
  const inked = (choice: PanelChoice, text: string): string => {
    if (choice.runs && !isShown) return style('dim', text);
    return choice.name === marked ? style('bold', text) : text;
  };
  const sign = (choice: PanelChoice): string => (choice.name === marked ? symbols.cursor : ' ');
  const lines: string[] = [];
  if (isRoomy) {
    for (const choice of main) lines.push(inked(choice, fit(`${sign(choice)} ${choice.key}  ${choice.label}`, width)));
    if (beside.length > 0)
      lines.push(
        ...inkedRows(
          beside.map((choice) => ({ choice, text: `${sign(choice)} ${choice.key} ${choice.label}` })),
          inked,
          width,
        ),
      );
  } else {
    const shown = room < TINY ? seen.filter(({ isMain, name }) => isMain || ALWAYS_SHOWN.has(name)) : seen;
    const short = shown.map((choice) => ({
      choice,
      text: `${sign(choice)}${choice.key} ${SHORT[choice.name] ?? choice.label}`,
    }));
    lines.push(...inkedRows(short, inked, width));
  }
  const line = written(at.draft, `${symbols.prompt} `, hintOf(at, together.length, isRoomy, width - 2), width, screen);
  return {
    lines: inside([...note, ...lines, ...line.lines]),
    cursor: { x: INDENT.length + line.cursor.x, y: note.length + lines.length + line.cursor.y },
  };
}

/** Choices where there is little room. */
const SHORT: Readonly<Partial<Record<PanelChoice['name'], string>>> = {
  approve: 'Yes',
  always: 'Always',
  edit: 'Edit',
  reject: 'No',
  agree: 'Yes',
  again: 'Edit',
  back: 'No, back',
  auto: 'auto',
  'edit-all': 'JSON',
};

function hintOf({ about }: PanelPlace, calls: number, isRoomy: boolean, width: number): string {
  if (about.of !== 'call') return 'Enter chooses · Esc goes back';
  const next = calls > 1 ? ['Tab: the next call'] : [];
  if (!isRoomy) return row([...next, 'or type a reason'], ' · ', width);
  return row(['Enter chooses', ...next, 'or type a reason to reject'], ' · ', width);
}

/** Parts side by side, each as it is inked. */
function inkedRows(
  parts: readonly { choice: PanelChoice; text: string }[],
  inked: (choice: PanelChoice, text: string) => string,
  width: number,
): string[] {
  const lines: string[] = [];
  let used = Infinity;
  for (const { choice, text } of parts) {
    const wide = widthOf(text);
    if (used + 2 + wide > width) {
      lines.push(inked(choice, text));
      used = wide;
    } else {
      lines[lines.length - 1] += `  ${inked(choice, text)}`;
      used += 2 + wide;
    }
  }
  return lines;
}

/** The line that is written on, in at most a few rows: those about the cursor. */
function written(
  draft: TextDraft,
  label: string,
  hint: string,
  width: number,
  { rows: all }: ScreenKind,
): { lines: string[]; cursor: { x: number; y: number } } {
  const { rows: lines, cursor } = laid(draft, width - widthOf(label));
  const most = Math.max(1, Math.floor(all / 4));
  const first = Math.max(0, Math.min(cursor.row - Math.floor(most / 2), lines.length - most));
  const seen = draft.text === '' ? [style('dim', fit(hint, width - widthOf(label)))] : lines.slice(first, first + most);
  return {
    lines: hanging(label, seen, 'cyan'),
    cursor: { x: widthOf(label) + cursor.column, y: cursor.row - first },
  };
}

// --- what takes the whole room ----------------------------------------------------------------------------------------

/** A text that is written about the call. */
function writing(
  ask: ApprovalAsk,
  label: string,
  draft: TextDraft,
  does: readonly string[],
  drawing: DrawContext,
): DrawnLines {
  const { screen, room, said } = drawing;
  const width = screen.columns - 1 - INDENT.length;
  const question = wrap(headline(ask.request, width), width)
    .slice(0, 1)
    .map((line) => style('bold', line));
  const note = said === '' ? [] : wrap(said, width).map((line) => style('yellow', line));
  const keys = [
    ...note,
    ...rows([...does, 'Esc goes back'], ` ${screen.symbols.dot} `, width).map((line) => style('dim', line)),
  ];
  const { rows: lines, cursor } = laid(draft, width - widthOf(label));
  const most = Math.max(1, room - 1 - question.length - keys.length);
  const first = Math.max(0, Math.min(cursor.row - Math.floor(most / 2), lines.length - most));
  const text = hanging(label, lines.slice(first, first + most), 'bold');
  return {
    ...none(),
    lines: [title(ask, drawing), ...[...question, ...text, ...keys].map((line) => `${INDENT}${line}`)].slice(0, room),
    cursor: { x: INDENT.length + widthOf(label) + cursor.column, y: 1 + question.length + cursor.row - first },
  };
}

/** A page that is as high as there is room, and may be scrolled. */
function scrolling(
  asked: AskState,
  at: PagePlace,
  ask: ApprovalAsk,
  all: readonly string[],
  { screen, room, said }: DrawContext,
): DrawnLines {
  const page = Math.max(1, room - 2 - (said === '' ? 0 : 1));
  const most = Math.max(0, all.length - page);
  const from = Math.min(at.scroll, most);
  const seen = all.slice(from, from + page);
  const where = most === 0 ? '' : `lines ${from + 1} to ${from + seen.length} of ${all.length}`;
  const isWhole = at.at === 'whole';
  const scrolls = most === 0 ? [] : ['space next page', 'arrows scroll', 'Home End'];
  const keys = [...scrolls, 'Esc back', 'or answer it'];
  const foot = rows(keys, ` ${screen.symbols.dot} `, screen.columns - 2)[0] ?? '';
  const note = said === '' ? [] : [`${INDENT}${style('yellow', fit(said, screen.columns - 2))}`];
  const text = shownText(at.about);
  const standing = { of: `whole ${text} ${screen.columns}`, from, to: from + seen.length, total: all.length };
  const isInside = screen.tooSmall === undefined && !isCut(seen, screen.columns - INDENT.length);
  return {
    lines: [
      rule(ask.request.toolName, where, screen, 'yellow'),
      ...seen.map((line) => `${INDENT}${line}`),
      ...note,
      `${INDENT}${style('bold', foot)}`,
    ],
    isShown: isInside && isWhole && (isSeenWhole(asked.seen, standing) || asked.seenWhole === text),
    scroll: { most, page },
    ...(isInside && isWhole ? { standing: { ...standing, whole: text } } : {}),
  };
}
