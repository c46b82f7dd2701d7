// @ts-check
// The results of P4, P5, P6 and P8 for people.

/** @typedef {(what: string, figure: any, more?: { goal?: number, unit?: string }) => string[]} Line */

/** @param {any} P4 @param {Line} line */
export function durableRows({ goal, goalWriters, sizes, writers, core }, line) {
  const rows = [[''], ['P4  a request made durable / a bare append and sync of the same bytes, through JavaScript']];
  for (const [kib, contestants] of Object.entries(sizes)) {
    rows.push([`    ${kib} KiB of arguments (* is lost in a power failure)`]);
    for (const [name, figure] of Object.entries(contestants)) {
      if (name === 'append') continue;
      rows.push(line(`  ${name}${figure.durable ? '' : ' *'}`, figure, name === 'countersign' ? { goal } : {}));
    }
  }
  rows.push(['    the same in Rust']);
  for (const { bytes, append, request, decide, overwrite, bareSqlite, pages } of core.durable.sizes) {
    const named = { request, decide, overwrite, 'bare SQLite': bareSqlite };
    for (const [name, figure] of Object.entries(named)) {
      const what = `  ${name}, ${bytes / 1024} KiB${name in pages ? `, ${pages[name]} pages` : ''}`;
      rows.push(
        line(what, { value: Number((figure.p50 / append.p50).toPrecision(3)) }, name === 'request' ? { goal } : {}),
      );
    }
  }
  rows.push(
    [`    as many requests at once / one after the other (goal for 16: at least ${goalWriters})`],
    line('  16 writers, through JavaScript', writers),
    ...['4', '16', '64'].map((count) =>
      line(`  ${count} writers, Rust`, { value: core.writers[count].times, spread: core.writers[count].spread }),
    ),
  );
  return rows;
}

/** @param {any} P5 @param {Line} line */
export function pendingRows({ goalBytes, goalRatio, memory, sqlite, javaScript }, line) {
  const each = (/** @type {number} */ bytes) => ({ value: Math.round(bytes - memory.payload) });
  return [
    [''],
    [`P5  ${memory.requests} requests that wait, with ${memory.payload} bytes each`],
    line('  memory: of the process, over that', each(memory.memoryEach), { goal: goalBytes, unit: 'B' }),
    line('  sqlite: of the process', { value: Math.round(sqlite.memoryEach) }, { unit: 'B' }),
    line('  sqlite: of the file, over that', each(sqlite.fileEach), { unit: 'B' }),
    ...[memory, javaScript, sqlite].flatMap(({ ledger, p50Ratio, p99Ratio }) => [
      line(`  ${ledger}: a decision, p50 / p50 among 1,000`, { value: p50Ratio }),
      line(`  ${ledger}: a decision, p99 / p99 among 1,000`, { value: p99Ratio }, { goal: goalRatio }),
    ]),
  ];
}

/** @param {any} P6 @param {Line} line */
export function bytesRows({ value, goal, runs }, line) {
  const kb = (/** @type {number} */ bytes) => ({ value: Math.round(bytes / 1000) });
  return [
    [''],
    ['P6  what a run leaves on the disk'],
    line('  bytes per byte of history, most approvals / fewest', { value }, { goal }),
    ...runs.flatMap((/** @type {any} */ run) => [
      [`    ${run.approvals} approvals, a history of ${kb(run.history).value} KB`],
      line('  countersign', kb(run.file), { unit: 'KB' }),
      line(
        '  LangGraph SqliteSaver',
        run.langGraph ? kb(run.langGraph) : { value: 'not made' },
        run.langGraph ? { unit: 'KB' } : {},
      ),
      line('  the history as JSON at each approval', kb(run.fullJson), { unit: 'KB' }),
      line('  the same, each compressed', kb(run.fullJsonZstd), { unit: 'KB' }),
    ]),
  ];
}

/** @param {any} P8 @param {Line} line */
export function wakeRows({ goal, countersign, bare, toBare, postgres }, line) {
  const one = (
    /** @type {string} */ name,
    /** @type {any} */ { whole, decide, after },
    /** @type {number | undefined} */ limit,
  ) => [
    line(`  ${name}, p50`, { value: whole.p50 }, { unit: 'ms', ...(limit === undefined ? {} : { goal: limit }) }),
    line(`  ${name}, p99`, { value: whole.p99 }, { unit: 'ms' }),
    line('    of which until it is durable, p50', { value: decide.p50 }, { unit: 'ms' }),
    line('    from there on, p50', { value: after.p50 }, { unit: 'ms' }),
  ];
  return [
    [''],
    [`P8  a decision in another process until the iterator goes on, ${countersign.rounds} rounds`],
    ...one('countersign', countersign, goal),
    ...one('the bare mechanism', bare, undefined),
    line('  countersign / the bare mechanism', toBare),
    [
      `    the same over PostgreSQL, ${postgres.wake.countersign.rounds} rounds; processes that waited: ${postgres.load}`,
    ],
    ...one('countersign', postgres.wake.countersign, undefined),
    ...one('UPDATE and NOTIFY / LISTEN', postgres.wake.bare, undefined),
    line('  countersign / UPDATE and NOTIFY', postgres.wake.toBare, { goal: postgres.wake.goal }),
    ...Object.entries(postgres.decisions).flatMap(([connections, contestants]) => [
      [
        `    ${connections} connections: decisions a second / those of "update", and whole / LangGraph's (goal for the first: at least ${postgres.goalRate})`,
      ],
      ...Object.entries(contestants).map(([name, { rate, perSecond, p50, p99 }]) =>
        line(`  ${name} (${perSecond} /s, p50 ${p50} ms, p99 ${p99} ms)`, rate),
      ),
    ]),
  ];
}
