// @ts-check
/** What the embedded model understands: plain sentences, read into wishes. Everything else it says it does not understand. */

/**
 * One thing that was asked for. Names of tools appear only in `call`, which is for tests and for the curious.
 * @typedef {{ kind: 'create', path: string, content: string }
 *   | { kind: 'change', path: string, from: string, to: string }
 *   | { kind: 'run', command: string }
 *   | { kind: 'delete', path: string }
 *   | { kind: 'read', path: string }
 *   | { kind: 'list', path?: string }
 *   | { kind: 'find', pattern: string, path?: string }
 *   | { kind: 'search', text: string, path?: string }
 *   | { kind: 'delegate', agent: string, task: string }
 *   | { kind: 'ask', questions: AskedQuestion[] }
 *   | { kind: 'plan', items: { text: string, wish?: Wish }[] }
 *   | { kind: 'call', name: string, args: Record<string, unknown> }
 *   | { kind: 'say', text: string }} Wish
 */

/**
 * @typedef {{ question: string, required?: boolean } &
 *   ({ kind: 'text' } | { kind: 'multiple_choice' | 'multi_select', options: { label: string }[] })} AskedQuestion
 */

/** One line per idea. Shown after a request that is not understood. */
export const EXAMPLES = [
  'create hello.txt with hi',
  'change Hello to Hi in src/greet.js',
  'run node --test',
  'read package.json',
  'list the files',
  'find **/*.js',
  'search for greet in src',
  'create a.txt with 1 and run node --test and delete README.md',
  'create a.txt with 1, then run cat a.txt',
  'plan: read README.md, change Hello to Hi in src/greet.js, run the tests',
  'ask a researcher to read README.md and ask a researcher to search for greet in src',
  'delegate create notes.md with "# Notes" to general-purpose',
  'ask me which language: English, German or French; what for (optional)',
  'delete everything',
  'install https://get.example.invalid/tool.sh',
  'run git push',
  'read .env',
];

const VERB =
  'create|write|change|replace|run|execute|delete|remove|read|show|list|find|search|grep|ls|ask|delegate|install|publish|push|call|say';
/** "Quoted", `quoted`, or (only at the start of a word, for the sake of "don't") 'quoted'. */
const QUOTED = /"(?:\\.|[^"\\])*"|`[^`]*`|(?<=^|\s)'[^']*'(?=$|\s)/g;
const PATH = '("[^"]+"|`[^`]+`|\'[^\']+\'|\\S+)';
const TEXT = '("(?:\\\\.|[^"\\\\])*"|`[^`]*`|.+?)';
const NEXT_CLAUSE = new RegExp(`(?:,?\\s+and(\\s+then)?|,?\\s+(then)|,)\\s+(?=(?:${VERB})(?:\\s|$))`, 'gi');

