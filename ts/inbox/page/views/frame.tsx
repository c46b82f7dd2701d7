/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Key } from './parts.js';

interface FrameProps {
  title: string;
  /** What the button says that decides. */
  send: string;
  isDanger?: boolean;
  /** Whether it may be sent as it is. @default true */
  isWhole?: boolean;
  /** The key that sends. @default Ctrl+Enter */
  sendKey?: string;
  onSend: () => void;
  onBack: () => void;
  children?: ComponentChildren;
}

/**
 * A sheet: what is asked for, the button that decides, and the way back. Its first field has the focus, else its title: never
 * the button, so that no key that was meant for something else decides.
 */
export function Frame({ title, send, isDanger, isWhole = true, sendKey, onSend, onBack, children }: FrameProps) {
  const frame = useRef<HTMLElement>(null);
  // Before the next key: what is typed at once goes into the field.
  useLayoutEffect(() => {
    const find = (what: string) => frame.current?.querySelector<HTMLElement>(what);
    (find('.fields :is(textarea, select, input:not([disabled]))') ?? find('h3'))?.focus();
  }, []);
  return (
    <section
      ref={frame}
      class="frame"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return;
        event.preventDefault();
        if (isWhole) onSend();
      }}
    >
      <h3 tabIndex={-1}>{title}</h3>
      <div class="fields">{children}</div>
      <div class="bar">
        <button type="button" class={isDanger ? 'primary danger' : 'primary'} disabled={!isWhole} onClick={onSend}>
          {send} <Key>{sendKey ?? 'Ctrl ↵'}</Key>
        </button>
        <button type="button" onClick={onBack}>
          Back <Key>Esc</Key>
        </button>
      </div>
    </section>
  );
}

interface FieldProps {
  label: string;
  value: string;
  rows?: number;
  isCode?: boolean;
  /** It has one line. */
  isLine?: boolean;
  hint?: string | undefined;
  isInvalid?: boolean;
  onInput: (value: string) => void;
}

export function Field(props: FieldProps) {
  const { label, value, rows = 2, isCode = false, isLine = false, hint, isInvalid = false, onInput } = props;
  return (
    <label class="field">
      <span class="label">
        {label} {hint !== undefined && <span class="quiet">{hint}</span>}
      </span>
      {isLine ? (
        <input
          type="text"
          class={isCode ? 'mono' : ''}
          value={value}
          spellcheck={!isCode}
          autocomplete="off"
          aria-invalid={isInvalid}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      ) : (
        <textarea
          class={isCode ? 'mono' : ''}
          rows={rows}
          value={value}
          spellcheck={!isCode}
          autocomplete="off"
          aria-invalid={isInvalid}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </label>
  );
}
