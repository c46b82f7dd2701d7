/** Declarations as pages: each export with what its comment says, and its text. */

/** @typedef {{ name: string, kind: string, comment: string, code: string }} Declaration */

const START = /^export (?:declare )?(?:abstract )?(interface|type|class|function|const)\s+(\w+)/;

/** @param {string} text a file of declarations as Prettier lays it out @returns {{ about: string, declarations: Declaration[] }} */
export function readDeclarations(text) {
  const lines = text.split('\n');
  /** @type {Declaration[]} */
  const declarations = [];
  let comment = '';
  let about = '';
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.startsWith('/**')) {
      const from = at;
      while (!lines[at]?.includes('*/')) at += 1;
      comment = wordsOf(lines.slice(from, at + 1).join('\n'));
      // The first one, with nothing of its own behind it, is about the file.
      if (from === 0 && !START.test(lines[at + 1] ?? '')) about = comment;
      continue;
    }
    const [, kind, name] = START.exec(line) ?? [];
    if (kind !== undefined && name !== undefined) {
      const from = at;
      // It ends with a line that closes all of its brackets, where the next one is at the margin again.
      const isOver = () =>
        /[;}]$/.test(lines[at] ?? '') &&
        !/^\s+\S/.test(lines[at + 1] ?? '') &&
        isWhole(lines.slice(from, at + 1).join('\n'));
      while (at < lines.length && !isOver()) at += 1;
      declarations.push({
        name,
        kind,
        comment,
        code: lines
          .slice(from, at + 1)
          .join('\n')
          .replace(/^export (?:declare )?/, ''),
      });
    }
    if (line !== '') comment = '';
  }
  return { about, declarations };
}

/** Whether no bracket is open. Comments and texts do not count. @param {string} code */
function isWhole(code) {
  const bare = code.replace(/\/\*[^]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|=>/g, '');
  const count = (/** @type {RegExp} */ bracket) => bare.match(bracket)?.length ?? 0;
  return count(/[({[<]/g) === count(/[)}\]>]/g);
}

/** A comment as Markdown. @param {string} comment */
function wordsOf(comment) {
  return comment
    .replace(/^\/\*\*\s?|\s*\*\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .replace(/^@packageDocumentation$/gm, '')
    .replace(/^@(default|returns|throws|see)\b/gm, '\n**$1**')
    .replace(/^@param\s+(\S+)/gm, '\n**$1**')
    .trim();
}

/** Columns of a comment: a page is narrower than an editor. */
const NARROW = 84;

/** Comments inside of a declaration, broken as a page can show them, with links as their names. @param {string} code */
export const withNarrowComments = (code) =>
  code
    .replace(/\{@link ([\w.]+)(?: [^}]*)?\}/g, '$1')
    .replace(/^( *)\/\*\*([^]*?)\*\//gm, (whole, /** @type {string} */ margin, /** @type {string} */ inner) => {
      if (whole.split('\n').every((line) => line.length <= NARROW)) return whole;
      const words = inner
        .split('\n')
        .map((line) => line.replace(/^\s*\* ?/, '').trim())
        .join('\n')
        .trim();
      // A tag and an item of a list begin a line, and an empty line stays.
      const lines = words.split(/\n(?=\n|@|- )|\s(?=@\w)/).flatMap((part) => folded(part, NARROW - margin.length - 3));
      return `${margin}/**\n${lines.map((line) => `${margin} * ${line}`.trimEnd()).join('\n')}\n${margin} */`;
    });

/** @param {string} text @param {number} width @returns {string[]} */
function folded(text, width) {
  const lines = text.startsWith('\n') ? [''] : [];
  let line = '';
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}
