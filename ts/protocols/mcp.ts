/** What `countersign/mcp` exports; `mcp.d.ts` documents it. */
import type * as Api from '../../mcp.js';
import type { ApprovalRequest, Decision } from '../../index.js';
import { messageOf } from '../errors/message-of.js';
import { readsNoLines } from '../gate/callback-calls.js';
import { beware, needsSecondYes } from '../gate/danger.js';
import { contextOf } from '../gate/callback-calls.js';
import { editedCall, isUnchanged, unreadCall } from '../gate/edited-call.js';
import { makesCallbacks } from '../gate/makers.js';
import { isQuestion } from '../gate/questions.js';
import { oneLine } from '../gate/in-a-line.js';
import { readable } from '../options/check.js';
import { snapshot } from '../values/snapshot.js';
import { checkNone } from '../options/names.js';
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
import { answersOf, questionForm } from './mcp-questions.js';
import { typedJson } from '../values/typed-json.js';

export { mcpTools } from './mcp-tools.js';

/** The longest reason, in UTF-16 units. */
const MAX_REASON = 2_000;

/** The longest a request of the SDK may take, in ms: the deadline is the gate's. */
const NO_TIMEOUT = 0x7fff_ffff;

type FormField = 'args' | 'answer' | 'confirm';

/** What can be picked in the form, and the field that goes with it. */
interface FormChoice {
  name: string;
  /** What it would do, in words; not yet safe to show. */
  meaning?: string;
  field?: FormField;
  decide(reason: { reason?: string }, field: string): Decision;
}

/** @see mcp.d.ts */
export const toElicitation: typeof Api.toElicitation = (request, given) => {
  const options = takeProtocolOptions('toElicitation', given);
  return ofRequest('toElicitation', request, () => elicitation(request, options));
};

function elicitation(request: ApprovalRequest, options: ProtocolOptions | undefined): Api.McpElicitation {
  const warning = needsSecondYes(request) ? `\n\n${oneLine(beware(request))}.` : '';
  const message = `${oneLine(request.description)}${warning}\n\n${shownWhole(request)}`;
  const asked = { mode: 'form', message } as const;
  if (isQuestion(request)) return { ...asked, requestedSchema: questionForm(request) };
  const choices = choicesOf(request, options);
  const meanings = choices.flatMap(({ name, meaning }) => (meaning === undefined ? [] : [`${name}: ${meaning}`]));
  const fields = new Set(choices.map(({ field }) => field));
  return {
    ...asked,
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          ...(meanings.length === 0 ? {} : { description: oneLine(meanings.join('; ')) }),
          enum: choices.map(({ name }) => name),
        },
        ...(fields.has('confirm') ? { confirm: confirmOf(request) } : {}),
        reason: { type: 'string', title: 'Reason', description: 'The model is told it.', maxLength: MAX_REASON },
        ...(fields.has('args') ? { args: ARGS } : {}),
        ...(fields.has('answer') ? { answer: ANSWER } : {}),
      },
      required: ['decision'],
    },
  };
}

/** "no" comes first: what a client fills in by itself approves nothing. */
const confirmOf = (request: ApprovalRequest) => ({
  type: 'string' as const,
  title: oneLine(beware(request)),
  description: 'To approve it, say "yes" here as well.',
  enum: ['no', 'yes'],
});

const ARGS = {
  type: 'string',
  title: 'Edited arguments',
  description: 'For "edit": all of them, as JSON.',
} as const;
const ANSWER = {
  type: 'string',
  title: 'Answer',
  description: 'For "respond": what the model gets instead of the result of the tool.',
} as const;

/** @see mcp.d.ts */
export const fromElicitResult: typeof Api.fromElicitResult = (result, request, given) => {
  const options = takeProtocolOptions('fromElicitResult', given);
  return ofRequest('fromElicitResult', request, () =>
    takenBy(onceSeen(decisionOf(result, request, options), request), options),
  );
};

/** An edit that needs a second yes, and has not been shown as it would run, is a rejection. */
function onceSeen(decision: Decision, request: ApprovalRequest): Decision {
  // Nothing can be asked of its rules in the meantime.
  const call = decision.type === 'edit' ? unreadCall(request, snapshot(decision.args).json) : undefined;
  return call === undefined || !needsSecondYes(call)
    ? decision
    : rejection(`It was edited to a call that needs a second yes, which only mcpApprover asks for. ${beware(call)}.`);
}

/** A decision, and what an edit becomes that stands out, as a request of its own; `again` absent: it needs no other yes. */
async function lookedAt(
  decision: Decision,
  request: ApprovalRequest,
): Promise<{ decision: Decision; again?: ApprovalRequest }> {
  if (decision.type !== 'edit') return { decision };
  const call = await editedCall(request, snapshot(decision.args).json, contextOf(request.approvalId)?.readEdit);
  const edited = { ...decision, shown: call.shown };
  if (!needsSecondYes(call)) return { decision: edited };
  const again: ApprovalRequest = {
    ...call,
    description: 'It would run like this, as it was edited:',
    allowedDecisions: ['approve', 'reject'],
    always: { allow: null, deny: null },
  };
  return { decision: edited, again };
}

