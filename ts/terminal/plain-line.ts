// oxlint-disable-next-line no-control-regex -- our own colours
const COLOURS = /\u001b\[[\d;]+m/g;

/** A text without its colours. */
export const plainLine = (line: string): string => line.replaceAll(COLOURS, '');
