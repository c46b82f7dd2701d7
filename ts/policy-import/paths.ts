/** Foreign patterns for paths, as ours. */
import type { PolicyEffect } from '../wire.js';
import { splitOnce, withoutAtEnd, withoutEnd, withoutStart } from './text.js';

/** Patterns of ours for one of theirs, and what differs; or why an allow has none. Asks and denies always have one. */
export type FilePatterns = { globs: string[]; note?: string | undefined } | { refused: string };

const BASES = [
  ['//', '/'],
  ['~/', '~/'],
  ['/', '${project}/'],
  ['./', '${cwd}/'],
] as const;

/** A pattern as `.gitignore` has it, with `//` for the root, `~/` for the home directory and `/` for the project. */
export function gitignorePatterns(pattern: string, effect: PolicyEffect): FilePatterns {
  if (pattern.startsWith('!')) return { refused: 'a pattern that takes out again is not understood' };
  const [base, rest] = anchored(pattern);
  if (rest === '' && base !== '~') return { globs: [`${base}**`] };
  if (effect !== 'allow') return stopping(base, rest);
  const escaped = escapedFor(rest);
  if (escaped === undefined) return { refused: 'its pattern has characters that ours reads otherwise' };
  const directory = withoutEnd(escaped, '/');
  if (directory !== undefined) return { globs: [`${base}${directory}/**`] };
  const last = escaped.slice(escaped.lastIndexOf('/') + 1);
  const mayBeDirectory = last !== '**' && (last.includes('*') || !last.includes('.'));
  return {
    globs: [`${base}${escaped}`],
    note: mayBeDirectory ? 'if it is a directory, what lies below it asks: write `/**` after it' : undefined,
  };
}

function anchored(pattern: string): [base: string, rest: string] {
  for (const [theirs, ours] of BASES) {
    const rest = withoutStart(pattern, theirs);
    if (rest !== undefined) return [ours, rest];
  }
  if (pattern === '~') return ['~', ''];
  return withoutAtEnd(pattern, '/').includes('/') ? ['${cwd}/', pattern] : ['${cwd}/**/', pattern];
}

/** For an ask or a deny: the path, and all below it. */
function stopping(base: string, pattern: string): FilePatterns {
  const { glob, note } = widenedFor(pattern);
  const rest = withoutAtEnd(glob, '/');
  const whole = `${base}${rest}`;
  if (rest === '**' || rest.endsWith('/**')) return { globs: [whole], note };
  return { globs: [whole, whole.endsWith('/') ? `${whole}**` : `${whole}/**`], note };
}

/** A pattern in which `*` is any text, also over directories. Relative ones start at the project. */
export function wildcardPatterns(written: string, effect: PolicyEffect): FilePatterns {
  const pattern = atHome(written);
  const fixed = pattern.startsWith('/') || pattern === '~' || pattern.startsWith('~/');
  if (effect === 'allow') return allowing(pattern, fixed);
  const { glob, note } = widenedFor(pattern);
  const text = singleStars(glob.replaceAll('?', '*'));
  const across = acrossDirectories(text, note ?? (glob.includes('?') ? '`?` stands for any text' : undefined));
  // Relative paths are seen from the project. A deny does no harm when it also sees them from the working directory.
  const globs = across.globs.flatMap((each) => {
    if (fixed) return [each];
    if (text.startsWith('*')) return [`/**/${each.replace(/^(?:\*\*\/)+/, '')}`];
    return effect === 'deny' ? [`\${project}/${each}`, each] : [`\${project}/${each}`];
  });
  return { globs, note: across.note };
}

function atHome(pattern: string): string {
  const rest = withoutStart(pattern, '$HOME') ?? withoutStart(pattern, '~');
  if (rest === '') return '~';
  return rest?.startsWith('/') === true ? `~/${rest.replace(/^\/+/, '')}` : pattern;
}

function allowing(pattern: string, fixed: boolean): FilePatterns {
  const escaped = pattern.includes('?') ? undefined : escapedFor(pattern);
  if (escaped === undefined) return { refused: 'its pattern has characters that ours reads otherwise' };
  // Theirs needs a directory where ours needs none.
  let glob = escaped.replaceAll('**/', '*/**/');
  let note: string | undefined = '`*` stays within one directory now';
  if (!pattern.includes('*')) note = undefined;
  else if (glob === '*' || (glob.endsWith('/*') && glob.indexOf('*') === glob.length - 1)) {
    glob += '*';
    note = undefined;
  }
  return { globs: [fixed ? glob : `\${project}/${glob}`], note };
}

/** Globs that match at least what a text matches in which `*` crosses directories. */
function acrossDirectories(text: string, note: string | undefined): { globs: string[]; note: string | undefined } {
  const parts = splitOnce(text, '*');
  if (parts === undefined) return { globs: [text], note };
  const [before, after] = parts;
  const nameAt = before.lastIndexOf('/') + 1;
  const [directory, name] = [before.slice(0, nameAt), before.slice(nameAt)];
  if (after === '') {
    return { globs: name === '' ? [`${directory}**`] : [`${directory}${name}*`, `${directory}${name}*/**`], note };
  }
  if (name === '' && after.startsWith('/') && !after.includes('*')) {
    return { globs: [`${directory}**${after}`], note: note ?? 'the directory that `*` stands for may be missing now' };
  }
  if (!/[*/]/.test(after)) {
    return { globs: [`${directory}${name}*${after}`, `${directory}${name}*/**/*${after}`], note };
  }
  return {
    globs: [`${directory}${name}*`, `${directory}${name}*/**`],
    note: note ?? 'everything below the directory that it spells out',
  };
}

const STRANGE = /[[\]\\$\p{Cc}]/u;

/** The same for ours, for an allow: `undefined` when something in it means something else there. */
function escapedFor(pattern: string): string | undefined {
  if (STRANGE.test(pattern) || pattern.split('/').includes('..')) return undefined;
  return bracesEscaped(pattern);
}

/** The same for ours, for an ask or a deny: from the first character on that means something else there, anything. */
function widenedFor(pattern: string): { glob: string; note: string | undefined } {
  const at = pattern.search(STRANGE);
  if (at === -1) return { glob: bracesEscaped(pattern), note: undefined };
  return {
    glob: bracesEscaped(`${pattern.slice(0, at)}*`),
    note: 'what follows its first special character stands for any text',
  };
}

const bracesEscaped = (pattern: string): string =>
  pattern
    .split('/')
    .map((name) => (name === '**' ? name : singleStars(name).replaceAll('{', '\\{').replaceAll('}', '\\}')))
    .join('/');

const singleStars = (name: string): string => name.replace(/\*+/g, '*');
