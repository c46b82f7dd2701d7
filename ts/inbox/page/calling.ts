/**
 * Calls the person who does not look at the page: the title and the icon of the tab, the badge of the app, and notifications where
 * they want them. Nothing of a call leaves the page but the name of its tool.
 */
import { computed, effect, signal } from '@preact/signals';
import { pending, rows } from './state/store.js';

/** All that waits, also what the filter of the list leaves out. */
export const waitingInAll = computed(() =>
  (pending.value?.facets.tools ?? []).reduce((sum, { count }) => sum + count, 0),
);

const STORED = 'countersign-notify';
const canNotify = (): boolean => 'Notification' in window && Notification.permission !== 'denied';

/** Whether notifications are shown; `null`: this browser has none, or shows none of this page. */
export const notifies = signal<boolean | null>(
  canNotify() ? Notification.permission === 'granted' && stored() !== 'off' : null,
);

function stored(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    // A browser that keeps nothing.
    return null;
  }
}

/** Browsers ask for leave only where somebody has pressed something. */
export async function toggleNotifies(): Promise<void> {
  const isWanted = notifies.value !== true;
  const isAllowed = !isWanted || (await Notification.requestPermission()) === 'granted';
  try {
    localStorage.setItem(STORED, isWanted ? 'on' : 'off');
  } catch {
    // It counts until the page is closed.
  }
  notifies.value = canNotify() ? isWanted && isAllowed : null;
}

export function callPerson(): void {
  let before: number | null = null;
  effect(() => {
    const count = waitingInAll.value;
    if (pending.value === null) return;
    document.title = count > 0 ? `(${count}) countersign` : 'countersign';
    document.querySelector('link[rel=icon]')?.setAttribute('href', count > 0 ? marked() : plainIcon);
    badge(count);
    if (before !== null && count > before && notifies.peek() === true && !isLookedAt()) notify(count);
    before = count;
  });
}

const isLookedAt = (): boolean => document.visibilityState === 'visible' && document.hasFocus();

function notify(count: number): void {
  const tool = rows.peek().at(-1)?.item.tool;
  try {
    // One at a time: the next takes its place.
    const shown = new Notification(`countersign: ${count} waiting`, { body: tool ?? '', tag: 'countersign' });
    shown.addEventListener('click', () => {
      window.focus();
      shown.close();
    });
  } catch {
    // Phones show none of a page without a service worker.
    notifies.value = null;
  }
}

/** Where the page was installed as an app. */
function badge(count: number): void {
  const { setAppBadge } = navigator as Navigator & { setAppBadge?: (count: number) => Promise<void> };
  // Zero takes it away.
  setAppBadge?.call(navigator, count).catch(() => {});
}

const plainIcon = document.querySelector('link[rel=icon]')?.getAttribute('href') ?? '';

/** The icon with a dot. */
function marked(): string {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#17203a"/>' +
    '<path fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round" d="m5 17.5 5 5L19 9.5"/>' +
    '<circle cx="25" cy="7" r="7" fill="#e5484d"/></svg>';
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
