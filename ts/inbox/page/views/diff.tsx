/** @jsxImportSource preact */
import { useState } from 'preact/hooks';
import type { DiffRow } from '../shown-diff.js';

const SIGNS = { same: ' ', added: '+', removed: '−', hunk: '', note: '' } as const;
const SPOKEN = { same: '', added: 'added: ', removed: 'removed: ', hunk: '', note: '' } as const;

/** How many rows are drawn at first. */
const FIRST = 600;

/** Lines that were added and removed: by sign, by stripe and by colour. */
export function Diff({ rows, label }: { rows: readonly DiffRow[]; label: string }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, FIRST);
  return (
    <div class="diff" role="region" aria-label={label} tabIndex={0}>
      <table>
        <tbody>
          {shown.map(({ kind, text, before, after }, index) => (
            <tr key={index} class={kind}>
              <td class="line" data-line={before ?? ''} />
              <td class="line" data-line={after ?? ''} />
              <td class="sign" aria-hidden="true">
                {SIGNS[kind]}
              </td>
              <td class="text">
                {SPOKEN[kind] !== '' && <span class="unseen">{SPOKEN[kind]}</span>}
                <span class="given">{text}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          Show {rows.length - shown.length} more lines
        </button>
      )}
    </div>
  );
}
