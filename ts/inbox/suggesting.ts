/** Rules for the policy of the project that the gate works in, from what was asked about in it. */
import { createHash } from 'node:crypto';
import type { LocalGate } from '../gate/gate.js';
import { oneLine } from '../gate/in-a-line.js';
import {
  acceptSuggestion,
  LEFT_OUT,
  mayTrust,
  proposalDiff,
  provenBy,
  suggestPolicy,
  whyNothing,
  type PolicySuggestion,
} from '../gate/suggesting.js';
import { safeText } from '../native.js';
import { messageOf } from '../errors/message-of.js';
import { CountersignError } from '../errors/index.js';
import type { AcceptAnswer, SuggestionAnswer } from './protocol.js';
import { badRequest, forbidden, RefusedRequest } from './refusal.js';
import type { ViewContext } from './view.js';

/** What it would come to; `null` where this person, or this inbox, may remember nothing for the project. */
export async function suggestion(gate: LocalGate, eyes: ViewContext): Promise<SuggestionAnswer> {
  const { now } = eyes;
  const whyNot = whyNone(gate, eyes);
  if (whyNot !== null) return { suggestion: null, whyNot, now };
  const made = await suggested(gate);
  if ('whyNot' in made) return { suggestion: null, whyNot: oneLine(made.whyNot), now };
  const { offers, leftOut, path } = made;
  return {
    suggestion: {
      digest: digestOf(made),
      file: oneLine(path),
      diff: proposalDiff(made).map(safeText),
      offers: offers.map(({ effect, label, saves }) => ({ effect, label: oneLine(label), saves })),
      leftOut: leftOut.map(({ label, why }) => ({ label: oneLine(label), why: LEFT_OUT[why] })),
      proof: offers.length > 0 ? provenBy(made) : whyNothing(made),
      mayTrust: mayTrust(made),
    },
    whyNot: null,
    now,
  };
}

/** @throws {RefusedRequest} 400, 403, 409 when it would not be what was shown */
export async function acceptSuggested(
  gate: LocalGate,
  body: Record<string, unknown>,
  eyes: ViewContext,
): Promise<AcceptAnswer> {
  const { digest, trust = false } = body;
  if (typeof digest !== 'string' || typeof trust !== 'boolean') throw badRequest('digest and trust are what is sent.');
  const whyNot = whyNone(gate, eyes);
  if (whyNot !== null) throw forbidden(whyNot);
  const made = await suggested(gate);
  if ('whyNot' in made || digestOf(made) !== digest || made.offers.length === 0) throw changed();
  if (trust && !mayTrust(made)) throw forbidden('The file was not trusted before: it is trusted at a terminal.');
  try {
    await acceptSuggestion(made, { by: eyes.person.name, trust, note: (note) => gate.note(note) });
  } catch (error) {
    if (CountersignError.isInstance(error) && error.message.includes('changed since')) throw changed();
    throw error;
  }
  return { file: oneLine(made.path), trusted: trust, now: eyes.now };
}

/** The rights of "always", for ever. */
function whyNone(gate: LocalGate, { person, scopes }: ViewContext): string | null {
  if (!person.mayDecide) return 'You may look, and not decide.';
  if (!scopes.includes('always')) return 'This inbox remembers nothing for ever.';
  return gate.isDurable ? null : 'This ledger lives in memory and ends with its process: there is no history.';
}

async function suggested(gate: LocalGate): Promise<PolicySuggestion | { whyNot: string }> {
  const source = {
    history: async ({ before, limit }: { before: string | null; limit: number }) =>
      gate.history({ limit, ...(before === null ? {} : { before }) }),
    records: (runId: string) => gate.records(runId),
  };
  try {
    return await suggestPolicy(source, gate.control.cwd);
  } catch (error) {
    // A file with a fault is the answer, and no failure of the inbox.
    if (CountersignError.isInstance(error) && error.code === 'ERR_INVALID_CONFIG') return { whyNot: messageOf(error) };
    throw error;
  }
}

/** What is accepted is what was shown: the whole text that would stand there, in the place of this one. */
const digestOf = ({ before, after }: PolicySuggestion): string =>
  createHash('sha256')
    .update(JSON.stringify([before, after]))
    .digest('hex');

const changed = (): RefusedRequest =>
  new RefusedRequest(409, 'ERR_CHANGED', 'It is no longer what was shown: look at it again.');
