/**
 * A call as data for a model: one line of JSON. Texts of the call, of files and of conversations stand in it as strings, and none
 * of them can end its string, begin another line, or hide.
 */
import type { ReviewedCall } from '../../../index.js';
import { plain } from '../in-a-line.js';
import { snapshot } from '../../values/snapshot.js';

/** How much of each part a model is given, in UTF-16 units of JSON. */
const MOST_ARGUMENTS = 100_000;
const MOST_CHANGES = 100_000;
const MOST_TEXT = 20_000;
const MOST_CONVERSATION = 100_000;

/** A call as a line of JSON. */
export interface CallData {
  json: string;
  /** Whether all of the call is in it, and all that was asked for. How long the conversation was does not count. */
  isWhole: boolean;
}

export function asData(call: ReviewedCall): CallData {
  const { toolName, origin, verdict, prompt, task, messages } = call;
  const args = bounded(snapshot(call.args).json, MOST_ARGUMENTS);
  const changes = bounded(
    call.changes.map(({ path, target, diff }) => ({ path, target, diff })),
    MOST_CHANGES,
  );
  const data = {
    call: { tool: toolName, arguments: args.value, agent: origin },
    policies: verdict === null ? null : { say: verdict.effect, why: verdict.reason },
    changes: changes.value,
    userAskedFor: prompt === null ? null : shortened(prompt, MOST_TEXT),
    ...(task === null ? {} : { agentAskedFor: shortened(task, MOST_TEXT) }),
    ...(messages.length === 0 ? {} : { conversation: lastOf(messages) }),
  };
  const isAskedWhole = [prompt, task].every((text) => text === null || text.length <= MOST_TEXT);
  return { json: shielded(JSON.stringify(data)), isWhole: args.isWhole && changes.isWhole && isAskedWhole };
}

/** A value as it is, or the text of both its ends where it is too long. */
function bounded(value: unknown, most: number): { value: unknown; isWhole: boolean } {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= most
    ? { value, isWhole: true }
    : { value: { tooLongToShow: shortened(text, most) }, isWhole: false };
}

const shortened = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text.slice(0, most / 2)} […${text.length - most} characters…] ${text.slice(-most / 2)}`;

/** The end of a conversation. */
function lastOf(messages: ReviewedCall['messages']): unknown[] {
  const last: unknown[] = [];
  let length = 0;
  for (const { role, content } of messages.toReversed()) {
    const text = shortened(plain(content), MOST_TEXT);
    length += text.length;
    if (length > MOST_CONVERSATION) break;
    last.unshift({ role, content: text });
  }
  return last;
}

/**
 * JSON with the same meaning, in which no character is invisible, turns the direction of what follows, ends a line, or could be taken
 * for markup of a prompt.
 */
const shielded = (json: string): string => json.replace(UNSEEN, escaped);

const UNSEEN = /[<>&`]|\p{C}|\p{Zl}|\p{Zp}/gu;

/** Each UTF-16 unit of it: JSON has no other way. */
const escaped = (char: string): string =>
  Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
