// @ts-check
// A run of the benchmark: one measure after the other, even if one of them fails.

import { execFile } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { progress } from './harness.mjs';
import { Misunderstood, readOptions } from './options.mjs';
import { begin, readReport, Report } from './report.mjs';
import { table } from './table.mjs';

/**
 * @typedef {object} Surroundings what is the same for all measures
 * @property {string} node the Node that everything is measured on
 * @property {NodeJS.ProcessEnv} env the environment of everything that is measured
 * @property {{ folder: string, bytes: Record<string, number> }} app
 * @property {Record<string, string>} versions
 */

/**
 * @typedef {Omit<Surroundings, 'versions'> & {
 *   quick: boolean,
 *   signal: AbortSignal,
 *   temporary: string,
 *   failed: import('./harness.mjs').Around['failed'],
 *   save: (figures: object, unfinished: string) => void,
 * }} Context `temporary`: a folder for files, gone at the end; `save`: what there is so far, and how far it is
 */

/** @typedef {(context: Context) => object | Promise<object>} Measure its figures, complete */

/** @typedef {(sheet: import('./sheet.mjs').Sheet, figures: any) => void} Show also of figures that are not complete */

/** Aborts everything with a signal's name. */
class Interrupted extends Error {
  /** @param {NodeJS.Signals} by */
  constructor(by) {
    super(by);
    this.by = by;
  }
}

const root = dirname(import.meta.dirname);

/**
 * @param {Record<string, { measure: Measure, show: Show }>} measures
 * @param {readonly string[]} words what it was told
 * @param {(options: { build: boolean, node: string | undefined }) => Promise<Surroundings & { remove: () => void }>} setUp
 * @returns {Promise<number>} what to exit with: 0 also when somebody else's contestant failed or a goal is missed
 */
export async function bench(measures, words, setUp) {
  const options = readOptions(words, Object.keys(measures));
  const print = (/** @type {Record<string, import('./report.mjs').Result>} */ results) =>
    process.stdout.write(options.json ? `${JSON.stringify(results, null, 2)}\n` : table(results, measures));
  if (options.help) {
    process.stdout.write(options.usage);
    return 0;
  }
  if (options.show !== undefined) {
    print(readReport(options.show));
    return 0;
  }
  const now = new Date().toISOString().slice(0, -1).replaceAll(':', '-');
  const out = resolve(options.out ?? join(root, '.build', 'bench', `${now}.json`));
  const report = new Report(out);
  progress(`the figures are written to ${out} as they come`);
  const commit = await commitOf(root);
  const { versions, remove, ...surroundings } = await setUp({ build: !options['no-build'], node: options.node });
  const temporary = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const interrupt = new AbortController();
  const { signal } = interrupt;
  setMaxListeners(0, signal);
  const undo = onSignals((by) => interrupt.abort(new Interrupted(by)));
  /** @type {{ measure: string, failed: import('./report.mjs').Failed }[]} */
  const failures = [];
  let isWhole = true;
  try {
    for (const name of options.only) {
      signal.throwIfAborted();
      progress(name);
      const made = begin({ ...commit, quick: options.quick, versions });
      /** @type {import('./report.mjs').Failed[]} */
      const failed = [];
      /** @type {object} */
      let figures = {};
      const save = (/** @type {object} */ soFar, /** @type {string | undefined} */ unfinished) => {
        figures = soFar;
        report.put(name, { made: made(), unfinished, failures: failed, figures });
      };
      try {
        figures = await measures[name].measure({
          ...surroundings,
          // Crashed contestants leave files behind.
          env: { ...surroundings.env, TMPDIR: temporary, TMP: temporary, TEMP: temporary },
          temporary,
          quick: options.quick,
          signal,
          failed: (failure, isPeer = false) => {
            signal.throwIfAborted();
            progress(`  ${failure.name}: ${failure.failed}`);
            failed.push({ ...failure, isPeer });
          },
          save,
        });
        save(figures, undefined);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const lastLines = (error instanceof Error ? (error.stack ?? error.message) : String(error)).split('\n');
        failed.push({ name, failed: `the benchmark itself failed: ${lastLines[0]}`, lastLines, isPeer: false });
        progress(lastLines.join('\n'));
        save(figures, 'it failed');
      }
      failures.push(...failed.map((each) => ({ measure: name, failed: each })));
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    isWhole = false;
    progress(`interrupted (${error.by}); this is what there is`);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
    remove();
    undo();
  }
  print(report.measures);
  for (const { measure, failed } of failures) progress(`${measure}: ${failed.name}: ${failed.failed}`);
  progress(`the figures are in ${out}`);
  if (!isWhole) return 128 + constants.signals[/** @type {Interrupted} */ (signal.reason).by];
  return failures.some(({ failed }) => !failed.isPeer) ? 1 : 0;
}

/** What it was told is told again in its own words. @param {unknown} error */
export function refuse(error) {
  if (!(error instanceof Misunderstood)) throw error;
  progress(error.message);
  return 2;
}

/** The first one is for us, the next ends us at once. @param {(by: NodeJS.Signals) => void} tell */
function onSignals(tell) {
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  const undo = () => {
    for (const signal of signals) process.off(signal, hear);
  };
  const hear = (/** @type {NodeJS.Signals} */ by) => {
    undo();
    tell(by);
  };
  for (const signal of signals) process.on(signal, hear);
  return undo;
}

/** @param {string} folder @returns {Promise<{ commit: string, changes: boolean }>} */
async function commitOf(folder) {
  const git = async (/** @type {string[]} */ ...args) =>
    (await promisify(execFile)('git', args, { cwd: folder, maxBuffer: 2 ** 26 })).stdout.trim();
  try {
    return { commit: await git('rev-parse', 'HEAD'), changes: (await git('status', '--porcelain')) !== '' };
  } catch {
    return { commit: 'unknown', changes: false };
  }
}
