// @ts-check
// Rows of figures, for people.

const range = (/** @type {number[] | undefined} */ both) => (both ? `${both[0]} … ${both[1]}` : '');

export class Sheet {
  /** A row of one cell is a line of text. */
  #rows = [['', 'value', '95 % interval', 'p10 … p90', 'goal', '']];

  /** @param {string} text */
  heading(text) {
    this.#rows.push([''], [text]);
  }

  /** @param {string} text */
  note(text) {
    this.#rows.push([`    ${text}`]);
  }

  /**
   * A figure, or what went wrong with it; nothing, when it has not been made yet.
   *
   * @param {string} what
   * @param {any} figure
   * @param {{ most?: number, least?: number, unit?: string, remark?: string }} [more] `most`, `least`: its goal
   */
  line(what, figure, { most, least, unit = '', remark = '' } = {}) {
    if (figure === undefined) return;
    if (figure.failed !== undefined) {
      this.#rows.push([`  ${what}: ${figure.failed}`]);
      return;
    }
    const goal = most === undefined ? (least === undefined ? '' : `≥ ${least}`) : `≤ ${most}`;
    const isMet = figure.value <= (most ?? Infinity) && figure.value >= (least ?? -Infinity);
    const value = `${figure.value}${unit && ` ${unit}`}`;
    const outcome = [goal === '' ? '' : isMet ? 'met' : 'MISSED', remark].filter((part) => part !== '').join('  ');
    this.#rows.push([`  ${what}`, value, range(figure.confidence), range(figure.spread), goal, outcome]);
  }

  toString() {
    const widths = this.#rows[0].map((_, column) =>
      Math.max(...this.#rows.filter((row) => row.length > 1).map((row) => row[column].length)),
    );
    const lines = this.#rows.map((row) =>
      row.length === 1
        ? row[0]
        : row
            .map((cell, column) => cell.padEnd(widths[column]))
            .join('  ')
            .trimEnd(),
    );
    return `${lines.join('\n')}\n`;
  }
}
