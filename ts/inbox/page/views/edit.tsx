/** @jsxImportSource preact */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { CheckAnswer, RequestDetail } from '../../protocol.js';
import { post } from '../api.js';
import { changedRows, parse, written } from '../changed.js';
import { decide } from '../state/answers.js';
import { openSheet } from '../state/compose.js';
import { draftOf, keepDraft } from '../state/drafts.js';
import { faultOf } from '../state/store.js';
import { flag, isWarning } from '../words.js';
import { Diff } from './diff.js';
import { Form, rowsFor } from './form.js';
import { Field, Frame } from './frame.js';
import { Doubts, Given } from './parts.js';
import { Verdict } from './why.js';

/** What the inbox said of one text in the editor. */
type EditCheck = { text: string } & ({ checked: CheckAnswer } | { fault: string });

/** So long, in ms, must typing pause before the inbox is asked. */
const PAUSE = 250;

/** Other arguments than were asked for. They are sent only once the inbox has found nothing against these very ones. */
export function Edit({ shown: { record, form }, onDone }: { shown: RequestDetail; onDone: () => void }) {
  const original = record.argsJson ?? '';
  const [text, setText] = useState(draftOf(record.approvalId, 'Arguments') ?? original);
  const [check, setCheck] = useState<EditCheck | null>(null);
  /** The text that was said to need a second look. */
  const [looked, setLooked] = useState<string | null>(null);
  const parsed = useMemo(() => parse(text), [text]);
  const before = useMemo(() => canonical(original), [original]);
  const after = parsed.ok ? written(parsed.value) : null;
  const isSame = after === before;
  const [isWanted, setWanted] = useState(true);
  const isForm = isWanted && form !== null && parsed.ok && isFields(parsed.value);
  // Of what is no longer such an argument in the JSON, there is no text.
  const field =
    isWanted && form === null && record.textName !== null && parsed.ok ? textIn(parsed.value, record.textName) : null;
  const change = (next: string) => {
    setText(next);
    keepDraft(record.approvalId, 'Arguments', next, original);
  };

  useEffect(() => {
    if (!parsed.ok || isSame) return;
    let isOver = false;
    const timer = window.setTimeout(async () => {
      const path = `requests/${encodeURIComponent(record.approvalId)}/check`;
      const told = await post<CheckAnswer>(path, { args: parsed.value }).then(
        (checked): EditCheck => ({ text, checked }),
        (error: unknown): EditCheck => ({ text, fault: faultOf(error) }),
      );
      if (!isOver) setCheck(told);
    }, PAUSE);
    return () => {
      isOver = true;
      window.clearTimeout(timer);
    };
  }, [text]);

  // What was said of another text says nothing of this one.
  const said = check?.text === text && !isSame ? check : null;
  const checked = said !== null && 'checked' in said ? said.checked : null;
  const isFine = checked !== null && checked.problems.length === 0 && checked.verdict.effect !== 'deny';
  // What it becomes is looked at twice, as any call: a yes to another text, or to the call, says nothing of this one.
  const isDoubtful = checked !== null && doubtsIn(checked).length > 0;
  const hasLooked = isDoubtful && looked === text;

  return (
    <Frame
      title={hasLooked ? 'Look twice before you approve' : 'Approve with changes'}
      send={hasLooked ? 'Approve all the same' : 'Approve with these changes'}
      isDanger={hasLooked}
      isSecondLook={hasLooked}
      isWhole={parsed.ok && isFine}
      onSend={() => {
        if (!parsed.ok || checked === null) return;
        if (isDoubtful && !hasLooked) {
          setLooked(text);
          // From now on it is in sight.
          openSheet(record.approvalId, 'edit');
          return;
        }
        onDone();
        void decide(record.approvalId, { type: 'edit', args: parsed.value, shown: checked.shown });
      }}
      onBack={onDone}
    >
      {isForm && parsed.ok ? (
        <>
          <p class="note">The model is told what you changed.</p>
          <Form
            fields={form}
            args={parsed.value as Readonly<Record<string, unknown>>}
            original={originalArgs(original) as Readonly<Record<string, unknown>>}
            onChange={(args) => change(written(args))}
          />
        </>
      ) : field === null ? (
        <Field
          label="Arguments"
          hint="JSON. The model is told that you changed them"
          rows={rowsFor(original)}
          isCode
          isInvalid={!parsed.ok}
          value={text}
          onInput={change}
        />
      ) : (
        <Field
          label={field.name}
          hint="The model is told that you changed it"
          rows={rowsFor(field.text)}
          isCode
          value={field.text}
          onInput={(next) => change(written({ ...field.args, [field.name]: next }))}
        />
      )}
      {(form !== null || record.textName !== null) && (
        <label class="check">
          <input
            type="checkbox"
            checked={!isWanted}
            onChange={({ currentTarget }) => setWanted(!currentTarget.checked)}
          />
          All arguments, as JSON
        </label>
      )}
      <div class="checked" aria-live="polite">
        {!parsed.ok ? (
          <p class="note bad">
            Not JSON yet: <Given>{parsed.message}</Given>
          </p>
        ) : isSame ? (
          <p class="note">Nothing is changed yet.</p>
        ) : (
          <Said said={said} />
        )}
      </div>
      {after !== null && !isSame && (
        <Changed
          before={field === null ? before : (textIn(originalArgs(original), field.name)?.text ?? '')}
          after={field === null ? after : field.text}
        />
      )}
    </Frame>
  );
}

const isFields = (args: unknown): boolean => typeof args === 'object' && args !== null && !Array.isArray(args);

interface ArgumentText {
  args: object;
  name: string;
  text: string;
}

/** The argument of that name; `null`: it is no text. */
function textIn(args: unknown, name: string): ArgumentText | null {
  if (typeof args !== 'object' || args === null) return null;
  const text: unknown = (args as Record<string, unknown>)[name];
  return typeof text === 'string' ? { args, name, text } : null;
}

function originalArgs(text: string): unknown {
  const parsed = parse(text);
  return parsed.ok ? parsed.value : null;
}

function canonical(text: string): string {
  const parsed = parse(text);
  return parsed.ok ? written(parsed.value) : text;
}

/** What stands out in the call as it would run, each in a few words. */
const doubtsIn = ({ dangers, flags }: CheckAnswer): string[] => [
  ...dangers.map((danger) => `I${danger.slice(1)}`),
  ...flags.filter((name) => isWarning(name)).map((name) => flag(name)),
];

function Said({ said }: { said: EditCheck | null }) {
  if (said === null) return <p class="note">Checking…</p>;
  if ('fault' in said) {
    return (
      <p class="note bad">
        It could not be checked: <Given>{said.fault}</Given>
      </p>
    );
  }
  const { problems, verdict, schema } = said.checked;
  const doubts = doubtsIn(said.checked);
  return (
    <>
      {problems.length > 0 ? (
        <ul class="problems">
          {problems.map(({ path, message }) => (
            <li key={path + message}>
              {path !== '' && <Given mono>{path}</Given>} <Given>{message}</Given>
            </li>
          ))}
        </ul>
      ) : (
        <p class="note good">
          {schema ? 'It fits the tool’s schema.' : 'The tool’s schema is not known here: it is checked before it runs.'}
        </p>
      )}
      <Verdict verdict={verdict} />
      <Doubts doubts={doubts} />
    </>
  );
}

function Changed({ before, after }: { before: string; after: string }) {
  const rows = useMemo(() => changedRows(before, after), [before, after]);
  if (rows === null) return <p class="note">Too much is changed to be shown line by line.</p>;
  return <Diff rows={rows} label="What you changed" />;
}
