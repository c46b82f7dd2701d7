/** The page: `useChat` for the chat, `useApprovals` for what waits in it. */
import { useChat } from '@ai-sdk/react';
import {
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type InferUITools,
  type UIMessage,
} from 'ai';
import { ApprovalCard, safeText, useApprovals, type ApprovalDataTypes } from 'countersign/react';
import { useState, type FormEvent } from 'react';
import { createRoot } from 'react-dom/client';
import type { tools } from './server.mjs';

type ChatMessage = UIMessage<unknown, ApprovalDataTypes, InferUITools<typeof tools>>;

function App({ id, before }: { id: string; before: ChatMessage[] }) {
  const [text, setText] = useState('Book Lisbon to Oslo, tell Ada we are coming');
  const chat = useChat<ChatMessage>({
    id,
    messages: before,
    // As soon as every request has an answer, the conversation goes back to the server.
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const { pending, progress, sendAgain } = useApprovals(chat);

  function send(event: FormEvent) {
    event.preventDefault();
    void chat.sendMessage({ text });
    setText('');
  }

  return (
    <main>
      <h1>A chat with approvals</h1>
      <ol aria-label="Conversation">
        {chat.messages.map((message) => (
          <li key={message.id} data-role={message.role}>
            {message.parts.map((part, at) => {
              if (part.type === 'text') return <p key={at}>{safeText(part.text)}</p>;
              if (isToolUIPart(part))
                return <p key={at} data-tool-state={part.state}>{`${part.type}: ${part.state}`}</p>;
              return null;
            })}
          </li>
        ))}
      </ol>

      {pending.length > 0 && (
        <section aria-label="Approvals">
          <h2>
            {progress.answered} of {progress.total} answered
          </h2>
          {pending.map((approval) => (
            <ApprovalCard key={approval.toolCallId} approval={approval} />
          ))}
        </section>
      )}
      {chat.error && <p role="alert">Something went wrong.</p>}
      {sendAgain && (
        <button type="button" onClick={sendAgain}>
          Send the answers again
        </button>
      )}

      <form onSubmit={send}>
        <label>
          Message
          <input value={text} onChange={(event) => setText(event.target.value)} />
        </label>
        <button disabled={chat.status !== 'ready' || pending.length > 0}>Send</button>
      </form>
    </main>
  );
}

// The chat has its id in the address: opened again, the page goes on where it was.
const id = location.hash.slice(1) || crypto.randomUUID();
history.replaceState(null, '', `#${id}`);
const before: ChatMessage[] = await (await fetch(`/api/chat?id=${encodeURIComponent(id)}`)).json();
createRoot(document.getElementById('root')!).render(<App id={id} before={before} />);
