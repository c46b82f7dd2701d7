/** Asks the human on a terminal, or on piped lines. */
import type { Readable, Writable } from 'node:stream';
import type * as Api from '../../index.js';
import type { ApprovalRequest, Decision, DecisionType, Question, QuestionRequest } from '../../index.js';
import { CountersignError, InvalidConfigError } from '../errors/index.js';
import { toldValue } from '../errors/told-value.js';
import { warnSeldom } from '../errors/warn-once.js';
import { agentLine, shownPreview, type ReasonedCall } from '../gate/agent-reason.js';
import { againLine, describedBeside } from '../gate/asked-again.js';
import { contextOf, hearsUnasked, takesCall } from '../gate/callback-calls.js';
import { makesCallbacks } from '../gate/makers.js';
import { questionsOf } from '../gate/questions.js';
import { reviewLine } from '../gate/reviewer/review-line.js';
import { whatBecame } from '../gate/decided-elsewhere.js';
import { dangersInWords, doubtsAbout, type DangerousCall } from '../gate/danger.js';
import { editedCall, NOTHING_CHANGED, type EditReader, type EditReading } from '../gate/edited-call.js';
import { standsOut, startedFirst } from '../gate/stands-out.js';
import { textOfCall } from '../gate/text-field.js';
import { whyAsked } from '../gate/why-asked.js';
import { safeText } from '../native.js';
import { takeOptions } from '../options/check.js';
import { checkForm } from '../options/forms.js';
import { snapshot, revive } from '../values/snapshot.js';
import { notifyWay, PersonCall, type NotifyWay } from './call-person.js';
import {
  ANSWERS_TWICE,
  asText,
  edited,
  isBareNo,
  readAnswer,
  readQuestionAnswer,
  readReason,
  secondLook,
  SHORT_PIPED,
  shortFor,
  WHY,
  type LineAnswer,
} from './answers.js';
import { lineInput, type LineInput } from './line-input.js';
import { linesFor, NO_LONGER_PIPED, unlined } from './owed-lines.js';
import { notTaken, pipedRefusal } from './piped-answer.js';
import { safeLong } from './safe-long.js';
import { AS_ASKED, confirming, LIKE_THIS, ShownDecision } from './shown-decision.js';
import { argumentLines } from './whole.js';
import { inWords, scrolledAway } from './window.js';

/** A request, or as much as is known of it. */
type ShownRequest = Pick<ApprovalRequest, 'preview'> & Partial<ApprovalRequest>;

const ALL: readonly DecisionType[] = ['approve', 'edit', 'reject', 'respond', 'skip'];

/** What comes with a request. `objectionTo`: why an answer would not be taken. */
interface GivenContext {
  abortSignal?: AbortSignal | undefined;
  objectionTo?: ObjectionTo;
}
type ObjectionTo = ((answer: Decision) => Promise<string | undefined>) | undefined;

/** Also what a function around this one has not handed on. */
function wholeContext(
  { approvalId }: ShownRequest,
  given: GivenContext = {},
): { abortSignal: AbortSignal; objectionTo: ObjectionTo; readEdit: EditReader | undefined } {
  checkForm('signal', given.abortSignal, 'terminalApprover: abortSignal');
  const own = contextOf(approvalId);
  const signals = [given.abortSignal, own?.abortSignal].filter((signal) => signal !== undefined);
  return {
    abortSignal: AbortSignal.any(signals),
    objectionTo: given.objectionTo ?? own?.objectionTo,
    readEdit: own?.readEdit,
  };
}

type QuestionAnswers = readonly (string | readonly string[] | null)[];

