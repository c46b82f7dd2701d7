// @ts-check
// What was measured so far, in a file that is whole at every moment.

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname } from 'node:path';
import { machine } from './harness.mjs';
import { Misunderstood } from './options.mjs';

/** @typedef {import('./harness.mjs').Failure & { isPeer: boolean }} Failed */

/**
 * @typedef {object} Made how the figures of one measure were made
 * @property {string} commit `unknown` outside of a checkout
 * @property {boolean} changes whether the tree had any that are in no commit
 * @property {boolean} quick
 * @property {ReturnType<typeof machine>} machine
 * @property {{ begin: number, end: number }} load processes that waited for a processor, in the minute before
 * @property {Record<string, string>} versions of Node and of all that is compared
 * @property {string} begun
 * @property {number} seconds it took
 */

/** @typedef {{ made: Made, unfinished?: string, failures: Failed[], figures: any }} Result */

export class Report {
  /** @type {Record<string, Result>} */
  measures = {};
  #file;

  /** @param {string} file what is in it is kept, until it is measured again */
  constructor(file) {
    this.#file = file;
    if (existsSync(file)) this.measures = readReport(file);
    else mkdirSync(dirname(file), { recursive: true });
    this.#write();
  }

  /** @param {string} name @param {Result} result */
  put(name, result) {
    this.measures[name] = result;
    this.#write();
  }

  #write() {
    const aside = `${this.#file}.new`;
    writeFileSync(aside, `${JSON.stringify(this.measures, null, 2)}\n`);
    renameSync(aside, this.#file);
  }
}

/** @param {string} file @returns {Record<string, Result>} */
export function readReport(file) {
  try {
    /** @type {Record<string, Result>} */
    const measures = JSON.parse(readFileSync(file, 'utf8'));
    if (Object.values(measures).every((result) => result?.made && result.figures)) return measures;
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== undefined) throw new Misunderstood(`${file} cannot be read: ${code}`);
  }
  throw new Misunderstood(`${file} holds no figures of this benchmark`);
}

/** Begins one measure; the answer tells how its figures were made, whenever it is asked. @param {Pick<Made, 'commit' | 'changes' | 'quick' | 'versions'>} what */
export function begin(what) {
  const [begun, start, load] = [new Date().toISOString(), performance.now(), loadavg()[0]];
  return () => ({
    ...what,
    machine: machine(),
    load: { begin: rounded(load), end: rounded(loadavg()[0]) },
    begun,
    seconds: Math.round((performance.now() - start) / 1_000),
  });
}

const rounded = (/** @type {number} */ load) => Math.round(load * 10) / 10;

/** In the words of docs/performance.md. @param {Made} made */
export function measuredAt({ commit, changes, machine: { cores, cpu, platform }, load, versions, begun, seconds }) {
  const { node, ai } = versions;
  return [
    `Measured at commit ${commit.slice(0, 10)}${changes ? ' with changes' : ''} on ${cores} cores of ${cpu} (${platform})`,
    `load ${load.begin} to ${load.end}`,
    `Node ${node}`,
    ...(ai === undefined ? [] : [`ai ${ai}`]),
    `${begun.slice(0, 10)}, in ${seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`}.`,
  ].join(', ');
}
