/** A chat whose route stops at an approval, and whose answers come back in the messages. */
import * as ai from 'ai';
import type { ModelMessage, UIMessage } from 'ai';
import { expect } from 'vitest';
import { createGate, gateTools, toolApproval, verifyApprovals } from '../../ts/index.js';
import { withoutUndefined } from '../../ts/values/without-undefined.js';
import { call, calls, major, scripted, type ModelTurn } from './model.js';
import { recordingTools } from './tools.js';

export const RUN = 'chat-1';
/** The first call. */
export const asks = (): ModelTurn => calls(call('del', { path: '/a' }, 'c1'));
export const user = (text: string, id = text): UIMessage => ({ id, role: 'user', parts: [{ type: 'text', text }] });

export type Kind = 'gateTools' | 'toolApproval' | 'model messages';
export const kinds: Kind[] =
  major === 7 ? ['gateTools', 'toolApproval', 'model messages'] : ['gateTools', 'model messages'];

/** A route that stops at an approval, and a client that holds the conversation. */
export function chat(kind: Kind, gate = createGate(), prune = (messages: ModelMessage[]) => messages) {
  const { ran, tools } = recordingTools();
  const shared = { interruptOn: { del: true }, gate, runId: RUN } as const;
  const errors: unknown[] = [];
  const given = () =>
    kind === 'toolApproval'
      ? { tools, toolApproval: toolApproval(shared) }
      : { tools: gateTools(tools, { ...shared, mode: 'stop' }) };
  let messages: UIMessage[] | ModelMessage[] = [];
  const post = async (sent: typeof messages, turn: ModelTurn, options: object = {}) => {
    const verified = await verifyApprovals<UIMessage | ModelMessage>(
      sent,
      gate,
      withoutUndefined({ runId: RUN, ...options }),
    );
    const { model, prompts } = scripted([turn]);
    const made = given() as { tools: ai.ToolSet };
    const isModel = kind === 'model messages';
    const result = ai.streamText({
      model,
      messages: prune(
        isModel
          ? (verified as ModelMessage[])
          : await ai.convertToModelMessages(verified as UIMessage[], { tools: made.tools }),
      ),
      onError: ({ error }) => void errors.push(error),
      ...made,
    });
    if (isModel) {
      await result.consumeStream();
      messages = [...(sent as ModelMessage[]), ...(await result.response).messages];
    } else {
      const stream = result.toUIMessageStream({
        originalMessages: verified as UIMessage[],
        generateMessageId: () => crypto.randomUUID(),
        onFinish: (event) => void (messages = event.messages),
      });
      for await (const _ of stream);
      // A client has what it had, and what came: what the server changed of the rest it does not know.
      messages = [...(sent as UIMessage[]), ...(messages.slice(sent.length) as UIMessage[])];
    }
    return { prompt: prompts[0], verified };
  };
  const says = (text: string) =>
    kind === 'model messages'
      ? [...(messages as ModelMessage[]), { role: 'user' as const, content: text }]
      : [...(messages as UIMessage[]), user(text)];
  /** The client's answer to a question, not sent yet. */
  const answer = (toolCallId: string, given: { approved: boolean; reason?: string }) => {
    if (kind !== 'model messages') {
      const parts = (messages as UIMessage[]).flatMap((message) => message.parts) as unknown as Record<
        string,
        unknown
      >[];
      const part = parts.findLast((one) => one['toolCallId'] === toolCallId) ?? {};
      Object.assign(part, { state: 'approval-responded', approval: { ...(part['approval'] as object), ...given } });
      return;
    }
    const parts = (messages as ModelMessage[]).flatMap(({ content }) => content as { type: string }[]);
    const request = parts.findLast(
      (part) => part.type === 'tool-approval-request' && (part as { toolCallId?: string }).toolCallId === toolCallId,
    ) as { approvalId?: string } | undefined;
    const response = { type: 'tool-approval-response', approvalId: request?.approvalId ?? '', ...given } as const;
    messages = [...(messages as ModelMessage[]), { role: 'tool', content: [response] }];
  };
  return { gate, ran, errors, post, says, answer, messages: () => messages };
}

export const two = (): ModelTurn => calls(call('del', { path: '/a' }, 'c1'), call('del', { path: '/b' }, 'c2'));

export const denial = (reason: RegExp): object => {
  const said = expect.stringMatching(reason) as string;
  // A denial in a UI message is an error text by the SDK's own conversion.
  return expect.toSatisfy(
    (output: { reason?: string; value?: string }) => reason.test(output.reason ?? output.value ?? ''),
    String(said),
  ) as object;
};