function decisionOf(result: unknown, request: ApprovalRequest, options: ProtocolOptions | undefined): Decision {
  if (!isRecord(result)) return rejection('The client gave an answer that cannot be read.');
  const action = own(result, 'action');
  if (action === 'decline') return rejection('The human declined to answer.');
  if (action === 'cancel') return rejection('The human closed the question.');
  const content = own(result, 'content');
  if (action !== 'accept' || !isRecord(content)) return rejection('The client gave an answer that cannot be read.');
  if (isQuestion(request)) return answersOf(request, content);
  return picked(content, choicesOf(request, options), needsSecondYes(request));
}

/** @param isConfirmed the form has the field `confirm`, which says no unless somebody picks yes */
function picked(content: Record<string, unknown>, choices: readonly FormChoice[], isConfirmed: boolean): Decision {
  const choice = choices.find(({ name }) => name === own(content, 'decision'));
  if (choice === undefined) return rejection('The client gave an answer that was not offered.');
  const used = ['decision', 'reason', ...(choice.field === undefined ? [] : [choice.field])];
  const unused = unusedIn(
    isConfirmed && own(content, 'confirm') === 'no' ? { ...content, confirm: null } : content,
    used,
  );
  if (unused !== undefined)
    return rejection(
      `The human picked ${JSON.stringify(choice.name)} and filled in ${JSON.stringify(unused.slice(0, 40))}, which does not go with it.`,
    );
  const reason = own(content, 'reason') ?? '';
  if (typeof reason !== 'string' || reason.length > MAX_REASON)
    return rejection('The client gave a reason that cannot be read.');
  const field = choice.field === undefined ? '' : (own(content, choice.field) ?? '');
  if (typeof field !== 'string') return rejection('The client gave an answer that cannot be read.');
  return choice.decide(reason.trim() === '' ? {} : { reason }, field);
}

function choicesOf(request: ApprovalRequest, options: ProtocolOptions | undefined): FormChoice[] {
  const { allowedDecisions } = request;
  const isConfirmed = needsSecondYes(request);
  const choices = offersOf(request, options).map(({ id, label, decision }): FormChoice => {
    const choice = { name: id, ...(id.endsWith('-always') ? { meaning: label } : {}) };
    if (!isConfirmed || decision.type !== 'approve')
      return { ...choice, decide: (reason) => ({ ...decision, ...reason }) };
    return {
      ...choice,
      field: 'confirm',
      decide: (reason, confirmed) =>
        confirmed === 'yes'
          ? { ...decision, ...reason }
          : rejection(`It was approved once, and needs a second yes, in "confirm". ${beware(request)}.`),
    };
  });
  if (allowedDecisions.includes('edit'))
    choices.push({ name: 'edit', field: 'args', decide: (reason, text) => edited(request.args, reason, text) });
  if (allowedDecisions.includes('respond')) choices.push({ name: 'respond', field: 'answer', decide: responded });
  if (allowedDecisions.includes('skip'))
    choices.push({
      name: 'skip',
      meaning: 'does not run it; the model goes on without',
      decide: (reason) => ({ type: 'skip', ...reason }),
    });
  return choices;
}

function edited(before: unknown, reason: { reason?: string }, text: string): Decision {
  try {
    const args = typedJson(text);
    if (isUnchanged(snapshot(before).json, args))
      return rejection('The edit changes nothing, so that it decides nothing.');
    return { type: 'edit', args, ...reason };
  } catch (error) {
    return rejection(`The edited arguments are not JSON: ${messageOf(error)}`);
  }
}

const responded = (reason: { reason?: string }, output: string): Decision =>
  output.trim() === '' ? rejection('There was no answer to respond with.') : { type: 'respond', output, ...reason };

async function ask(
  server: Api.McpServerLike,
  request: ApprovalRequest,
  signal: AbortSignal,
  options?: ProtocolOptions,
): Promise<Api.McpDecision> {
  const elicits = 'elicitInput' in server ? server : server.server;
  const put = async (asked: ApprovalRequest): Promise<Decision> => {
    const result = await elicits.elicitInput(toElicitation(asked, options), { signal, timeout: NO_TIMEOUT });
    return ofRequest('fromElicitResult', asked, () => decisionOf(result, asked, options));
  };
  const { decision, again } = await lookedAt(await put(request), request);
  if (again === undefined) return takenBy(decision, options);
  signal.throwIfAborted();
  const second = await put(again);
  return takenBy(second.type === 'approve' ? decision : second, options);
}

function checkServer(place: string, server: unknown): void {
  const inner = readable(place, () => (server as { server?: unknown } | null | undefined)?.server);
  checkConnection(place, 'the server', inner ?? server, ['elicitInput']);
}

/** @see mcp.d.ts */
export const mcpApprover: typeof Api.mcpApprover = (server, given) => {
  const options = takeProtocolOptions('mcpApprover', given);
  checkServer('mcpApprover', server);
  return readsNoLines((request, { abortSignal }) => ask(server, request, abortSignal, options));
};
makesCallbacks(mcpApprover, 'mcpApprover(server)');

/** @see mcp.d.ts */
export const mcpQuestioner: typeof Api.mcpQuestioner = (server, ...options: never[]) => {
  checkNone('mcpQuestioner', options);
  checkServer('mcpQuestioner', server);
  return readsNoLines(async (request, { abortSignal }) => {
    const decision = await ask(server, request, abortSignal);
    // Answers that were checked against the questions a moment ago.
    return decision.type === 'respond' ? (decision.output as { answers: [] }).answers : null;
  });
};
makesCallbacks(mcpQuestioner, 'mcpQuestioner(server)');
