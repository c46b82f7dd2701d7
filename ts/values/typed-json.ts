/**
 * JSON that a person typed, as what it says. JavaScript alone reads `9007199254740993` as another number, `1e999` as one that has no
 * JSON, and of two values for a name keeps the second: what ran would not be what was written.
 */

/** Strings whole, numbers, and what stands around them. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],:]/g;

/**
 * @throws SyntaxError: it is not JSON, a number has more digits than JavaScript keeps, or an object has a name twice. The message says
 *   which
 */
export function typedJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  /** The names of each object that is open; `undefined`: a list. */
  const open: (Set<string> | undefined)[] = [];
  let before = '';
  const tokens = text.match(TOKEN) ?? [];
  for (const [at, token] of tokens.entries()) {
    const names = open.at(-1);
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token.startsWith('"')) {
      const isName = names !== undefined && before !== ':' && tokens[at + 1] === ':';
      const name = isName ? (JSON.parse(token) as string) : '';
      if (isName && names.has(name)) throw new SyntaxError(`the name ${token} stands there twice`);
      if (isName) names.add(name);
    } else if (/^[-\d]/.test(token) && !isKeptNumber(token))
      throw new SyntaxError(`the number ${token} has more digits than JavaScript keeps: write it as a text`);
    before = token;
  }
  return value;
}

/** Whether the number, as JSON has it, is the same in decimals again, as far as it was written. */
export function isKeptNumber(token: string): boolean {
  const value = Number(token);
  return Number.isFinite(value) && digitsOf(token) === digitsOf(String(value));
}

/** The digits that count, and where the point stands: of `1.50`, `15e-1`. */
function digitsOf(number: string): string {
  const [, sign = '', whole = '', part = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const all = whole + part;
  const digits = all.replace(/^0+/, '').replace(/0+$/, '');
  if (digits === '') return '0';
  const zeros = /0*$/.exec(all)?.[0].length ?? 0;
  return `${sign}${digits}e${Number(power) - part.length + zeros}`;
}
