// @ts-check
// The results for people.

import { bytesRows, durableRows, pendingRows, wakeRows } from './table-ledger.mjs';

const range = (/** @type {number[]} */ [low, high]) => `${low} … ${high}`;

/**
 * @param {string} what
 * @param {any} figure
 * @param {{ goal?: number, unit?: string }} [more]
 */
const line = (what, figure, { goal, unit = '' } = {}) => [
  what,
  `${figure.value}${unit && ` ${unit}`}`,
  figure.confidence ? range(figure.confidence) : '',
  figure.spread ? range(figure.spread) : '',
  goal === undefined ? '' : `≤ ${goal}`,
  goal === undefined ? '' : figure.value <= goal ? 'met' : 'MISSED',
];

/** @param {Record<string, any>} results */
export function table({ P1, P2, P3, P4, P5, P6, P7, P8 }) {
  const rows = [['', 'value', '95 % interval', 'p10 … p90', 'goal', '']];
  const heading = (/** @type {string} */ text) => rows.push([''], [text]);
  if (P1) {
    heading(`P1  ${P1.parts} parts of text through streamWithEvents / fullStream`);
    rows.push(
      line('  no interruptOn', P1, { goal: P1.goal }),
      line('  interruptOn, tool never called', P1.withInterruptOn, { goal: P1.goal }),
      line('  fullStream / itself (noise)', P1.noise),
    );
  }
  if (P2) {
    heading("P2  one gated call, the whole run / the AI SDK's two calls by hand");
    rows.push(
      line('  countersign', P2, { goal: P2.goal }),
      line('  countersign, answered through a gate', P2.throughGate),
      line('  gateTools + generateText / two generateText', P2.withoutStreaming),
      line('  by hand / itself (noise)', P2.noise),
    );
    for (const [name, peer] of Object.entries(P2.peers)) {
      rows.push(line(`  ${name}`, peer.streaming), line(`  ${name}, without streaming`, peer.withoutStreaming));
    }
    heading('    how many times as long as countersign (more than 1: countersign is faster)');
    for (const [name, peer] of Object.entries(P2.peers)) {
      rows.push(
        line(`  ${name}, both streaming`, peer.toCountersign.streaming),
        line(`  ${name}, both without streaming`, peer.toCountersign.withoutStreaming),
      );
    }
    heading('    what asking the human adds to the same run that asks nobody');
    rows.push(
      line('  by hand', P2.askingAdds.byHand, { unit: 'ms' }),
      line('  countersign', P2.askingAdds.countersign, { unit: 'ms' }),
      ...Object.entries(P2.peers).map(([name, peer]) => line(`  ${name}`, peer.askingAdds, { unit: 'ms' })),
    );
  }
  if (P3) rows.push(...verdictRows(P3));
  if (P4) rows.push(...durableRows(P4, line));
  if (P5) rows.push(...pendingRows(P5, line));
  if (P6) rows.push(...bytesRows(P6, line));
  if (P7) {
    heading("P7  import 'countersign' in a fresh process, less an empty module");
    rows.push(
      line('  import', P7, { goal: P7.goal, unit: 'ms' }),
      line('  whole process', P7.wholeProcess, { unit: 'ms' }),
      line('  unpacked, one platform', P7.size, { goal: P7.size.goal, unit: P7.size.unit }),
    );
  }
  if (P8) rows.push(...wakeRows(P8, line));
  const { machine, versions, quick } = P1 ?? P2 ?? P3 ?? P4 ?? P5 ?? P6 ?? P7 ?? P8;
  const widths = rows[0].map((_, column) =>
    Math.max(...rows.filter((row) => row.length > 1).map((row) => row[column].length)),
  );
  const body = rows.map((row) =>
    row.length === 1
      ? row[0]
      : row
          .map((cell, column) => cell.padEnd(widths[column]))
          .join('  ')
          .trimEnd(),
  );
  const on = `${machine.platform}, ${machine.cores} × ${machine.cpu}`;
  const of = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const warning = quick ? ['', 'QUICK: the processes are cold and the rounds few. No figure here can be trusted.'] : [];
  return `${[...body, '', on, of.join(', '), ...warning].join('\n')}\n`;
}

/** @param {any} P3 @returns {string[][]} */
function verdictRows(P3) {
  const agrees = (/** @type {any} */ { agrees, of, looser }) =>
    `${agrees} of ${of} agree${looser.length > 0 ? `, ${looser.length} looser` : ''}`;
  return [
    [''],
    [`P3  a verdict on a short command line, 100 rules, ${P3.lines} lines (${agrees(P3.agrees)})`],
    line('  countersign, checkPolicy', P3, { goal: P3.goal, unit: P3.unit }),
    line('    of which: there and back', P3.parts.crossing, { unit: P3.unit }),
    line('    with the verdict, as text', P3.parts.native, { unit: P3.unit }),
    line('    with the text made and read', P3.parts['native, JSON'], { unit: P3.unit }),
    line('  countersign / itself (noise)', P3.noise),
    line('  lines that name files', P3.withPaths, { unit: P3.unit }),
    [''],
    ['    how many times as long as countersign (more than 1: countersign is faster)'],
    ...Object.entries(P3.peers).map(([name, peer]) => [
      ...line(`  ${name}`, peer.times).slice(0, 4),
      ['cedar', 'tree-sitter'].includes(name) ? `≥ ${P3.goalTimes}` : '',
      `${['cedar', 'tree-sitter'].includes(name) ? (peer.times.value >= P3.goalTimes ? 'met' : 'MISSED') : ''}  ${agrees(peer)}${peer.given === null ? '' : `; given ${peer.given}`}`,
    ]),
    [''],
    ['    µs by the number of rules'],
    ...[
      ['countersign', Object.entries(P3.bySize).map(([size, figure]) => [size, figure.microseconds])],
      ...Object.entries(P3.peers).map(([name, peer]) => [name, Object.entries(peer.microseconds)]),
    ].map(([name, sizes]) => [`  ${name}: ${sizes.map(([size, time]) => `${size}: ${time}`).join(', ')}`]),
    line('  countersign, 10000 / 10 rules', P3.bySize[10000]),
    [''],
    [`G15  a verdict on 64 KiB, ms (goal: p99 ≤ ${P3.goalLarge})`],
    ...Object.entries(P3.large).map(([name, { p50, p99 }]) => [
      `  ${name}`,
      `${p50}`,
      '',
      `p99 ${p99}`,
      `≤ ${P3.goalLarge}`,
      p99 <= P3.goalLarge ? 'met' : 'MISSED',
    ]),
  ];
}
