/** What a request says in a sentence: in the words of the program that asks, or by the verdict. */
import type { ApprovalRequest, AskedAgain } from '../../index.js';
import { argsWithoutReason } from './agent-reason.js';
import { againLine } from './asked-again.js';
import { callInALine, oneLine, withoutLines } from './in-a-line.js';
import { howItRuns } from './runs-as.js';
import { originOf } from '../errors/message-of.js';
import { toldKind } from '../errors/told-value.js';
import { warnSeldom } from '../errors/warn-once.js';
import { inTime } from '../values/in-time.js';
import { copyOf, type ValueSnapshot } from '../values/snapshot.js';
import type { CallQuestion } from './call-question.js';
import { digestOf } from './edits.js';

/**
 * The `description` of a call; `null`: the default.
 *
 * @param inContext calls what the program gave in the program's own async context
 */
export async function describe(question: CallQuestion, inContext: InContext): Promise<string | null> {
  const said = withHow(await describedBy(question, inContext), question);
  const again = againLine({ askedAgain: askedAgainOf(question) });
  const whole = again === undefined ? said : `${again}${said === null ? '' : ` ${said}`}`;
  // It may quote arguments: a line that they begin would be taken for one of the prompt.
  return whole === null ? null : withoutLines(whole);
}

/** Why it is asked about once more; `null`: it is not. */
export function askedAgainOf(question: CallQuestion): AskedAgain | null {
  const { supersedes } = question;
  if (supersedes === undefined) return null;
  const because = oneLine([supersedes.reason, ...otherArgs(question)].join(' '));
  return { because, takenBack: supersedes.takenBack };
}

/** What had been asked, and what had been started, where it is not this call. */
function otherArgs({ toolName, args, editedFrom, started = [], supersedes }: CallQuestion): string[] {
  const inWords = ({ json }: ValueSnapshot) => argsInWords(toolName, json);
  const others = started.filter((each) => digestOf(each) !== digestOf(args)).map(inWords);
  return [
    ...(editedFrom === undefined
      ? []
      : [`${named(supersedes?.editedBy)} had changed the arguments. The model wrote ${inWords(editedFrom)}.`]),
    ...(others.length === 0 ? [] : [`What was started had other arguments: ${[...new Set(others)].join('; ')}.`]),
  ];
}

const argsInWords = (toolName: string, args: unknown): string =>
  `${toolName}: ${callInALine({ ...PLAIN_CALL, args, verdict: null, agentReason: null })}`;

/** Who had edited a call: the request that shows the edit again does not have the decision. */
const named = (by: string | undefined): string => (by === undefined ? 'A person' : `A person (${oneLine(by)})`);

/** Why a decision is taken back. What a human had made of the call is not in its record any more. */
export const takenBackFor = (reason: string, toolName: string, edited: { args: unknown } | undefined): string =>
  edited === undefined ? reason : `${reason} A person had changed it to ${argsInWords(toolName, edited.args)}.`;

/** Why a call does not run that a person had changed to what cannot run any more: what the model wrote is not what they approved. */
export const lostEditFor = (toolName: string, edited: { args: unknown } | undefined, why: string): string =>
  `${takenBackFor('The edit of this call was approved, and cannot run.', toolName, edited)} The reason: ${why}`;

/** The human must know what an approval lets happen. */
function withHow(said: string | null, question: CallQuestion): string | null {
  const how = howItRuns(question.tool, copyOf(question.args));
  if (how === undefined) return said;
  const whole = said ?? lineOf(question);
  return `${whole}${/[.!?]\s*$/.test(whole) ? '' : '.'} ${how}`;
}

const PLAIN_CALL: Pick<ApprovalRequest, 'kind' | 'contents' | 'changes'> = {
  kind: 'approval',
  contents: 'kept',
  changes: [],
};

type InContext = <T>(call: () => T) => T;

async function describedBy(question: CallQuestion, inContext: InContext): Promise<string | null> {
  const { entry, toolCallId, toolName, args, verdict, signal } = question;
  const description: unknown = entry?.description;
  try {
    const text: unknown =
      typeof description === 'function'
        ? await inTime(
            inContext(
              () => Reflect.apply(description, entry, [{ toolCallId, toolName, args: copyOf(args) }]) as unknown,
            ),
            signal,
          )
        : description;
    if (typeof text === 'string') return text;
    if (text !== undefined) warnDescription(toolName, `gave ${toldKind(text)}, and must give a text`);
  } catch (error) {
    // Also when it took too long: the call must be asked about all the same, and the default says what it is.
    if (signal?.aborted !== true) warnDescription(toolName, `failed (${originOf(error)})`);
  }
  const reason = verdict?.effect === 'ask' ? verdict.reason : undefined;
  if (reason === undefined) return null;
  // A policy's reason names what of the call it is about; that of a function need not.
  return verdict?.said == null ? `${lineOf(question)} (${reason})` : `${toolName}: ${reason}`;
}

/** The human sees that something else stands there, and cannot mend it. */
const warnDescription = (toolName: string, what: string): void =>
  warnSeldom(
    `description:${toolName}:${what}`,
    `interruptOn[${JSON.stringify(toolName)}].description ${what}: the human was shown the call in other words.`,
  );

/** The call as it is described where nothing else is said of it. */
const lineOf = ({ tool, toolName, args, verdict }: CallQuestion): string =>
  `${toolName}: ${callInALine({ ...PLAIN_CALL, args: argsWithoutReason(tool, copyOf(args)), verdict: verdict?.said ?? null })}`;
