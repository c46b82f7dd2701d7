/** @jsxImportSource preact */
/** Small things that stand in many places. */
import type { ComponentChildren } from 'preact';
import type { ApprovalStatus, PolicyEffect } from '../../../../index.js';
import { clock } from '../state/store.js';
import { EFFECT, STATUS, ago, at, duration, toneOf } from '../words.js';

/** Texts of models, tools and users: letters that run from right to left turn nothing around them, nor the text as a whole. */
export function Given({ children, mono = false }: { children: ComponentChildren; mono?: boolean }) {
  return <span class={mono ? 'given mono' : 'given'}>{children}</span>;
}

export function Key({ children }: { children: string }) {
  return <kbd aria-hidden="true">{children}</kbd>;
}

const MARKS = { good: '✓', bad: '✕', wait: '…', quiet: '–' } as const;

/** A status, with a mark beside its colour. */
export function Status({ status }: { status: ApprovalStatus }) {
  const tone = toneOf(status);
  return (
    <span class={`pill ${tone}`}>
      <span aria-hidden="true">{MARKS[tone]}</span> {STATUS[status]}
    </span>
  );
}

const EFFECT_TONE = { allow: 'good', ask: 'wait', deny: 'bad' } as const;
const EFFECT_MARKS = { allow: '✓', ask: '?', deny: '✕' } as const;

export function Effect({ effect }: { effect: PolicyEffect }) {
  return (
    <span class={`pill ${EFFECT_TONE[effect]}`}>
      <span aria-hidden="true">{EFFECT_MARKS[effect]}</span> {EFFECT[effect]}
    </span>
  );
}

/** How long ago; its title says when. */
export function Ago({ time }: { time: number }) {
  return (
    <time dateTime={new Date(time).toISOString()} title={at(time)}>
      {ago(clock.value - time)}
    </time>
  );
}

/** Less than this, in ms, is urgent. */
const SOON = 60_000;

/** What is left of the time, counting down. A screen reader is not told each second. */
export function TimeLeft({ from, until }: { from: number; until: number | null }) {
  if (until === null) return <span class="left none">no time limit</span>;
  const left = until - clock.value;
  const share = Math.min(1, Math.max(0, left / Math.max(1, until - from)));
  const text = left > 0 ? `${duration(left)} left` : 'time is up';
  return (
    <span class={left < SOON ? 'left soon' : 'left'} role="timer" aria-live="off" title={`until ${at(until)}`}>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="7.5" />
        <circle class="rest" cx="10" cy="10" r="7.5" pathLength={1} stroke-dasharray={`${share} 1`} />
      </svg>
      {text}
    </span>
  );
}

/** The path of agents it came from. */
export function Origin({ origin }: { origin: readonly string[] }) {
  return (
    <ol class="origin" aria-label="From">
      {origin.map((name, index) => (
        <li key={index}>
          <Given>{name}</Given>
        </li>
      ))}
    </ol>
  );
}

/** The sign of the house: two who sign, one after the other. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 28 24" aria-hidden="true">
      <path d="M2.5 13.5 8 19 17.5 5" />
      <path class="second" d="m13.5 16.5 2.5 2.5L25.5 5" />
    </svg>
  );
}

interface EmptyProps {
  title: string;
  /** Whether it is all that the page shows. @default false */
  isPage?: boolean;
  children?: ComponentChildren;
}

/** Where nothing is to be shown. */
export function Empty({ title, isPage = false, children }: EmptyProps) {
  return (
    <div class="empty">
      <Mark />
      {isPage ? <h1 class="title">{title}</h1> : <p class="title">{title}</p>}
      {children}
    </div>
  );
}

/** What stands out in a call, each in a few words. */
export function Doubts({ doubts }: { doubts: readonly string[] }) {
  if (doubts.length === 0) return null;
  return (
    <ul class="doubts">
      {doubts.map((doubt) => (
        <li key={doubt}>
          <Given>{doubt}</Given>
        </li>
      ))}
    </ul>
  );
}
