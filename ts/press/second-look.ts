/** When a press is the second yes to what is looked at twice, on pages and on screens. It imports nothing: pages have it, too. */

/**
 * So long, in ms, must it have been in sight, with no press that came too early, before a press is the second yes. It is longer than
 * a keyboard waits before a key that is held down repeats, and than the clicks of a double click are apart.
 */
export const PAUSE = 1000;

/** What is looked at twice: since when it is in sight and no press came too early, in ms of `performance.now()`. */
export interface ShownLook {
  since: number;
}

/** A press of a mouse, a finger or a key. */
export interface PagePress {
  /** How many clicks came together, as events of browsers say it. */
  readonly detail: number;
}

/** Whether a press is the second yes. One that came too early begins the time anew. */
export function isSecondYes(look: ShownLook, { detail }: PagePress, now = performance.now()): boolean {
  if (detail <= 1 && now - look.since >= PAUSE) return true;
  look.since = now;
  return false;
}

/** As much of an event as says which key it is. */
interface KeyDown {
  readonly key: string;
  readonly repeat: boolean;
  readonly target: unknown;
  preventDefault(): void;
}

/** A key that is held down presses a button once: browsers make a click of each repetition. */
export function ignoreHeld(event: KeyDown): void {
  if (!event.repeat || (event.key !== 'Enter' && event.key !== ' ')) return;
  if (event.target instanceof Element && event.target.closest('button') !== null) event.preventDefault();
}
