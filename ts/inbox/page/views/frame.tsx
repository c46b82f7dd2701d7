/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { PagePress } from '../../../press/second-look.js';
import { isTooEarly, isYesToSheet } from '../state/compose.js';
import { Key } from './parts.js';

interface FrameProps {
  title: string;
  /** What the button says that decides. */
  send: string;
  isDanger?: boolean;
  /** Whether what is said here is looked at twice: then it is sent by a press that cannot be of the one before. @default false */
  isSecondLook?: boolean;
  /** Whether it may be sent as it is. @default true */
  isWhole?: boolean;
  /** What is still to be done before it may be sent; empty: nothing. It stays in sight. @default '' */
  missing?: string;
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
export function Frame(props: FrameProps) {
  const {
    title,
    send,
    isDanger,
    isSecondLook = false,
    isWhole = true,
    missing = '',
    sendKey,
    onSend,
    onBack,
    children,
  } = props;
  const frame = useRef<HTMLElement>(null);
  // Before the next key: what is typed at once goes into the field.
  useLayoutEffect(() => {
    const find = (what: string) => frame.current?.querySelector<HTMLElement>(what);
    (find('.fields :is(textarea, select, input:not([disabled]))') ?? find('h3'))?.focus();
  }, []);
  const press = (event: PagePress) => {
    if (!isWhole) return;
    // The second of a double click may be about what stood here before.
    if (isSecondLook ? isYesToSheet(event) : event.detail <= 1) onSend();
  };
  return (
    <section
      ref={frame}
      class="frame"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return;
        event.preventDefault();
        press(event);
      }}
    >
      <h3 tabIndex={-1}>{title}</h3>
      <div class="fields">{children}</div>
      {isSecondLook && isTooEarly.value && (
        <p class="note" role="status">
          That came too early: read it first, then press again.
        </p>
      )}
      {missing !== '' && (
        <p class="note" role="status">
          {missing}
        </p>
      )}
      <div class="bar">
        <button type="button" class={isDanger ? 'primary danger' : 'primary'} disabled={!isWhole} onClick={press}>
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
