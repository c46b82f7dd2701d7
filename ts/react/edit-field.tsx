/** The arguments of a call, to be changed: its main text as one, all others as JSON. */
import { useState, type ReactElement } from 'react';
import type { ApprovalLabels } from '../../react.js';
import { textOfCall, withText, type TextField } from '../gate/text-field.js';
import { isHarmless } from './safe-text.js';

interface EditFieldProps {
  /** As it was asked for. */
  input: unknown;
  /** All arguments, as they were typed. */
  json: string;
  /** The same, read; `undefined`: they are not JSON. */
  args: { value: unknown } | undefined;
  labels: ApprovalLabels;
  isDisabled: boolean;
  /** @param json all arguments */
  onChange: (json: string) => void;
}

/** One text where the call has one and a field shows all of it; else, or where that is wanted, all arguments. */
export function EditField({ input, json, args, labels, isDisabled, onChange }: EditFieldProps): ReactElement {
  const [isAll, setAll] = useState(false);
  const began = textShown(input);
  // Of what is no longer such an argument in the JSON, there is no text.
  const text = isAll || began === undefined || args === undefined ? undefined : textNamed(args.value, began.name);
  return (
    <>
      {text === undefined ? (
        <label key="args">
          <span>{labels.editArgs}</span>
          <textarea
            value={json}
            disabled={isDisabled}
            rows={8}
            spellCheck={false}
            data-part="args"
            aria-invalid={args === undefined}
            onChange={({ target: { value } }) => onChange(value)}
          />
        </label>
      ) : (
        <label key="text">
          <span>{labels.editText(text.name)}</span>
          <textarea
            value={text.text}
            disabled={isDisabled}
            rows={rowsFor(began?.text ?? '')}
            spellCheck={false}
            data-part="text"
            onChange={({ target: { value } }) => onChange(jsonOf(withText(args?.value, text.name, value)))}
          />
        </label>
      )}
      {began !== undefined && (
        <label data-part="edit-all">
          <input
            type="checkbox"
            checked={isAll}
            disabled={isDisabled}
            onChange={({ target: { checked } }) => setAll(checked)}
          />
          <span>{labels.editAll}</span>
        </label>
      )}
    </>
  );
}

const rowsFor = (text: string): number => Math.min(14, Math.max(2, text.split('\n').length + 1));

/** `undefined`: the call has no such text, or a field would not show it for what it is. */
function textShown(input: unknown): TextField | undefined {
  const field = textOfCall(input);
  return field !== undefined && [...field.text].every((each) => each === '\t' || isHarmless(each)) ? field : undefined;
}

function textNamed(args: unknown, name: string): TextField | undefined {
  const field = textOfCall(args);
  return field?.name === name ? field : undefined;
}

/** As JSON in which nothing deceives the eye: what is not known to be harmless is escaped, as JSON has it. */
export function jsonOf(input: unknown): string {
  const escape = (character: string) =>
    Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join('');
  const text = JSON.stringify(input, null, 2) ?? 'null';
  return Array.from(text, (character) => (isHarmless(character) ? character : escape(character))).join('');
}
