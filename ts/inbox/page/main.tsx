/** @jsxImportSource preact */
import { render } from 'preact';
import { callPerson } from './calling.js';
import { listenToKeys } from './keys.js';
import { start } from './state/store.js';
import { App } from './views/app.js';

start();
listenToKeys();
callPerson();
render(<App />, document.getElementById('page')!);
