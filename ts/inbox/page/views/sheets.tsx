/** @jsxImportSource preact */
/** The sheets of plain decisions. */
import { useState } from 'preact/hooks';
import type { RequestDetail } from '../../protocol.js';
import { parse, type ParsedText } from '../changed.js';
import { decide } from '../state/answers.js';
import { approveNow, doubts, type ApproveSheet } from '../state/compose.js';
import { draftOf, keepDraft } from '../state/drafts.js';
import { VERB } from '../words.js';
import { Field, Frame } from './frame.js';
import { Doubts, Given } from './parts.js';

/** What stands out about it, before it is approved all the same. */
export function SecondLook({ shown, how, onDone }: { shown: RequestDetail; how: ApproveSheet; onDone: () => void }) {
  const id = shown.record.approvalId;
  return (
    <Frame
      title="Look twice before you approve"
      send={how === 'approve' ? 'Approve all the same' : 'Approve all the same, and the next'}
      sendKey={how === 'approve' ? 'y' : 'Y'}
      isDanger
      isSecondLook
      onSend={() => {
        onDone();
        approveNow(how, id);
      }}
      onBack={onDone}
    >
      <Doubts doubts={doubts(shown)} />
    </Frame>
  );
}

/** A text that stays when the sheet goes. */
function useDraft(id: string, label: string): [string, (text: string) => void] {
  const [text, setText] = useState(draftOf(id, label) ?? '');
  const change = (next: string) => {
    setText(next);
    keepDraft(id, label, next);
  };
  return [text, change];
}

interface PlainProps {
  id: string;
  onDone: () => void;
}

/** Yes, with a word to it. What stands out is said here, too. */
export function WithComment({ shown, onDone }: { shown: RequestDetail; onDone: () => void }) {
  const id = shown.record.approvalId;
  const [text, setText] = useDraft(id, 'Comment');
  const stands = doubts(shown);
  const reason = text.trim() === '' ? undefined : text.trim();
  return (
    <Frame
      title="Approve with a comment"
      send={stands.length === 0 ? 'Approve' : 'Approve all the same'}
      isDanger={stands.length > 0}
      isSecondLook={stands.length > 0}
      onSend={() => {
        onDone();
        void decide(id, { type: 'approve', reason });
      }}
      onBack={onDone}
    >
      <Field label="Comment" hint="The model reads it with the result" value={text} onInput={setText} />
      <Doubts doubts={stands} />
    </Frame>
  );
}

/** No, or go on without: the model reads the reason. */
export function WithReason({ id, type, onDone }: PlainProps & { type: 'reject' | 'skip' }) {
  const [text, setText] = useDraft(id, 'Reason');
  const [stop, setStop] = useState(false);
  const reason = text.trim() === '' ? undefined : text.trim();
  return (
    <Frame
      title={type === 'reject' ? 'Reject' : 'Skip: the model goes on without it'}
      send={VERB[type].label}
      isDanger={type === 'reject'}
      onSend={() => {
        onDone();
        void decide(id, type === 'reject' ? { type, reason, ...(stop && { stop }) } : { type, reason });
      }}
      onBack={onDone}
    >
      <Field label="Reason" hint="The model reads it. May be left empty" value={text} onInput={setText} />
      {type === 'reject' && (
        <label class="check">
          <input type="checkbox" checked={stop} onChange={({ currentTarget }) => setStop(currentTarget.checked)} />
          Also end the turn: nothing else of this step runs, and the model is not called again
        </label>
      )}
    </Frame>
  );
}

/** An answer in the tool's place. */
export function Respond({ id, onDone }: PlainProps) {
  const [text, setText] = useDraft(id, 'Answer');
  const [isJson, setJson] = useState(false);
  const answer: ParsedText = isJson ? parse(text) : { ok: true, value: text };
  return (
    <Frame
      title="Answer in the tool’s place"
      send="Send the answer"
      isWhole={text.trim() !== '' && answer.ok}
      onSend={() => {
        if (!answer.ok) return;
        onDone();
        void decide(id, { type: 'respond', output: answer.value });
      }}
      onBack={onDone}
    >
      <Field
        label="Answer"
        hint="The tool does not run; the model gets this as its result"
        rows={4}
        isCode={isJson}
        isInvalid={!answer.ok}
        value={text}
        onInput={setText}
      />
      <label class="check">
        <input type="checkbox" checked={isJson} onChange={({ currentTarget }) => setJson(currentTarget.checked)} />
        It is JSON
      </label>
      {text !== '' && !answer.ok && (
        <p class="note bad">
          Not JSON yet: <Given>{answer.message}</Given>
        </p>
      )}
    </Frame>
  );
}
