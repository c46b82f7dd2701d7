/**
 * What common credentials look like.
 *
 * The work is linear in the text: an expression finds where a secret begins and repeats nothing without a bound that something
 * must follow; a loop finds where it ends, and what it passed is not looked at again.
 */

/** One kind of credential. */
export interface SecretKind {
  /** What stands in its place: `[redacted: <name>]`. */
  readonly name: string;
  /** Finds it; has the flag `g`. */
  readonly find: RegExp;
  /** Whether what was found stays and the secret begins behind it. */
  readonly behind?: boolean;
  /** Where it ends. @default where what was found ends */
  readonly end?: (text: string, from: number, found: string) => number;
}

/** The words that say that a value is secret, at the end of a name. Not `tokens`: a model counts those. */
const WORDS =
  '(?:passw(?:or)?d|passphrase|secret(?:[_-]?(?:access[_-]?)?key)?|credential|cookie|(?:access|auth|api|account|private|encryption|signing)[_-]?key)s?' +
  '|pwd|token|authorization';

const SECRET_NAME = new RegExp(`(?:${WORDS})$`, 'i');
const SECRET_FLAG = new RegExp(`^--?[\\w-]{0,64}?(?:${WORDS})$`, 'i');
/** Longer names are no names. */
const LONGEST_NAME = 256;

/** Whether the name alone makes its value secret. */
export function isSecretName(name: string): boolean {
  return name.length <= LONGEST_NAME && SECRET_NAME.test(name);
}

/** Whether the argument that follows this one on a command line is secret. */
export function isSecretFlag(argument: string): boolean {
  return argument.length <= LONGEST_NAME && SECRET_FLAG.test(argument);
}

/** A reference is not what it refers to, and the working directory (`PWD`) no password. */
export function isHarmless(name: string, value: string): boolean {
  return (
    value === '' ||
    /^\$(?:[A-Z_]\w{0,63}|\{[A-Z_]\w{0,63}\})$/.test(value) ||
    (/pwd$/i.test(name) && /^[/~.]/.test(value))
  );
}

/** Goes on while a character is one of a token. */
const token = (text: string, from: number): number => run(text, from, isTokenCode);
const base64 = (text: string, from: number): number =>
  run(text, from, (code) => isTokenCode(code) || code === 43 || code === 47 || code === 61);

function run(text: string, from: number, belongs: (code: number) => boolean): number {
  let at = from;
  while (at < text.length && belongs(text.charCodeAt(at))) at++;
  return at;
}

/** Letters, digits, `_`, `-`, `.`, `~`. */
function isTokenCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46 ||
    code === 126
  );
}

/** The end of a private key: of a text that was cut, all the rest. */
function pem(text: string, from: number): number {
  const end = text.indexOf('-----END', from);
  if (end < 0) return text.length;
  const close = text.indexOf('-----', end + 8);
  return close < 0 ? text.length : close + 5;
}

/** The end of what is assigned. `found` ends with the sign and perhaps a quote, which may be escaped. */
function assigned(text: string, from: number, found: string): number {
  const [, escapes = '', quote = ''] = /(\\{0,3})(["'`]?)$/.exec(found) ?? [];
  if (quote !== '') return quoted(text, from, quote, escapes.length);
  const stops = found.includes(':') ? '\r\n,;}"\'`' : ' \t\r\n,;&|)"\'`<>';
  return run(text, from, (code) => !stops.includes(String.fromCharCode(code)));
}

/** Up to the quote that closes it: one with no more backslashes before it than the one that opened it, or the line's end. */
function quoted(text: string, from: number, quote: string, escapes: number): number {
  let backslashes = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === '\\') backslashes++;
    else if (char === '\n') return at;
    else if (char === quote && backslashes <= escapes) return at - backslashes;
    else backslashes = 0;
  }
  return text.length;
}

/** To the quote or the end of the line: a scheme and what follows it. */
const header = (text: string, from: number): number =>
  run(text, from, (code) => code !== 10 && code !== 13 && code !== 34 && code !== 39 && code !== 96);

