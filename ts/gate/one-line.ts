/** Any text in one line that is safe to show. */
import { safeText } from '../native.js';

/** Any text as one line that is safe to show. */
export const oneLine = (text: string): string => withoutLines(safeText(text));

/** Any text as one line. The core makes it safe to show. */
export const withoutLines = (text: string): string => text.replace(LINE_BREAKS, ' ⏎ ').trim();

/** All that some front end takes for the end of a line. */
const LINE_BREAKS = /\s*[\n\r\v\f\u0085\u2028\u2029]\s*/g;
