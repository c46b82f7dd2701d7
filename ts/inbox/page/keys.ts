/** What keys do. They work on the request that is shown; a key that is held down decides nothing. */
import type { DecisionType } from '../../../index.js';
import { ignoreHeld } from '../../press/second-look.js';
import { heldNow } from './state/answers.js';
import {
  approve,
  approveAndGoOn,
  approveNow,
  callOf,
  closeSheet,
  isYesToSheet,
  keyPressed,
  mayDecide,
  mayRemember,
  openSheet,
  ready,
  sheet,
  type ApproveSheet,
} from './state/compose.js';
import { stepFrom } from './state/list.js';
import { go, route, selected, type PageView } from './state/route.js';
import { detail, rows } from './state/store.js';
import { isHelpOpen } from './views/help.js';
import { past } from './views/history.js';

const VIEWS: Readonly<Record<string, PageView>> = { '1': 'waiting', '2': 'history', '3': 'audit', '4': 'suggestions' };

/** As in the terminal: y n e r s d ? mean the same wherever somebody decides. */
const SHEETS: Readonly<Record<string, DecisionType>> = { n: 'reject', e: 'edit', r: 'respond', x: 'skip' };

/** What they say the first time, they say the second time, too. */
const YES: Readonly<Record<string, ApproveSheet>> = { y: 'approve', Y: 'approve-next' };

export function listenToKeys(): void {
  window.addEventListener('keydown', keyPressed, { capture: true });
  window.addEventListener('keydown', ignoreHeld, { capture: true });
  window.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing || isHelpOpen.value) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') back();
    else if (isTyping(event.target)) return;
    else if (!press(event)) return;
    event.preventDefault();
  });
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches('input:not([type=checkbox], [type=radio]), textarea, select');

/** One step back: out of a field, a sheet, a request. */
function back(): void {
  const { activeElement } = document;
  if (sheet.value !== null) {
    closeSheet();
    focusTitle();
  } else if (activeElement instanceof HTMLElement && isTyping(activeElement)) activeElement.blur();
  else if (selected.value !== null) {
    const id = selected.value;
    go({ view: route.value.view, id: null });
    document.querySelector<HTMLElement>(`.rows a[data-id="${id}"]`)?.focus();
  }
}

const focusTitle = () => document.getElementById('request-title')?.focus();

/** Whether the key meant something. */
function press({ key, repeat, target }: KeyboardEvent): boolean {
  const view = VIEWS[key];
  if (view !== undefined) {
    go({ view, id: null });
    return true;
  }
  switch (key) {
    case 'j':
    case 'k':
      return step(key === 'j' ? 1 : -1);
    case 'ArrowDown':
    case 'ArrowUp':
      // Elsewhere they scroll, or choose.
      if (target !== document.body && !(target instanceof Element && target.closest('.rows'))) return false;
      return step(key === 'ArrowDown' ? 1 : -1);
    case 'Enter':
      if (target !== document.body && !(target instanceof Element && target.matches('.rows a[aria-current]')))
        return false;
      focusTitle();
      return true;
    case '/':
      document.getElementById('search')?.focus();
      return true;
    case '?':
      isHelpOpen.value = true;
      return true;
    case 'z':
      heldNow.value.at(-1)?.takeBack();
      return heldNow.value.length > 0;
    default:
      return !repeat && pressOnRequest(key);
  }
}

function step(by: number): boolean {
  const { view } = route.value;
  if (view === 'audit' || sheet.value !== null) return false;
  const shown = view === 'waiting' ? rows.value : (past.value ?? []).map((item) => ({ item, gone: false }));
  const id = stepFrom(shown, selected.value, by);
  if (id !== null) go({ view, id }, { replace: selected.value !== null });
  return true;
}

/** Keys that decide, or begin to. */
function pressOnRequest(key: string): boolean {
  const shown = detail.value;
  if (shown === null) return false;
  const id = shown.record.approvalId;
  if (key === 'd') {
    callOf.value = callOf.value === id ? null : id;
    return true;
  }
  if (ready.value !== id) return false;
  if (sheet.value === 'approve' || sheet.value === 'approve-next') {
    const how = YES[key];
    // The key that opened it, pressed twice, is no second look.
    if (how === undefined || !isYesToSheet({ detail: 0 })) return false;
    closeSheet();
    approveNow(how, id);
    return true;
  }
  if (sheet.value !== null) return false;
  const type = SHEETS[key];
  if (type !== undefined) {
    if (!mayDecide(shown, type) || (type === 'edit' && shown.record.argsJson === null)) return false;
    openSheet(id, type);
    return true;
  }
  const how = YES[key];
  if (how === 'approve') approve(shown);
  else if (how === 'approve-next') approveAndGoOn(shown);
  else if (key === 'c' && mayDecide(shown, 'approve')) openSheet(id, 'comment');
  else if (key === 's' && mayRemember(shown)) openSheet(id, 'always');
  else if (key === 't' && shown.step.length > 0 && shown.record.status === 'pending') openSheet(id, 'together');
  else return false;
  return true;
}
