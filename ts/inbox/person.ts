/** Who sends a request. */
import type { Logger } from '../../index.js';
import { messageOf } from '../errors/message-of.js';
import { inTime } from '../values/in-time.js';
import { isPersonName } from '../gate/person-name.js';
import type { InboxPerson } from './may.js';
import type { InboxSettings } from './options.js';
import { RefusedRequest } from './refusal.js';

const LONGEST_NAME = 256;

const isName = (text: unknown): text is string =>
  typeof text === 'string' && text.trim() !== '' && text.length <= LONGEST_NAME && text.isWellFormed();

export const isNameOfPerson = (text: unknown): text is string => isName(text) && isPersonName(text);
export const areGroups = (names: unknown): names is string[] => Array.isArray(names) && names.every(isName);

/** What the name of a person may be. */
export const NAME_OF_PERSON = `the name of a person: at most ${LONGEST_NAME} characters, some that can be seen, and not 'group:…'`;

/** @throws {RefusedRequest} 401 for an unknown person, and when it cannot be told */
export async function personOf(request: Request, { authenticate, logger }: InboxSettings): Promise<InboxPerson> {
  let said: unknown;
  try {
    said = await inTime(authenticate(request), undefined);
  } catch (error) {
    tell(logger, 'the inbox could not tell who sent a request', { reason: messageOf(error) });
    throw nobody();
  }
  if (said === null) throw nobody();
  const person = readPerson(said);
  if (person !== undefined) return person;
  tell(logger, 'authenticate returned neither a person nor null', { returned: typeof said });
  throw nobody();
}

function readPerson(said: unknown): InboxPerson | undefined {
  if (typeof said !== 'object' || said === null) return undefined;
  const { name, groups = [], mayDecide = true, session = null } = said as Record<string, unknown>;
  if (!isNameOfPerson(name) || !areGroups(groups)) return undefined;
  if (typeof mayDecide !== 'boolean' || (session !== null && typeof session !== 'string')) return undefined;
  return { name, groups: [...groups], mayDecide, session };
}

const nobody = (): RefusedRequest => new RefusedRequest(401, 'ERR_UNAUTHENTICATED', 'Sign in first.');

function tell(logger: Logger | undefined, message: string, fields: Record<string, unknown>): void {
  try {
    logger?.error?.(message, fields);
  } catch {
    // A logger that throws lets no one in.
  }
}
