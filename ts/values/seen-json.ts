/** JSON for a human: what could not be seen, or would act on what shows it, stands escaped, which is the same JSON. */
export const seenJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(UNSEEN, escaped);

const UNSEEN =
  /[\u007f-\u009f\u2028\u2029]|[\u115f-\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5|[\u180b-\u180f]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]|\p{Cf}|\p{Co}/gu;

/** Unit by unit, as JSON has it. */
const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
