/** What is printed, as fast as it is read. */
const drained = (): Promise<void> => new Promise((resolve) => process.stdout.once('drain', resolve));

export async function print(...lines: readonly string[]): Promise<void> {
  if (lines.length > 0 && !process.stdout.write(`${lines.join('\n')}\n`)) await drained();
}

/** One line of JSON Lines. What a terminal could act on or hide stands escaped, which is the same JSON. */
export const printJson = (value: unknown): Promise<void> => print(json(value));

export const json = (value: unknown): string => JSON.stringify(value).replaceAll(UNSEEN, escaped);

const UNSEEN =
  /[\u007f-\u009f\u2028\u2029]|[\u115f-\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5|[\u180b-\u180f]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]|\p{Cf}|\p{Co}/gu;

/** Unit by unit, as JSON has it. */
const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');

/** `1 request`, `2 requests`. */
export const count = (number: number, one: string, several = `${one}s`): string =>
  `${number} ${number === 1 ? one : several}`;
