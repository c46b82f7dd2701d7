/** Of Vitest: keeps the names of the files whose tests run. Where the run is ended from outside, it waited for these. */
import { writeFileSync } from 'node:fs';
import { runningFile } from './running.mjs';

export default class RunningReporter {
  #names = new Set();

  onTestModuleStart(module) {
    this.#names.add(nameOf(module));
    this.#keep();
  }

  onTestModuleEnd(module) {
    this.#names.delete(nameOf(module));
    this.#keep();
  }

  #keep() {
    writeFileSync(runningFile(process.env.COUNTERSIGN_LANE), [...this.#names].map((name) => `${name}\n`).join(''));
  }
}

const nameOf = ({ project, relativeModuleId }) => `${relativeModuleId} (${project.name})`;
