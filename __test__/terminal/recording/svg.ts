/** A recording as one SVG that moves by CSS alone: a film of the shots, pulled through a window one by one. */
import type { Span } from '../terminal.js';
import { COLUMNS, ROWS, type Shot } from './tour.js';

/** One character, in px. */
const [CELL, LINE, SIZE] = [8.4, 18, 14];
const [EDGE, BAR] = [16, 34];
const [WIDTH, HEIGHT] = [COLUMNS * CELL, ROWS * LINE];

/** Foreground and background have a contrast of at least 4.5 : 1, on dark and on light. */
const DARK = {
  window: '#0d1117',
  edge: '#30363d',
  text: '#e6edf3',
  dim: '#9198a1',
  red: '#ff7b72',
  green: '#3fb950',
  yellow: '#d29922',
  cyan: '#39c5cf',
};
const LIGHT: typeof DARK = {
  window: '#ffffff',
  edge: '#d1d9e0',
  text: '#1f2328',
  dim: '#59636e',
  red: '#cf222e',
  green: '#116329',
  yellow: '#7d4e00',
  cyan: '#0e6a75',
};
const colours = (of: typeof DARK): string =>
  Object.entries(of)
    .map(([name, colour]) => (name === 'edge' ? `.edge{stroke:${colour}}` : `.${name}{fill:${colour}}`))
    .join('');

/** @param still the shot that is shown where nothing is to move */
export function svgOf(shots: readonly Shot[], title: string, still: number): string {
  const whole = shots.reduce((sum, { stays }) => sum + stays, 0);
  const drawn = new Map<string, string>();
  let time = 0;
  const [frames, keys]: [string[], string[]] = [[], []];
  for (const [index, shot] of shots.entries()) {
    frames.push(frameOf(shot, index * WIDTH, drawn));
    keys.push(`${round((time / whole) * 100)}%{transform:translateX(${round(-index * WIDTH)}px)}`);
    time += shot.stays;
  }
  const style = [
    'text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;white-space:pre}',
    `text{font-size:${SIZE}px}.bold{font-weight:700}.underline{text-decoration:underline}`,
    colours(DARK),
    `@media (prefers-color-scheme:light){${colours(LIGHT)}}`,
    `#film{animation:film ${whole}ms step-end infinite}`,
    `@keyframes film{${keys.join('')}}`,
    `@media (prefers-reduced-motion:reduce){#film{animation:none;transform:translateX(${round(-still * WIDTH)}px)}}`,
  ];
  const [width, height] = [WIDTH + 2 * EDGE, HEIGHT + BAR + EDGE];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" xml:space="preserve" role="img" aria-labelledby="title">
<title id="title">${escaped(title)}</title>
<style>${style.join('\n')}</style>
<defs>
${[...drawn].map(([row, id]) => `<g id="${id}">${row}</g>`).join('\n')}
</defs>
<rect class="window edge" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${[0, 1, 2].map((dot) => `<circle cx="${EDGE + 6 + dot * 18}" cy="17" r="5" class="edge" fill="none"/>`).join('')}
<svg x="${EDGE}" y="${BAR}" width="${WIDTH}" height="${HEIGHT}" overflow="hidden"><g id="film">
${frames.join('\n')}
</g></svg>
</svg>
`;
}

/** A row that is seen more than once is drawn once. */
function frameOf({ rows, cursor }: Shot, left: number, drawn: Map<string, string>): string {
  const parts = rows.flatMap((row, y) => {
    if (row.length === 0) return [];
    const text = row.map(textOf).join('');
    const id = drawn.get(text) ?? `r${drawn.size}`;
    drawn.set(text, id);
    return [`<use href="#${id}" x="${round(left)}" y="${y * LINE}"/>`];
  });
  if (cursor !== undefined) {
    const [x, y] = [left + cursor.x * CELL, cursor.y * LINE + 2];
    parts.push(`<rect class="text" opacity="0.5" x="${round(x)}" y="${y}" width="${CELL}" height="${LINE - 2}"/>`);
  }
  return parts.join('');
}

/** As wide as its columns, in any font. */
function textOf({ text, x, width, inks }: Span): string {
  const bare = text.trim();
  if (bare === '') return '';
  const left = text.length - text.trimStart().length;
  const wide = width - (text.length - bare.length);
  const colour = inks.some((ink) => Object.hasOwn(DARK, ink)) ? inks : ['text', ...inks];
  const place = `x="${round((x + left) * CELL)}" y="${SIZE}" textLength="${round(wide * CELL)}" lengthAdjust="spacingAndGlyphs"`;
  return `<text class="${colour.join(' ')}" ${place}>${escaped(bare)}</text>`;
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
