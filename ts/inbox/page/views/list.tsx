/** @jsxImportSource preact */
/** What the lists of requests have in common. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { addressOf, selected, type PageView } from '../state/route.js';

/** So long, in ms, must typing pause before it is searched. */
const PAUSE = 200;

interface SearchProps {
  label: string;
  /** What is searched for. */
  value: string;
  onSearch: (text: string) => void;
}

/** The field that `/` leads to. */
export function Search({ label, value, onSearch }: SearchProps) {
  const timer = useRef(0);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // It was emptied elsewhere. Else what stands in the field is the newer of the two.
    if (value === '' && field.current) field.current.value = '';
  }, [value]);
  return (
    <div class="search" role="search">
      <input
        ref={field}
        id="search"
        type="search"
        aria-label={label}
        placeholder="Search  /"
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        defaultValue={value}
        onInput={({ currentTarget }) => {
          window.clearTimeout(timer.current);
          timer.current = window.setTimeout(() => onSearch(currentTarget.value.trim()), PAUSE);
        }}
      />
    </div>
  );
}

interface RowLinkProps {
  view: PageView;
  id: string;
  children: ComponentChildren;
}

/** A row, which leads to its request. The selected one stays in sight. */
export function RowLink({ view, id, children }: RowLinkProps) {
  const isSelected = selected.value === id;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isSelected) link.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  return (
    <a ref={link} href={addressOf({ view, id })} aria-current={isSelected ? 'true' : undefined} data-id={id}>
      {children}
    </a>
  );
}
