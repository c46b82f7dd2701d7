/** @jsxImportSource preact */
import { Given } from './parts.js';

/** What stands before each line that comes from the arguments, so that none of them poses as the page's own words. */
const GUTTER = /^(?:[│┆] ?)*/;

/** A preview, with its gutters as rules: they go on beside a line that is broken. */
export function Preview({ text }: { text: string }) {
  return (
    <div class="preview" role="region" aria-label="The call" tabIndex={0}>
      {text.split('\n').map((line, index) => {
        const gutter = GUTTER.exec(line)?.[0] ?? '';
        return (
          <div key={index} class="text-line">
            {Array.from(gutter.replaceAll(' ', ''), (sign, at) => (
              <span key={at} class={sign === '│' ? 'gutter' : 'gutter inner'} />
            ))}
            <Given mono>{line.slice(gutter.length)}</Given>
          </div>
        );
      })}
    </div>
  );
}
