/** @jsxImportSource preact */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export const isHelpOpen = signal(false);

const KEYS: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['j', '↓'], 'next request'],
  [['k', '↑'], 'the one before'],
  [['↵'], 'into the request'],
  [['Esc'], 'back'],
  [['y'], 'approve; if something stands out, y again'],
  [['Y'], 'approve, and go to the next one; if something stands out, Y again'],
  [['c'], 'approve with a comment'],
  [['z'], 'take back what is about to be sent'],
  [['n'], 'reject, with a reason'],
  [['e'], 'edit the arguments'],
  [['r'], 'answer in the tool’s place, or the questions'],
  [['s'], 'always: remember it'],
  [['x'], 'skip: the model goes on without it'],
  [['t'], 'several of this run together'],
  [['d'], 'changes or the call'],
  [['Ctrl ↵'], 'send what a sheet asks for'],
  [['/'], 'search'],
  [['1', '2', '3', '4'], 'waiting, history, audit, suggestions'],
  [['?'], 'this help'],
];

/** All keys. */
export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isHelpOpen.value;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={() => (isHelpOpen.value = false)}>
      <header>
        <h2 id="help-title" tabIndex={-1} autofocus>
          Keys
        </h2>
        <button type="button" onClick={() => (isHelpOpen.value = false)}>
          Close
        </button>
      </header>
      <dl>
        {KEYS.map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">Enter alone decides nothing. A request decides by key only once you have had it in sight.</p>
    </dialog>
  );
}