/** @see types/ */
export const terminalApprover: typeof Api.terminalApprover = (options = {}) => {
  const taken = takeOptions('terminalApprover', options) as {
    input?: Readable;
    output?: Writable;
    notify?: NotifyWay;
  };
  const { input = process.stdin, output = process.stderr } = taken;
  if (typeof input?.on !== 'function' || typeof output?.write !== 'function')
    throw new InvalidConfigError({
      message: 'terminalApprover: input must be a stream to read from, and output one to write to.',
    });
  const way = notifyWay(taken.notify, 'terminalApprover: notify');
  const lines = lineInput(input, output);
  const person = new PersonCall({ way, write: lines.isTerminal ? (text) => lines.say(text) : undefined });
  /** Asked here, and not answered yet. */
  const waiting = new Set<ShownRequest>();
  const call = (): void =>
    person.waits([...waiting].map((key) => ({ key, toolName: String(key.toolName ?? 'a call') })));
  const inTurn = (request: ShownRequest, given?: GivenContext): Promise<unknown> => {
    takesCall(request.approvalId);
    const { abortSignal, objectionTo, readEdit } = wholeContext(request, given);
    return lines.inTurn(linesFor(request), async () => {
      abortSignal.throwIfAborted();
      lines.mustBeInOrder();
      if (lines.isLeft) throw ended(lines);
      try {
        call();
        return await (request.kind === 'question'
          ? answersTo(request as QuestionRequest, lines, abortSignal)
          : decisionOn(request, lines, abortSignal, objectionTo, readEdit));
      } catch (error) {
        lines.say(abortSignal.aborted ? `\n${noLonger(lines, abortSignal.reason)}\n` : '\n');
        throw error;
      }
    });
  };
  const ask = async (request: ShownRequest, context?: GivenContext): Promise<unknown> => {
    waiting.add(request);
    try {
      return await inTurn(request, context);
    } finally {
      waiting.delete(request);
      call();
    }
  };
  // Its lines answer nothing else.
  hearsUnasked(ask, (request) => void lines.inTurn(linesFor(request), async () => {}));
  return ask as Api.TerminalApprover;
};
makesCallbacks(terminalApprover, 'terminalApprover()');

const NO_LONGER = '(This is no longer asked.)';

/** Said where somebody else was faster, or the run has ended: what was typed so far has decided nothing. */
function noLonger(lines: LineInput, reason: unknown): string {
  const said = lines.isTerminal ? NO_LONGER : NO_LONGER_PIPED;
  const became = whatBecame(reason);
  return became === undefined ? said : inWords(`${said} ${became}`, lines.window);
}

/** What is put for one answer. It is kept, since what has scrolled out of the window is known by it. */
class PutText {
  readonly #lines: LineInput;
  #text: string;

  /** @param above what was put right above it */
  constructor(lines: LineInput, above = '') {
    this.#lines = lines;
    this.#text = above;
  }

  say(text: string): void {
    this.#text += text;
    this.#lines.say(text);
  }

