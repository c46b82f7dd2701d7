/** @jsxImportSource preact */
/** Arguments as a form: a field for each, with the name that the tool knows it by. */
import { isKeptNumber } from '../../../values/typed-json.js';
import type { FormField } from '../../protocol.js';
import { Field } from './frame.js';

type FormArguments = Readonly<Record<string, unknown>>;

interface FormProps {
  fields: readonly FormField[];
  args: FormArguments;
  /** What was asked for: what was not in it is left out again when its field is emptied. */
  original: FormArguments;
  onChange: (args: FormArguments) => void;
}

export function Form({ fields, args, original, onChange }: FormProps) {
  const set = (name: string, value: unknown): void => {
    const { [name]: _before, ...others } = args;
    // In the order of before, so that only what was changed is seen as changed.
    if (value === undefined) onChange(others);
    else onChange(Object.hasOwn(args, name) ? { ...args, [name]: value } : { ...others, [name]: value });
  };
  return (
    <>
      {fields.map((field) => (
        <Argument
          key={field.name}
          field={field}
          value={args[field.name]}
          canLeaveOut={!field.isRequired && !Object.hasOwn(original, field.name)}
          onChange={(value) => set(field.name, value)}
        />
      ))}
    </>
  );
}

interface ArgumentProps {
  field: FormField;
  value: unknown;
  canLeaveOut: boolean;
  onChange: (value: unknown) => void;
}

function Argument({ field, value, canLeaveOut, onChange }: ArgumentProps) {
  const { name, kind, help, choices } = field;
  const hint = hintOf(help, canLeaveOut);
  const text = typeof value === 'string' ? value : '';
  const write = (next: string): void => onChange(next === '' && canLeaveOut ? undefined : next);
  switch (kind) {
    case 'lines':
      return <Field label={name} hint={hint} rows={rowsFor(text)} isCode value={text} onInput={write} />;
    case 'text':
      return <Field label={name} hint={hint} isCode isLine value={text} onInput={write} />;
    case 'number':
      return <NumberField label={name} hint={hint} value={value} onChange={onChange} />;
    case 'choice':
      return (
        <Choice
          label={name}
          hint={hint}
          value={typeof value === 'string' ? value : ''}
          options={[...(value === undefined ? [''] : canLeaveOut ? [''] : []), ...choices]}
          onChange={(next) => onChange(next === '' ? undefined : next)}
        />
      );
    case 'flag':
      return (
        <Choice
          label={name}
          hint={hint}
          value={typeof value === 'boolean' ? String(value) : ''}
          options={[...(value === undefined || canLeaveOut ? [''] : []), 'true', 'false']}
          onChange={(next) => onChange(next === '' ? undefined : next === 'true')}
        />
      );
  }
}

/** Sentences, whether the tool's own words end with a stop or not. */
function hintOf(help: string | null, canLeaveOut: boolean): string | undefined {
  if (!canLeaveOut) return help ?? undefined;
  if (help === null) return 'may be left out';
  return `${help}${/[.!?…]$/.test(help) ? '' : '.'} May be left out.`;
}

interface NumberProps {
  label: string;
  hint: string | undefined;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** What is being typed is no number yet: the field keeps its own text. */
function NumberField({ label, hint, value, onChange }: NumberProps) {
  return (
    <label class="field">
      <Label label={label} hint={hint} />
      <input
        type="number"
        class="mono"
        step="any"
        autocomplete="off"
        defaultValue={typeof value === 'number' ? String(value) : ''}
        onInput={({ currentTarget: { value: typed } }) => onChange(numberIn(typed))}
      />
    </label>
  );
}

/** What is not kept as a number stays the text that it is: the tool's schema takes that for no number, and says so. */
function numberIn(typed: string): unknown {
  if (typed === '') return undefined;
  return isKeptNumber(typed.replace(/^(-?)\./, '$10.')) ? Number(typed) : typed;
}

interface ChoiceProps {
  label: string;
  hint: string | undefined;
  value: string;
  /** Empty: it is left out. */
  options: readonly string[];
  onChange: (value: string) => void;
}

function Choice({ label, hint, value, options, onChange }: ChoiceProps) {
  return (
    <label class="field">
      <Label label={label} hint={hint} />
      <select class="mono" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map((option) => (
          <option key={option} value={option}>
            {option === '' ? 'left out' : option}
          </option>
        ))}
      </select>
    </label>
  );
}

function Label({ label, hint }: { label: string; hint: string | undefined }) {
  return (
    <span class="label">
      {label} {hint !== undefined && <span class="quiet">{hint}</span>}
    </span>
  );
}

export const rowsFor = (text: string): number =>
  Math.min(14, Math.max(text.includes('\n') ? 4 : 2, text.split('\n').length + 1));
