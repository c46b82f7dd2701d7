// @ts-check
/**
 * Plays the browser for `use-chat-route.mjs`, with the class that `useChat` is made of, and asks on the terminal.
 *
 *     node examples/use-chat-client.mjs http://localhost:3000 [stop | live]
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  AbstractChat,
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
} from 'ai';
import { askOnTerminal } from './ask.mjs';

/** @import { ChatState, UIMessage, UIMessagePart, UIDataTypes, UITools } from 'ai' */

const [server = 'http://localhost:3000', mode = 'stop'] = process.argv.slice(2);

/** What React keeps for `useChat`. @implements {ChatState<UIMessage>} */
class State {
  /** @type {ChatState<UIMessage>['status']} */
  status = 'ready';
  /** @type {Error | undefined} */
  error = undefined;
  /** @type {UIMessage[]} */
  messages = [];
  /** @type {() => void} */
  changed = () => {};
  /** @param {UIMessage} message */
  pushMessage = (message) => {
    this.messages = [...this.messages, message];
    this.changed();
  };
  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };
  /** @param {number} index @param {UIMessage} message */
  replaceMessage = (index, message) => {
    this.messages = this.messages.with(index, message);
    this.changed();
  };
  /** @template T @param {T} value @returns {T} */
  snapshot = (value) => structuredClone(value);
}

/** @extends {AbstractChat<UIMessage>} */
class Chat extends AbstractChat {}

const state = new State();
const chat = new Chat({
  state,
  transport: new DefaultChatTransport({ api: `${server}/api/${mode === 'live' ? 'live' : 'chat'}` }),
  // As soon as every request has an answer, the conversation goes back to the server.
  ...(mode === 'live' ? {} : { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses }),
  onError: (error) => console.error(error),
});

/** Calls that were asked about. @type {Set<string>} */
const asked = new Set();
/** @type {Promise<unknown>[]} */
const answering = [];

state.changed = () => {
  for (const part of chat.lastMessage?.parts ?? []) {
    if (!isToolUIPart(part) || part.state !== 'approval-requested' || asked.has(part.toolCallId)) continue;
    asked.add(part.toolCallId);
    answering.push(answer(part.toolCallId, part.approval.id));
  }
};

/** @param {string} toolCallId @param {string} approvalId */
async function answer(toolCallId, approvalId) {
  const waiting = await (await fetch(`${server}/api/pending?chat=${chat.id}`)).json();
  /** @type {{ preview: string, flags: string[] }} */
  const shown = waiting.find((/** @type {{ toolCallId: string }} */ each) => each.toolCallId === toolCallId);
  const { type, reason } = await askOnTerminal(shown);
  const approved = type === 'approve';
  if (mode === 'live') {
    const body = JSON.stringify({ approvalId, approved, reason });
    await fetch(`${server}/api/decide`, { method: 'POST', body });
  } else {
    await chat.addToolApprovalResponse({ id: approvalId, approved, ...(reason === undefined ? {} : { reason }) });
  }
}

/** Whether the server of `use-chat-route.mjs` is there. */
const isThere = await fetch(server).then(
  () => true,
  () => false,
);
if (!isThere) {
  const route = relative(process.cwd(), fileURLToPath(new URL('use-chat-route.mjs', import.meta.url)));
  console.error(`no server answers at ${server}: start it first, with node ${route}`);
  process.exit(1);
}

await chat.sendMessage({ text: 'Book me a flight from Lisbon to Oslo.' });
await Promise.all(answering);
// What an answer set off.
while (chat.status !== 'ready' && chat.status !== 'error') await new Promise((resolve) => setTimeout(resolve, 10));

for (const part of chat.lastMessage?.parts ?? []) {
  if (isToolUIPart(part)) console.log(`${part.type}: ${part.state}`);
  else if (part.type === 'text') console.log(part.text);
}
process.exitCode = chat.status === 'ready' ? 0 : 1;