  /** That its beginning is out of the window, in words. */
  get away(): string | undefined {
    return this.awayOf(this.#text);
  }

  /** The same of another text. */
  awayOf(text: string): string | undefined {
    return scrolledAway(text, this.#lines.window);
  }

  /** A text that is broken between its words. */
  inWords(text: string): string {
    return inWords(text, this.#lines.window);
  }
}

async function decisionOn(
  shown: ShownRequest,
  lines: LineInput,
  signal: AbortSignal,
  objectionTo: ObjectionTo,
  readEdit: EditReader | undefined,
): Promise<Decision> {
  const request = { toolName: '', args: null, flags: [], allowedDecisions: ALL, verdict: null, changes: [], ...shown };
  const whole = argumentLines(request);
  const agent = agentLine(request);
  const put = new PutText(lines);
  const say = (text: string): void => put.say(text);
  const { first, others } = startedFirst(dangersInWords(request));
  for (const started of first) say(`\nCareful: ${started}`);
  say(`\n${headOf(request)}\n${agent === undefined ? '' : `${agent}\n`}${shownPreview(request)}\n`);
  if (shown.askedBy != null) say(inWords(`Why: ${whyAsked({ kind: 'approval', ...request })}\n`, lines.window));
  const review = reviewLine({ review: null, ...shown });
  if (review !== undefined) say(`${review}\n`);
  // Text that went through a pipe is not reviewed again, and each of its lines answers one call.
  if (!lines.isTerminal && whole.length > 0) say(`${whole.join('\n')}\n`);
  const doubts = standsOut(request);
  if (request.flags.length > 0)
    say(doubts.length > 0 ? `Careful: ${doubts.join(', ')}\n` : `It is: ${request.flags.join(', ')}\n`);
  for (const danger of others) say(inWords(`Careful: ${danger}\n`, lines.window));
  await lines.forget(signal);
  if (!lines.isTerminal) return pipedDecision(request, lines, signal, objectionTo, readEdit);
  say(inWords(`${shortFor(request)}\n`, lines.window));
  const decision = new ShownDecision<LineAnswer>({ type: 'approve' });
  /** The call as it was shown last. */
  let last: AskedCall = request;
  /** What was shown of an edit says nothing of the next one, which could not be taken. */
  const startOver = (): void => {
    decision.startOver();
    last = request;
    lines.say(asAsked(request));
  };
  for (;;) {
    const line = await next(lines, 'Run it? ', signal);
    const isDraft = line.trim() === 'e' && request.allowedDecisions.includes('edit');
    const given = isDraft ? await drafted(lines, signal, request, last) : readAnswer(line, request, last);
    const meant = decision.meant(given);
    if (isBareNo(meant)) lines.say(`${inWords(WHY, lines.window)}\n`);
    const answer = isBareNo(meant) ? await withReason(lines, signal) : meant;
    if (answer.type === 'say') {
      lines.say(inWords(`${answer.lines.join('\n')}\n`, lines.window));
      if (answer.broken === undefined || decision.last === undefined) continue;
      startOver();
      await lines.forget(signal);
      continue;
    }
    const call = decision.isLast(answer) ? last : await callOf(answer, request, readEdit);
    const look = lookAgain(answer, call, request, decision, put);
    if (look !== undefined) {
      last = look.call;
      lines.say(look.text);
      await lines.forget(signal);
      continue;
    }
    const taken = await checked(answer, call, objectionTo);
    if (taken.objection === undefined) return taken.decision;
    // It is about this call: the next question must not get the answer to it.
    lines.say(inWords(`Not accepted: ${safeLong(taken.objection)}\n`, lines.window));
    if (answer.type === 'edit') startOver();
    lines.say(inWords(`${shortFor(request)}\n`, lines.window));
    await lines.forget(signal);
  }
}

/**
 * Other arguments, written from those that were shown last. Those themselves confirm nothing, since Enter alone gives them: what was
 * shown is confirmed with words.
 */
async function drafted(
  lines: LineInput,
  signal: AbortSignal,
  request: AskedCall,
  last: AskedCall,
): Promise<LineAnswer> {
  const args = last === request ? request.args : revive(last.args);
  const field = textOfCall(args)?.text;
  // What a line cannot hold as it is, it holds as JSON.
  const draft =
    field === undefined || !/^[\x20-\x7e]+$/.test(field) || /^\s*[{["]/.test(field) ? editable(args) : field;
  const text = await next(lines, 'Run it with: ', signal, draft);
  if (last === request || text.trim() !== draft.trim()) return edited(text, request);
  return { type: 'say', lines: [`${NOTHING_CHANGED}.`, confirming({ type: 'edit' })] };
}

/** A no is said by now: where the input ends before its reason, it is one without. */
async function withReason(lines: LineInput, signal: AbortSignal): Promise<LineAnswer> {
  const line = await lines.line({ prompt: 'Why? ', signal });
  return readReason(line ?? '');
}

/** A call, as much of it as is asked about. */
type AskedCall = DangerousCall &
  ReasonedCall &
  Pick<ApprovalRequest, 'flags' | 'preview' | 'allowedDecisions'> &
  Partial<Pick<EditReading, 'shown'>>;

/**
 * What is shown before an answer runs something: where one yes is not enough for the call or for what it was edited to, or where
 * something else was shown last.
 */
function lookAgain(
  answer: TakenAnswer,
  call: AskedCall | undefined,
  request: AskedCall,
  decision: ShownDecision<LineAnswer>,
  put: PutText,
): { text: string; call: AskedCall } | undefined {
  if (call === undefined || decision.isLast(answer)) return undefined;
  const again = decision.last?.type === 'edit' ? asAsked(request) : '';
  const shown = answer.type === 'edit' ? `${LIKE_THIS}\n${shownPreview(call)}\n` : again;
  const away = shown === '' ? put.away : put.awayOf(shown);
  if (decision.runsAtOnce(answer, [...doubtsAbout(call), ...(away === undefined ? [] : [away]), ...asText(answer)]))
    return undefined;
  const look = `${secondLook(call, away)} ${confirming(answer)}`.trimStart();
  return { text: `${shown}${put.inWords(`${look}\n`)}`, call };
}

/** An answer that decides something. */
type TakenAnswer = Exclude<LineAnswer, { type: 'say' }>;

/** The call as an answer lets it run; `undefined`: it does not. */
async function callOf(
  answer: TakenAnswer,
  request: AskedCall,
  readEdit: EditReader | undefined,
): Promise<AskedCall | undefined> {
  if (answer.type === 'edit') return editedCall(request, snapshot(revive(answer.args)).json, readEdit);
  return answer.type === 'approve' ? request : undefined;
}

/** The call once more, behind other arguments. */
const asAsked = (request: Pick<ApprovalRequest, 'preview'> & ReasonedCall): string =>
  `${AS_ASKED}\n${shownPreview(request)}\n`;

/** Takes one line, even a bad one: the next one belongs to the next call. */
async function pipedDecision(
  request: ShownRequest & AskedCall,
  lines: LineInput,
  signal: AbortSignal,
  objectionTo: ObjectionTo,
  readEdit: EditReader | undefined,
): Promise<Decision> {
  const unwritten = unlined(request);
  if (unwritten !== undefined) return rejectUntaken(request, lines, unwritten);
  lines.say(`${SHORT_PIPED}\n`);
  const line = await next(lines, 'Run it? ', signal);
  let taken: Decision | undefined;
  const refused = await pipedRefusal<TakenAnswer, AskedCall>(line, readAnswer(line, request), {
    callOf: (answer) => callOf(answer, request, readEdit),
    take: async (answer, call) => {
      const { decision, objection } = await checked(answer, call, objectionTo);
      taken = decision;
      return objection;
    },
  });
  return taken === undefined || refused !== undefined ? rejectUntaken(request, lines, refused ?? '') : taken;
}

/** The developer is told, too: the model alone cannot mend what is piped. */
function rejectUntaken({ toolName }: ShownRequest, lines: LineInput, reason: string): Decision {
  lines.say(`${notTaken(reason)}\n`);
  const name = toldValue(toolName);
  // Its words may have arguments in them.
  warnSeldom(
    `piped:${name}`,
    `terminalApprover: no piped line answers a call of ${name}, so that the call was rejected: the reason of the rejection says why. Each line of a pipe answers one call.`,
  );
  return { type: 'reject', reason };
}

/** What a line decides, and why that would not be taken. An edit is what was shown of it, or was looked at where nothing stood out. */
async function checked(
  answer: TakenAnswer,
  call: AskedCall | undefined,
  objectionTo: ObjectionTo,
): Promise<{ decision: Decision; objection: string | undefined }> {
  const decision: Decision =
    answer.type === 'edit' ? { type: 'edit', args: revive(answer.args), shown: call?.shown ?? null } : answer;
  return { decision, objection: await objectionTo?.(decision) };
}

/** The arguments as JSON that a terminal shows as it is. */
const editable = (args: unknown): string =>
  JSON.stringify(snapshot(args).json).replace(/[^\x20-\x7e]/g, (unit) =>
    safeText(unit) === unit ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Which call it is, and what is said of it beside what it would do. */
function headOf(request: ShownRequest): string {
  const { step = null, toolCallId, origin = [], description = '' } = request;
  const whose = origin.length > 1 ? `A call of ${safeText(String(origin.at(-1)))} waits` : 'Waits';
  const place = [
    ...(toolCallId === undefined ? [] : [`call ${safeText(toolCallId)}`]),
    ...(step === null ? [] : [`step ${step}`]),
  ];
  const call = place.length === 0 ? '' : ` (${place.join(', ')})`;
  const said = describedBeside({ ...request, description });
  const isOurs = said === '' || said.startsWith('Run tool "');
  return [`${whose} for your approval${call}`, ...[againLine(request) ?? []].flat(), ...(isOurs ? [] : [said])].join(
    '\n',
  );
}

/** `null`: the human does not want to answer. */
async function answersTo(
  request: QuestionRequest,
  lines: LineInput,
  signal: AbortSignal,
): Promise<QuestionAnswers | null> {
  const again = againLine(request);
  const opening = `\nThe agent asks you something. /no: you do not want to answer.\n${again === undefined ? '' : `${again}\n`}`;
  lines.say(opening);
  const unwritten = lines.isTerminal ? undefined : unlined(request);
  if (unwritten !== undefined) {
    lines.say(`${notTaken(unwritten)}\n`);
    return null;
  }
  const answers: (string | readonly string[] | null)[] = [];
  for (const [at, question] of (questionsOf(request) ?? []).entries()) {
    const answer = await answerTo(question, lines, signal, at === 0 ? opening : '');
    if (answer === undefined) return null;
    answers.push(answer);
  }
  return answers;
}

/**
 * `undefined`: the human does not want to answer anything.
 *
 * @param above what was put right above it
 */
async function answerTo(
  question: Question,
  lines: LineInput,
  signal: AbortSignal,
  above: string,
): Promise<string | readonly string[] | null | undefined> {
  const put = new PutText(lines, above);
  const say = (text: string): void => put.say(text);
  say(`${safeLong(question.question)}${question.required === false ? ' (an empty line leaves it out)' : ''}\n`);
  for (const [at, { label, description }] of (question.kind === 'text' ? [] : question.options).entries())
    say(`  ${at + 1}. ${safeLong(label)}${description === undefined ? '' : `: ${safeLong(description)}`}\n`);
  if (question.kind === 'multi_select') say('Numbers, with commas between them.\n');
  // Also what was typed ahead to the question before it.
  await lines.forget(signal);
  let isWarned = false;
  for (;;) {
    const answer = readQuestionAnswer(await next(lines, '> ', signal), question);
    if (answer.type === 'none') return undefined;
    const away = lines.isTerminal ? put.away : undefined;
    if (answer.type === 'answer' && away !== undefined && !isWarned) {
      isWarned = true;
      lines.say(inWords(`Careful: ${away}. ${ANSWERS_TWICE}\n`, lines.window));
      await lines.forget(signal);
      continue;
    }
    if (answer.type === 'answer') return answer.answer;
    lines.say(`${answer.lines.join('\n')}\n`);
    if (lines.isTerminal) continue;
    // The next line belongs to what is asked next.
    warnSeldom(
      'piped:question',
      'terminalApprover: the piped line for a question does not answer it, so that the questions are left unanswered. Each line of a pipe answers one question.',
    );
    return undefined;
  }
}

/** @throws without anyone to ask: that is for the developer to fix, and not a human's no */
async function next(lines: LineInput, prompt: string, signal: AbortSignal, draft?: string): Promise<string> {
  const line = await lines.line({ prompt, draft, signal });
  if (line === undefined) throw ended(lines);
  return line;
}

const ended = ({ isTerminal }: LineInput): CountersignError =>
  new CountersignError({
    code: 'ERR_INPUT_ENDED',
    message: isTerminal
      ? 'the input has ended (Ctrl+D), and nobody can answer'
      : 'the input has ended, and nobody can answer (on a terminal somebody can; a pipe needs one line for each call)',
  });
