/** @jsxImportSource preact */
import { effect } from '@preact/signals';
import { render } from 'preact';
import { listenToKeys } from './keys.js';
import { pending, start } from './state/store.js';
import { App } from './views/app.js';

// So that a tab in the background tells how many wait.
effect(() => {
  const total = pending.value?.total ?? 0;
  document.title = total > 0 ? `(${total}) countersign` : 'countersign';
});

start();
listenToKeys();
render(<App />, document.getElementById('page')!);
