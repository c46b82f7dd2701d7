/** What a piped line is to its call, wherever one is read: one line answers one call, also a bad one. */
import { messageOf } from '../errors/message-of.js';
import { unpiped, untaken, type PipedCall, type UntakenLine } from './answers.js';
import { safeLong } from './safe-long.js';

/** What is done with what a line means. */
interface PipedTaker<ANSWER, CALL extends PipedCall> {
  /** The call as the answer lets it run; `undefined`: it does not. */
  callOf(answer: ANSWER): Promise<CALL | undefined>;
  /** Takes it. @returns why it cannot be taken */
  take(answer: ANSWER, call: CALL | undefined): Promise<string | undefined>;
}

/**
 * Takes the line of a call.
 *
 * @returns why that cannot be: then it is a no, since the next line belongs to the next call; `undefined`: it was taken
 */
export async function pipedRefusal<ANSWER extends { type: string; isText?: true }, CALL extends PipedCall>(
  line: string,
  answer: ANSWER | UntakenLine,
  { callOf, take }: PipedTaker<ANSWER, CALL>,
): Promise<string | undefined> {
  if (isUntaken(answer)) return untaken(line, answer);
  // It could have been meant as a reason, and nothing is shown before it runs.
  if (answer.isText === true) return untaken(line, { broken: 'That is not JSON: on a pipe an edit is.' });
  const call = await callOf(answer);
  const refused = call && unpiped(call);
  if (refused !== undefined) return refused;
  const broken = await take(answer, call);
  return broken === undefined ? undefined : untaken(line, { broken });
}

const isUntaken = (answer: { type: string }): answer is UntakenLine => answer.type === 'say';

/** Said where a piped line is a no for that reason. */
export const notTaken = (reason: string): string => `Not accepted, so it counts as a no: ${safeLong(reason)}`;

/** Why what was to be looked at cannot be. */
export const failedIn = (error: unknown): string => safeLong(messageOf(error));
