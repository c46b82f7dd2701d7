import type { ReactElement } from 'react';

/** A preview, whose lines of a diff are told apart by their sign, by the role of their element and by `data-change`. */
export function Preview({ text, label }: { text: string; label: string }): ReactElement {
  return (
    // It scrolls, so that the keyboard must reach it.
    <pre data-part="preview" dir="ltr" tabIndex={0} role="region" aria-label={label}>
      {diffLines(text).map(({ line, change }, at) => {
        const shown = `${line}\n`;
        if (change === 'added')
          return (
            <ins key={at} data-change="added">
              {shown}
            </ins>
          );
        if (change === 'removed')
          return (
            <del key={at} data-change="removed">
              {shown}
            </del>
          );
        return <span key={at}>{shown}</span>;
      })}
    </pre>
  );
}

/** The diff begins behind the arguments, with a line that none of them can pose as: theirs have a gutter. */
function diffLines(text: string): { line: string; change: 'added' | 'removed' | undefined }[] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith('@@ '));
  return lines.map((line, at) => ({
    line,
    change:
      start < 0 || at < start
        ? undefined
        : line.startsWith('│ + ')
          ? 'added'
          : line.startsWith('│ - ')
            ? 'removed'
            : undefined,
  }));
}
