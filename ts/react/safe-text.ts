/**
 * Texts made safe where the addon is not: every character not known to be harmless is escaped. Letters that look like others are
 * a matter of what is around them, for which the addon has tables; here they are escaped wherever they stand.
 */

/**
 * Shown as they are: ASCII, Latin letters and signs as Europe writes them, Chinese, Japanese and Korean, and emoji. None of them is taken for
 * another or for nothing, which a test asks the addon about, one by one.
 */
const HARMLESS =
  /^(?:[\n -~¡-¬®-±¶·»¿-ÖØ-öø-İĲ-žƀ-ƃƆ-Ʀƨ-ƻƾƿǄ-ȶȸ-ɏ€“”„‘’‚ぁ-ゖァ-ヺー一-鿿가-힣、。]|(?!➖)\p{Emoji_Presentation})$/u;

/** What the eye jumps over. */
const PADDING = /[ ]{40,}|\n(?:[ ]*\n){9,}/g;

/** How much of each end of a long text is shown. */
const END = 2_000;

/** @see react.d.ts */
export function safeText(text: string): string {
  const characters = [...text];
  if (characters.length <= 2 * END) return escaped(characters);
  const hidden = characters.length - 2 * END;
  return `${escaped(characters.slice(0, END))}…[${hidden} characters hidden]…${escaped(characters.slice(-END))}`;
}

/** Each argument of a call from its beginning to its end, behind a gutter: none of it can pose as our own words. */
export function wholeOf(input: unknown): string {
  const isNamed = typeof input === 'object' && input !== null && !Array.isArray(input);
  const all: [string, unknown][] = isNamed ? Object.entries(input) : [['arguments', input]];
  return all
    .flatMap(([name, value]) => [
      `${escaped([...name]).replaceAll('\n', '\\u{000A}')}:`,
      ...escaped([...(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null'))])
        .split('\n')
        .map((line) => `│ ${line}`),
    ])
    .join('\n');
}

/** Whether it may be shown as it is, wherever it stands. */
export const isHarmless = (character: string): boolean => HARMLESS.test(character);

function escaped(characters: readonly string[]): string {
  return characters
    .map((character) => (isHarmless(character) ? character : escape(character)))
    .join('')
    .replace(PADDING, (blanks) =>
      blanks.startsWith('\n')
        ? `\n…[${blanks.split('\n').length - 1} line ends hidden]…\n`
        : ` …[${blanks.length} spaces hidden]… `,
    );
}

function escape(character: string): string {
  if (character === '\t') return '\\t';
  return `\\u{${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}}`;
}
