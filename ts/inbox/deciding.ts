/** What a person decides. It counts when the gate says so; here it is only read, checked and told. */
import type { ApprovalRecord, Decision, PolicyVerdict } from '../../index.js';
import { becomes } from '../ai-sdk/saved/told-run.js';
import { messageOf } from '../errors/message-of.js';
import { MOST_AT_ONCE, refuseIfDoubtful } from '../gate/batch.js';
import { editedCall, isUnchanged, NOTHING_CHANGED } from '../gate/edited-call.js';
import type { LocalGate } from '../gate/gate.js';
import { preview } from '../native.js';
import { snapshot } from '../values/snapshot.js';
import { existing } from './looking.js';
import { isSamePerson } from '../gate/person-name.js';
import { dangersInWords } from '../gate/danger.js';
import type { BulkBody, BulkResults, CheckAnswer, DecideAnswer, ErrorBody, ProblemAnswer } from './protocol.js';
import { badRequest, failureOf, forbidden, isTrouble, RefusedRequest, winnerOf } from './refusal.js';
import { ID } from './routes.js';
import { toldRunAt } from './run-heads.js';
import { problemsOf, schemaOf } from './schema.js';
import { recordOf, segmentsOf, verdictOf, type ViewContext } from './view.js';

const TYPES: readonly unknown[] = ['approve', 'edit', 'reject', 'rejectAndStop', 'respond', 'skip'];

/** @throws what `gate.decide` throws, and {@link RefusedRequest} 400, 403, 404, 422 */
export async function decide(
  gate: LocalGate,
  id: string,
  body: Record<string, unknown>,
  eyes: ViewContext,
): Promise<DecideAnswer> {
  const { person } = eyes;
  const decision = readDecision(body['decision'], eyes);
  if (!person.mayDecide) throw forbidden('You may look, and not decide.');
  const before = await existing(gate, id);
  if (decision.type === 'edit' && before.status === 'pending') {
    if (before.contents === 'kept' && isUnchanged(snapshot(before.args).json, decision.args))
      throw new RefusedRequest(422, 'ERR_INVALID_DECISION', `${NOTHING_CHANGED}.`);
    const { problems } = await checked(gate, before, decision.args);
    if (problems.length > 0)
      throw new RefusedRequest(422, 'ERR_INVALID_DECISION', 'The edited arguments do not fit.', { problems });
  }
  const { name: by, groups } = person;
  const record = await gate.decide(id, decision, { by, groups, via: 'inbox' });
  const counted = record.status !== 'pending' || !before.votes.some((vote) => isSamePerson(vote.by, by));
  const run = await toldRunAt(gate, record);
  return { record: recordOf(record, eyes), counted, becomes: becomes(record, run) };
}

/** Answers of other libraries are for callbacks: here only our own words are taken. */
function readDecision(given: unknown, { scopes }: ViewContext): Decision {
  if (typeof given !== 'object' || given === null || !Object.hasOwn(given, 'type')) throw malformed();
  const { type, reason, remember } = given as { type: unknown; reason?: unknown; remember?: unknown };
  if (!TYPES.includes(type) || !(reason === undefined || typeof reason === 'string')) throw malformed();
  const person = ['by', 'groups', 'via'].find((name) => Object.hasOwn(given, name));
  if (person !== undefined)
    throw new RefusedRequest(
      422,
      'ERR_INVALID_DECISION',
      `decision has ${person}, which is not taken from it: who is signed in decides, through the inbox.`,
    );
  if (type === 'edit' && !Object.hasOwn(given, 'args')) throw malformed();
  const { shown = null } = given as { shown?: unknown };
  if (shown !== null && (type !== 'edit' || typeof shown !== 'string')) throw malformed();
  if (type === 'respond' && !Object.hasOwn(given, 'output')) throw malformed();
  if (remember !== undefined) {
    const scope =
      typeof remember === 'object' && remember !== null ? (remember as { scope?: unknown }).scope : remember;
    if (!(scopes as readonly unknown[]).includes(scope))
      throw new RefusedRequest(
        422,
        'ERR_INVALID_DECISION',
        'This inbox does not remember that: decide without `remember`.',
      );
  }
  // Who saw nothing of an edit, or does not say so, has not looked at its files.
  return type === 'edit' ? ({ ...given, shown } as Decision) : (given as Decision);
}

const malformed = () =>
  badRequest(
    "decision must be { type: 'approve' | 'edit' | 'reject' | 'respond' | 'skip', … }: see the README, under Decisions.",
  );

