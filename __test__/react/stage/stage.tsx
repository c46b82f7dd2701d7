/** The hook and the card over messages that a test sets, with every answer told to the test. No `useChat`. */
import type { UIMessage } from 'ai';
import { ApprovalCard, useApprovals, type ApprovalDetails, type Approvals } from 'countersign/react';
import { useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';

export interface Stage {
  messages: UIMessage[];
  details?: ApprovalDetails[];
  status?: 'submitted' | 'streaming' | 'ready' | 'error';
  /** Whether cards are drawn with parts of the test's own. */
  isCustom?: boolean;
  /** Whether the page can send edits. */
  mayEdit?: boolean;
}

declare global {
  /** Of the test: what was answered. A rejected promise: it could not be. */
  function answered(response: { id: string; approved: boolean; reason?: string }): Promise<void>;
  function edited(edit: object): Promise<void>;
  function sentAgain(): void;
  var setStage: (stage: Stage) => void;
  /** What the hook gave last. */
  var pendingNow: Approvals['pending'];
}

let stage: Stage = { messages: [] };
let changed = () => {};
globalThis.setStage = (next) => {
  stage = next;
  changed();
};
const subscribe = (listener: () => void) => {
  changed = listener;
  return () => {};
};

function App() {
  const { isCustom, mayEdit, ...shown } = useSyncExternalStore(subscribe, () => stage);
  const { pending, progress, sendAgain } = useApprovals({
    ...shown,
    addToolApprovalResponse: (response) => answered(response),
    ...(mayEdit ? { sendEdit: (edit) => edited(edit) } : {}),
    sendMessage: () => sentAgain(),
  });
  globalThis.pendingNow = pending;
  const custom = isCustom && {
    className: 'mine',
    headingLevel: 2 as const,
    labels: { approve: 'Ja', title: (tool: string) => `${tool} ausführen?` },
    renderPreview: ({ toolName }: { toolName: string }) => <p>my preview of {toolName}</p>,
  };
  return (
    <>
      <h1>
        {progress.answered} of {progress.total}
      </h1>
      {pending.map((approval) => (
        <ApprovalCard key={approval.toolCallId} approval={approval} {...custom} />
      ))}
      {sendAgain && <button onClick={sendAgain}>again</button>}
    </>
  );
}

createRoot(document.getElementById('root')!).render(<App />);