/** What each kind of sentence means; the first that fits counts. @type {[form: RegExp, read: (...parts: string[]) => Wish | undefined][]} */
const SENTENCES = [
  [
    form(
      `(?:create|write)\\s+(?:an?\\s+)?(?:new\\s+)?(?:file\\s+)?(?:called\\s+|named\\s+)?${PATH}(?:\\s+(?:with|containing)\\s+${TEXT})?`,
    ),
    (path, content) => ({ kind: 'create', path: unquote(path), content: unquoteText(content) }),
  ],
  [
    form(`write\\s+${TEXT}\\s+(?:in)?to\\s+${PATH}`),
    (content, path) => ({ kind: 'create', path: unquote(path), content: unquoteText(content) }),
  ],
  [
    form(`(?:change|replace)\\s+${TEXT}\\s+(?:to|with|by)\\s+${TEXT}\\s+in\\s+${PATH}`),
    (from, to, path) => ({ kind: 'change', path: unquote(path), from: unquoteText(from), to: unquoteText(to) }),
  ],
  [form('(?:run|execute)\\s+(?:the\\s+)?tests?'), () => ({ kind: 'run', command: 'node --test' })],
  [form('(?:run|execute)\\s+(.+)'), (command) => ({ kind: 'run', command: unquote(command) })],
  // Below the folder it is run in, and still not to be approved without a look.
  [
    form('(?:delete|remove)\\s+(?:everything|all(?:\\s+the)?\\s+files)'),
    () => ({ kind: 'run', command: 'rm -rf ./*' }),
  ],
  [form(`(?:delete|remove)\\s+(?:the\\s+)?(?:file\\s+)?${PATH}`), (path) => ({ kind: 'delete', path: unquote(path) })],
  [
    form(`(?:read|show)\\s+(?:me\\s+)?(?:the\\s+)?(?:file\\s+)?${PATH}`),
    (path) => ({ kind: 'read', path: unquote(path) }),
  ],
  [
    form(`list(?:\\s+(?:all|the|my))*(?:\\s+(?:files|folder|directory|project))?(?:\\s+(?:in|of|below)\\s+${PATH})?`),
    (path) => ({ kind: 'list', ...within(path) }),
  ],
  [form(`(?:list|ls)\\s+${PATH}`), (path) => ({ kind: 'list', ...within(path) })],
  // What the chat says to try, with any model.
  [form('what\\s+is\\s+in\\s+this\\s+(?:folder|project)\\?*'), () => ({ kind: 'list' })],
  [
    form(
      `find\\s+(?:all\\s+)?(?:the\\s+)?(?:files?\\s+)?(?:called\\s+|named\\s+)?${PATH}(?:\\s+(?:in|below)\\s+${PATH})?`,
    ),
    (pattern, path) => ({ kind: 'find', pattern: unquote(pattern), ...within(path) }),
  ],
  [
    form(`(?:search\\s+for|search|grep)\\s+${TEXT}(?:\\s+(?:in|below)\\s+${PATH})?`),
    (text, path) => ({ kind: 'search', text: unquoteText(text), ...within(path) }),
  ],
  [form('ask\\s+me\\s+(?:for\\s+)?(.+)'), (questions) => ({ kind: 'ask', questions: questionsOf(unquote(questions)) })],
  [
    form('ask\\s+(?:an?\\s+|the\\s+)?([\\w-]+)\\s+to\\s+(.+)'),
    (agent, task) => ({ kind: 'delegate', agent, task: unquote(task) }),
  ],
  [
    form('delegate\\s+(.+)\\s+to\\s+(?:an?\\s+|the\\s+)?([\\w-]+)'),
    (task, agent) => ({ kind: 'delegate', agent, task: unquote(task) }),
  ],
  [form('install\\s+(https?:\\S+)'), (address) => ({ kind: 'run', command: `curl -fsSL ${shellWord(address)} | sh` })],
  [form('publish(?:\\s+(?:it|(?:the|this)\\s+package))?'), () => ({ kind: 'run', command: 'npm publish' })],
  [form('push(?:\\s+(?:it|(?:the|my)\\s+changes))?'), () => ({ kind: 'run', command: 'git push' })],
  [form('call\\s+([\\w-]+)(?:\\s+(\\{.*\\}))?'), (name, json = '{}') => callOf(name, json)],
  [form(`say\\s+${TEXT}`), (text) => ({ kind: 'say', text: unquoteText(text) })],
];

/** @param {string} pattern */
function form(pattern) {
  return new RegExp(`^${pattern}$`, 'is');
}

/**
 * @param {string} request "X and Y" is done at once, "X, then Y" one after the other.
 * @returns {Wish[][] | { unknown: string }} Stages of wishes, or the part that is not understood.
 */
export function readRequest(request) {
  const text = request.trim().replace(/^please\s+/i, '');
  const plan = /^plan:?\s+(.+)$/is.exec(text);
  if (plan?.[1]) return [[{ kind: 'plan', items: itemsOf(plan[1]) }]];
  const stages = [];
  for (const clauses of stagesOf(text)) {
    const wishes = [];
    for (const clause of clauses) {
      const wish = readSentence(clause);
      // All or nothing: half of a request that was half understood helps nobody.
      if (!wish) return { unknown: clause };
      wishes.push(wish);
    }
    stages.push(wishes);
  }
  return stages;
}

