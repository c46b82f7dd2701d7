/** Texts that a field of a page can hold. */
import { seenJson } from '../values/seen-json.js';

/** What a field cannot show as it is. Browsers make one kind of line out of all. */
const NOT_IN_A_FIELD = /[^\P{Cc}\n\t]/u;

/** Whether a field shows this text, and gives back the very same. */
export const fitsField = (text: string): boolean =>
  !NOT_IN_A_FIELD.test(text) && seenJson(text) === JSON.stringify(text);
