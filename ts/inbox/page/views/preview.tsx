/** @jsxImportSource preact */
import { Given } from './parts.js';

/** What stands before each line that comes from the arguments, so that none of them poses as the page's own words. */
const GUTTER = /^│ (?:┆ )?/;

/** A part of a command, with what the policies say of it before the gutter; after `^` stands why. */
const PART = /^(\+ ok {5}|\? asks {3}|x denied | {9})([│┆^]) /;

const TONES: Readonly<Record<string, string>> = { '+ ok': 'good', '? asks': 'wait', 'x denied': 'bad' };

/** A preview, with its gutters as rules: they go on beside a line that is broken. */
export function Preview({ text }: { text: string }) {
  return (
    <div class="preview" role="region" aria-label="The call" tabIndex={0}>
      {text.split('\n').map((line, index) => (
        <Line key={index} line={line} />
      ))}
    </div>
  );
}

function Line({ line }: { line: string }) {
  const part = PART.exec(line);
  if (part) {
    const [all, label = '', sign] = part;
    const said = label.trim();
    return (
      <div class={sign === '^' ? 'text-line reason' : 'text-line'}>
        <span class={`effect mono ${TONES[said] ?? ''}`}>{said}</span>
        <span class={sign === '^' ? 'gutter none' : sign === '│' ? 'gutter' : 'gutter inner'} />
        <Given mono>{line.slice(all.length)}</Given>
      </div>
    );
  }
  const gutter = GUTTER.exec(line)?.[0] ?? '';
  return (
    <div class="text-line">
      {gutter !== '' && <span class="gutter" />}
      {gutter.length > 2 && <span class="gutter inner" />}
      <Given mono>{line.slice(gutter.length)}</Given>
    </div>
  );
}