/** Arguments in an editor: what is wrong with them, how they look, and what the policies would say. */
export async function check(
  gate: LocalGate,
  id: string,
  body: Record<string, unknown>,
  { person }: ViewContext,
): Promise<CheckAnswer> {
  // Work that anybody could ask for is work for those who may decide.
  if (!person.mayDecide) throw forbidden('You may look, and not decide.');
  if (!Object.hasOwn(body, 'args')) throw badRequest('args is missing.');
  const record = await existing(gate, id);
  const { problems, hasSchema, verdict, page } = await checked(gate, record, body['args']);
  const read = (args: unknown) => gate.readEdit(record, args);
  const call = page.problems.length > 0 ? undefined : await editedCall(record, snapshot(body['args']).json, read);
  const said = call?.verdict ?? verdict;
  return {
    problems,
    schema: hasSchema,
    preview: call?.preview ?? page.text,
    flags: [...(call?.flags ?? page.flags)],
    dangers: call === undefined ? [] : dangersInWords(call),
    verdict: verdictOf(said),
    segments: segmentsOf(said),
    shown: call?.shown ?? null,
  };
}

interface LookedUp {
  problems: ProblemAnswer[];
  hasSchema: boolean;
  verdict: PolicyVerdict;
  page: ReturnType<typeof pageOf>;
}

async function checked(gate: LocalGate, record: ApprovalRecord, args: unknown): Promise<LookedUp> {
  const { toolName, runId } = record;
  if (record.kind === 'question')
    throw new RefusedRequest(422, 'ERR_INVALID_DECISION', 'Questions are answered, not edited.');
  const schema = await schemaOf(gate, record);
  const page = pageOf(toolName, args);
  const problems = [...page.problems, ...problemsOf(schema, args)];
  const verdict = await gate.check({ toolName, args, runId });
  if (verdict.effect === 'deny')
    problems.push({ path: '', message: `The policies deny it: ${verdictOf(verdict).reason}` });
  return { problems, hasSchema: schema !== null, verdict, page };
}

function pageOf(toolName: string, args: unknown): { text: string; flags: string[]; problems: ProblemAnswer[] } {
  try {
    return { ...preview(toolName, snapshot(args).json), problems: [] };
  } catch (error) {
    return { text: '', flags: [], problems: [{ path: '', message: messageOf(error) }] };
  }
}

/** Several requests of one run, one after the other. What becomes of one changes nothing for the others. */
export async function decideAll(
  gate: LocalGate,
  body: Record<string, unknown>,
  eyes: ViewContext,
): Promise<BulkResults> {
  const { ids, decision } = readBulk(body);
  const records = await Promise.all(ids.map((id) => gate.get(id)));
  const runs = new Set(records.map((record) => record?.runId));
  if (runs.has(undefined)) throw new RefusedRequest(404, 'ERR_NOT_FOUND', 'One of these requests does not exist.');
  if (runs.size > 1) throw badRequest('Only requests of one run can be decided together.');
  const results: BulkResults['results'][number][] = [];
  for (const approvalId of ids) {
    try {
      const waits = records.find((each) => each?.approvalId === approvalId);
      if (decision.type === 'approve' && waits?.status === 'pending') refuseIfDoubtful(waits);
      const { record } = await decide(gate, approvalId, { decision }, eyes);
      results.push({ approvalId, ok: true, record, error: null });
    } catch (error) {
      // What is wrong with the ledger is wrong with the next one, too.
      if (isTrouble(error) && results.length === 0) throw error;
      results.push({ approvalId, ok: false, record: null, error: errorOf(error, eyes) });
    }
  }
  return { results };
}

function readBulk(body: Record<string, unknown>): BulkBody {
  const { ids, decision } = body;
  const isId = (id: unknown): id is string => typeof id === 'string' && ID.test(id);
  if (!Array.isArray(ids) || ids.length === 0 || !ids.every(isId)) throw badRequest('ids must be a list of ids.');
  if (ids.length > MOST_AT_ONCE) throw badRequest(`At most ${MOST_AT_ONCE} requests can be decided together.`);
  const { type, reason, ...more } = (typeof decision === 'object' && decision !== null ? decision : {}) as Record<
    string,
    unknown
  >;
  const isSimple = (type === 'approve' || type === 'reject' || type === 'skip') && Object.keys(more).length === 0;
  if (!isSimple || !(reason === undefined || typeof reason === 'string'))
    throw badRequest("decision must be { type: 'approve' | 'reject' | 'skip', reason? }.");
  return { ids: [...new Set(ids)], decision: reason === undefined ? { type } : { type, reason } };
}

/** An error, with the decision that stands. */
export function errorOf(error: unknown, eyes: ViewContext): ErrorBody {
  const winner = winnerOf(error);
  const { error: told } = failureOf(error);
  return winner === undefined ? told : { ...told, winner: recordOf(winner, eyes) };
}
