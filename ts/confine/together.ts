/** Commands that run at the same time: what came while one of them ran was there before for none of them. */
import { isIn } from './files.js';

interface CommandGroup {
  running: number;
  /** What was there when its first commands began. */
  readonly before: Set<string>;
  /** Where that was looked for. */
  readonly looked: Set<string>;
}

/** Those of this process, as long as one of them runs. */
let current: CommandGroup | undefined;

export class TogetherCommand {
  readonly #group: CommandGroup;

  /**
   * A command begins.
   *
   * @param found what it found there a moment ago, in these places; it must say when it ends
   */
  constructor(found: readonly string[], places: readonly string[]) {
    const group = (current ??= { running: 0, before: new Set(), looked: new Set() });
    const isKnown = (path: string) => [...group.looked].some((place) => isIn(path, place));
    // What another command's end has put aside meanwhile is not there any more.
    const isThere = (path: string) => process.getBuiltinModule('node:fs').lstatSync(path, { throwIfNoEntry: false });
    for (const path of found) if (!isKnown(path) && isThere(path) !== undefined) group.before.add(path);
    for (const place of places) group.looked.add(place);
    group.running += 1;
    this.#group = group;
  }

  wasThere(path: string): boolean {
    return this.#group.before.has(path);
  }

  end(): void {
    this.#group.running -= 1;
    if (this.#group.running === 0 && current === this.#group) current = undefined;
  }
}
