/** What the inbox tells while the page is open. */
import { signal } from '@preact/signals';
import type { StreamEvents } from '../protocol.js';
import { addressOf } from './api.js';

/** `closed`: the inbox said that it ends. It is tried again all the same. */
export type ConnectionState = 'connecting' | 'live' | 'lost' | 'closed';

export const connection = signal<ConnectionState>('connecting');

interface LiveListener {
  /** Everything may have changed: at the start, and whenever something may have been missed. */
  onAll(now: number): void;
  /** These may have changed. */
  onChange(ids: readonly string[]): void;
}

/** The longest pause between two tries, in ms. */
const LONGEST_PAUSE = 15_000;

/** Listens until the page goes. A lost connection is made again, sooner when the page is looked at again. */
export function listen(listener: LiveListener): void {
  let source: EventSource | undefined;
  let pause = 500;
  let timer: number | undefined;

  const open = () => {
    window.clearTimeout(timer);
    source?.close();
    source = new EventSource(addressOf('events'));
    on('hello', ({ now }) => {
      pause = 500;
      connection.value = 'live';
      listener.onAll(now);
    });
    on('change', ({ ids }) => listener.onChange(ids));
    on('gap', ({ now }) => listener.onAll(now));
    on('bye', () => {
      connection.value = 'closed';
    });
    source.addEventListener('error', () => {
      source?.close();
      // A server ends a stream now and then: it is lost when the next one does not come either.
      if (connection.value !== 'closed') connection.value = connection.value === 'live' ? 'connecting' : 'lost';
      timer = window.setTimeout(open, pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    });
  };
  const on = <NAME extends keyof StreamEvents>(name: NAME, then: (event: StreamEvents[NAME]) => void) =>
    source?.addEventListener(name, (event) =>
      then(JSON.parse((event as MessageEvent<string>).data) as StreamEvents[NAME]),
    );
  const openIfLost = () => {
    if (connection.value !== 'live' && document.visibilityState === 'visible') open();
  };

  open();
  window.addEventListener('online', openIfLost);
  document.addEventListener('visibilitychange', openIfLost);
  // A page that is kept aside and shown again has no connection, and does not say so.
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) open();
  });
}