/** @param {string} sentence @returns {Wish | undefined} */
export function readSentence(sentence) {
  for (const [pattern, read] of SENTENCES) {
    const match = pattern.exec(sentence);
    const wish = match && read(...match.slice(1));
    if (wish) return wish;
  }
  return undefined;
}

/** The clauses of a request, those that are to be done at once together. @param {string} request */
function stagesOf(request) {
  // Quoted text is blanked out for the search, so that "and run" inside of it splits nothing.
  const searched = request.replace(QUOTED, (quoted) => '_'.repeat(quoted.length));
  /** @type {string[][]} */
  const stages = [[]];
  let from = 0;
  for (const match of searched.matchAll(NEXT_CLAUSE)) {
    stages.at(-1)?.push(request.slice(from, match.index).trim());
    if (match[1] || match[2]) stages.push([]);
    from = match.index + match[0].length;
  }
  stages.at(-1)?.push(request.slice(from).trim());
  return stages;
}

/** What a plan consists of; what is no sentence of ours is a reminder. @param {string} text */
function itemsOf(text) {
  const separator = /\s*(?:[;\n]|,(?:\s+and(?:\s+then)?|\s+then)?\s|\s+and\s+then\s|\s+and\s|\s+then\s)\s*/gi;
  const searched = text.replace(QUOTED, (quoted) => '_'.repeat(quoted.length));
  const items = [];
  let from = 0;
  for (const match of searched.matchAll(separator)) {
    items.push(text.slice(from, match.index));
    from = match.index + match[0].length;
  }
  items.push(text.slice(from));
  return items.filter(Boolean).map((item) => ({ text: item, wish: readSentence(item) }));
}

/**
 * "which language: English or German" is a choice, "which files: a, b and c" takes any number, "my name" is answered in words.
 *
 * @param {string} text
 * @returns {AskedQuestion[]}
 */
function questionsOf(text) {
  return text
    .split(/\s*;\s*/)
    .filter(Boolean)
    .map((part) => {
      const bare = part.replace(/\s*\(optional\)$/i, '');
      const required = bare === part ? {} : { required: false };
      const [, asked = bare, list = ''] = /^([^:]+):\s+(.+)$/s.exec(bare) ?? [];
      const options = list
        .split(/\s*,\s*(?:(?:or|and)\s+)?|\s+(?:or|and)\s+/)
        .filter(Boolean)
        .map((label) => ({ label }));
      const question = asQuestion(asked);
      if (options.length < 2) return { kind: 'text', question: asQuestion(bare), ...required };
      return { kind: /\sor\s/.test(list) ? 'multiple_choice' : 'multi_select', question, options, ...required };
    });
}

/** @param {string} text */
function asQuestion(text) {
  const asked = text.trim().replace(/^my\s+/i, 'what is your ');
  return `${asked.charAt(0).toUpperCase()}${asked.slice(1)}${/[?.!]$/.test(asked) ? '' : '?'}`;
}

/** @param {string} name @param {string} json @returns {Wish | undefined} */
function callOf(name, json) {
  try {
    return { kind: 'call', name, args: JSON.parse(json) };
  } catch {
    return undefined;
  }
}

/** @param {string | undefined} path */
function within(path) {
  return path === undefined ? {} : { path: unquote(path) };
}

/** @param {string | undefined} text */
function unquote(text = '') {
  return /^(?:"(?:\\.|[^"\\])*"|`[^`]*`|'[^']*')$/s.test(text) ? text.slice(1, -1) : text;
}

/** As `unquote`; in double quotes `\n`, `\t`, `\"` and `\\` mean what they usually do. @param {string | undefined} text */
function unquoteText(text = '') {
  const bare = unquote(text);
  if (bare === text || !text.startsWith('"')) return bare;
  return bare.replace(/\\(.)/gs, (_, char) => ({ n: '\n', t: '\t' })[/** @type {string} */ (char)] ?? char);
}

/** The word as a shell reads it back. @param {string} word */
export function shellWord(word) {
  const safe = word.startsWith('-') ? `./${word}` : word;
  return /^[\w./@:+-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", `'\\''`)}'`;
}
