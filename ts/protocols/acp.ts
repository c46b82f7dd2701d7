/** What `countersign/acp` exports; `acp.d.ts` documents it. */
import type * as Api from '../../acp.js';
import type { ApprovalRequest, Decision, FileChange } from '../../index.js';
import { InvalidConfigError } from '../errors/index.js';
import { oneLine } from '../gate/in-a-line.js';
import { readsNoLines } from '../gate/callback-calls.js';
import { makesCallbacks } from '../gate/makers.js';
import { beware, dangersInWords, needsSecondYes } from '../gate/danger.js';
import { isHighRisk, standsOut, startedFirst } from '../gate/stands-out.js';
import { safeText } from '../native.js';
import {
  checkConnection,
  isRecord,
  ofRequest,
  offersOf,
  own,
  rejection,
  shownWhole,
  takenBy,
  takeProtocolOptions,
  unusedIn,
  type ProtocolOptions,
} from './offers.js';

/** @see acp.d.ts */
export const toPermissionRequest: typeof Api.toPermissionRequest = (request, sessionId, given) => {
  const options = takeProtocolOptions('toPermissionRequest', given);
  checkSession('toPermissionRequest', sessionId);
  return ofRequest('toPermissionRequest', request, () =>
    permissionRequest(request, sessionId, options, needsSecondYes(request)),
  );
};

/** @param isSecond whether it is the last word on a call that stands out */
function permissionRequest(
  request: ApprovalRequest,
  sessionId: string,
  options: ProtocolOptions | undefined,
  isSecond: boolean,
): Api.AcpPermissionRequest {
  const description = oneLine(request.description);
  return {
    sessionId,
    toolCall: {
      toolCallId: request.toolCallId,
      title: isSecond ? oneLine(`${beware(request)}: ${description}`) : description,
      kind: kindOf(request),
      status: 'pending',
      content: [
        { type: 'content', content: { type: 'text', text: shownWhole(request) } },
        ...request.changes.filter(({ path }) => isSafe(path)).flatMap(diffsOf),
      ],
      locations: request.changes.flatMap(({ path }) => (isSafe(path) ? [{ path }] : [])),
    },
    options: optionsOf(request, options, isSecond).map(({ id, label, decision }) => ({
      optionId: id,
      name: oneLine(label),
      kind: `${decision.type === 'approve' ? 'allow' : 'reject'}_${id.includes('-always') ? 'always' : 'once'}`,
    })),
  };
}

/** What can be picked. The last word on a call that stands out has a name of its own: no answer to another question is it. */
function optionsOf(request: ApprovalRequest, options: ProtocolOptions | undefined, isSecond: boolean) {
  return offersOf(request, options).map((offer) => {
    const { id, label } = offer;
    return isSecond && (id === 'approve' || id === 'approve-always')
      ? { ...offer, id: `${id}-anyway` as const, label: `${label}, though ${whatStandsOut(request)}` }
      : offer;
  });
}

function whatStandsOut(request: ApprovalRequest): string {
  const { first, others } = startedFirst(dangersInWords(request));
  if (first.length > 0) return 'it may have run already';
  if (standsOut(request).length > 0) return 'it may not be what it seems';
  return isHighRisk(request) ? 'it is a high risk' : others[0]!;
}

/** @see acp.d.ts */
export const fromPermissionOutcome: typeof Api.fromPermissionOutcome = (outcome, request, given) => {
  const options = takeProtocolOptions('fromPermissionOutcome', given);
  return ofRequest('fromPermissionOutcome', request, () =>
    takenBy(decisionOf(outcome, request, options, needsSecondYes(request)), options),
  );
};

function decisionOf(
  outcome: unknown,
  request: ApprovalRequest,
  options: ProtocolOptions | undefined,
  isSecond: boolean,
): Decision<never> {
  if (!isRecord(outcome)) return rejection('The editor gave an answer that cannot be read.');
  if (own(outcome, 'outcome') === 'cancelled') return rejection('The editor cancelled the question.');
  // The protocol keeps `_meta` for what has nothing to do with the answer.
  if (unusedIn(outcome, ['outcome', 'optionId', '_meta']) !== undefined)
    return rejection('The editor gave an answer with more in it than was asked.');
  const optionId = own(outcome, 'outcome') === 'selected' ? own(outcome, 'optionId') : undefined;
  const picked = optionsOf(request, options, isSecond).find(({ id }) => id === optionId);
  return picked?.decision ?? rejection('The editor gave an answer that was not offered.');
}

/** @see acp.d.ts */
export const acpApprover: typeof Api.acpApprover = (connection, sessionId, given) => {
  const options = takeProtocolOptions('acpApprover', given);
  checkConnection('acpApprover', 'the connection', connection, ['request', 'requestPermission']);
  checkSession('acpApprover', sessionId);
  return readsNoLines(async (request, { abortSignal }) => {
    const cancellation = { cancellationSignal: abortSignal, stopWaitingOnCancel: true } as const;
    const ask = async (isSecond: boolean): Promise<Decision<never>> => {
      const params = permissionRequest(request, sessionId, options, isSecond);
      const answer =
        'requestPermission' in connection
          ? await connection.requestPermission(params)
          : await connection.request('session/request_permission', params, cancellation);
      return decisionOf(isRecord(answer) ? own(answer, 'outcome') : undefined, request, options, isSecond);
    };
    const first = await ask(false);
    if (first.type !== 'approve' || !needsSecondYes(request)) return takenBy(first, options);
    abortSignal.throwIfAborted();
    return takenBy(await ask(true), options);
  });
};
makesCallbacks(acpApprover, 'acpApprover(connection, sessionId)');

function checkSession(place: string, sessionId: unknown): void {
  if (typeof sessionId === 'string' && sessionId !== '') return;
  throw new InvalidConfigError({ message: `${place}: sessionId, the second argument, must be the id of the session.` });
}

const isSafe = (path: string): boolean => safeText(path) === path;

/** The most that a call does, for the sign that stands beside it. */
function kindOf({ verdict, changes }: ApprovalRequest): Api.AcpPermissionRequest['toolCall']['kind'] {
  const kinds = new Set((verdict?.actions ?? []).map(({ kind }) => kind));
  if (kinds.has('command')) return 'execute';
  if (kinds.has('write') || changes.length > 0) return 'edit';
  if (kinds.has('url')) return 'fetch';
  return kinds.has('read') ? 'read' : 'other';
}

/** A line of one of the two texts of a diff; all other lines are ours, and stand between its pieces. */
const LINE = /^│ ([-+ ]) (.*)$/;

/** The pieces of a diff, each as two texts. */
function diffsOf({ path, before, diff }: FileChange): Api.AcpToolCallContent[] {
  const pieces: { old: string[]; new: string[] }[] = [];
  let isInside = false;
  for (const line of diff.split('\n')) {
    const [, mark, text] = LINE.exec(line) ?? [];
    // Of the line before it: that no line end follows.
    if (line.startsWith('\\')) continue;
    if (mark === undefined || text === undefined) {
      isInside = false;
      continue;
    }
    if (!isInside) pieces.push({ old: [], new: [] });
    isInside = true;
    const piece = pieces.at(-1)!;
    if (mark !== '+') piece.old.push(text);
    if (mark !== '-') piece.new.push(text);
  }
  return pieces.map((piece) => ({
    type: 'diff',
    path,
    oldText: before === null ? null : piece.old.join('\n'),
    newText: piece.new.join('\n'),
  }));
}