/** In the order in which they are looked for: what says most first. */
export const SECRETS: readonly SecretKind[] = [
  { name: 'private-key', find: /-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----/g, end: pem },
  { name: 'private-key', find: /AGE-SECRET-KEY-1[0-9A-Z]{58}/g },
  { name: 'aws-access-key', find: /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  {
    name: 'github-token',
    find: /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22})/g,
    end: token,
  },
  {
    name: 'gitlab-token',
    find: /(?<![A-Za-z0-9])gl(?:pat|ptt|dt|rt|cbt|ft|imt|agent|soat|oas|ffct)-[\w-]{20}/g,
    end: token,
  },
  { name: 'slack-token', find: /(?<![A-Za-z0-9])(?:xox[abeoprs]-|xapp-\d-)[A-Za-z0-9-]{10}/g, end: token },
  { name: 'slack-webhook', find: /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Z0-9]{4}/g, end: base64 },
  { name: 'npm-token', find: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}/g, end: token },
  { name: 'pypi-token', find: /(?<![A-Za-z0-9])pypi-AgE[\w-]{40}/g, end: token },
  { name: 'anthropic-key', find: /(?<![A-Za-z0-9])sk-ant-[\w-]{16}/g, end: token },
  {
    name: 'openai-key',
    find: /(?<![A-Za-z0-9])sk-(?:[A-Za-z0-9]{32}|(?:proj|svcacct|admin|None|or-v1)-[\w-]{16})/g,
    end: token,
  },
  { name: 'google-key', find: /(?<![A-Za-z0-9])(?:AIza[\w-]{35}|ya29\.[\w-]{20}|GOCSPX-[\w-]{20})/g, end: token },
  {
    name: 'stripe-key',
    find: /(?<![A-Za-z0-9])(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10}|whsec_[A-Za-z0-9+/]{24})/g,
    end: base64,
  },
  { name: 'huggingface-token', find: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30}/g, end: token },
  { name: 'sendgrid-key', find: /(?<![A-Za-z0-9])SG\.[\w-]{16,32}\.[\w-]{16}/g, end: token },
  { name: 'digitalocean-token', find: /(?<![A-Za-z0-9])do[opr]_v1_[a-f0-9]{64}/g, end: token },
  { name: 'docker-token', find: /(?<![A-Za-z0-9])dckr_(?:pat|oat)_[\w-]{20}/g, end: token },
  { name: 'vault-token', find: /(?<![A-Za-z0-9])hv[sbr]\.[\w-]{24}/g, end: token },
  { name: 'telegram-token', find: /(?<![A-Za-z0-9])\d{8,10}:AA[\w-]{32}/g, end: token },
  // The lookbehind lets no two of them begin in one run of characters, so the bound costs nothing twice.
  { name: 'jwt', find: /(?<![\w-])eyJ[\w-]{5,8192}\.eyJ[\w-]{5}/g, end: token },
  {
    name: 'authorization',
    find: /authorization\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?/gi,
    behind: true,
    end: header,
  },
  { name: 'authorization', find: /(?<![A-Za-z0-9])bearer[ \t]{1,4}(?=[\w.~+/-]{16})/gi, behind: true, end: base64 },
  // What may stand in it is nothing that another could begin with.
  {
    name: 'url-credentials',
    find: /:\/\/(?!git@)(?=[^\s/@"'`<>?#]{1,512}@)/g,
    behind: true,
    end: (text, from) => text.indexOf('@', from),
  },
  {
    name: 'secret',
    find: new RegExp(`(?:${WORDS})\\\\{0,3}["']?\\s{0,8}(?::|=>?)\\s{0,8}\\\\{0,3}["'\`]?`, 'gi'),
    behind: true,
    end: assigned,
  },
  // `--password hunter2`: another begins behind a space only, which does not stand in a name.
  {
    name: 'secret',
    find: new RegExp(`(?<![^\\s"'(])--?[\\w-]{0,64}?(?:${WORDS})[ \\t]{1,8}["'\`]?(?![-\\s])`, 'gi'),
    behind: true,
    end: assigned,
  },
];
