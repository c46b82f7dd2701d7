// @ts-check
/**
 * The embedded model's mind: a conversation in, the next assistant turn out. Pure and deterministic, so that the same
 * session always asks for the same approvals. It understands a handful of plain requests and nothing else.
 */

/**
 * A message as OpenAI's chat completions know it.
 * @typedef {{ id: string, type: 'function', function: { name: string, arguments: string } }} ToolCall
 * @typedef {{ role: string, content?: unknown, tool_calls?: ToolCall[], tool_call_id?: string }} Message
 */

/** @typedef {{ name: string, args: Record<string, unknown> }} Action */

/**
 * What was asked for, one per clause of the request.
 * @typedef {{ kind: 'create', path: string, content: string }
 *   | { kind: 'change', path: string, from: string, to: string }
 *   | { kind: 'run', command: string }
 *   | { kind: 'delete', path: string }
 *   | { kind: 'read', path: string }} Wish
 */

/**
 * What became of a call, read off its tool message.
 * @typedef {{ type: 'ran', value: Record<string, any>, noted: boolean }
 *   | { type: 'failed', message: string }
 *   | { type: 'refused', reason: string }} Outcome
 */

export const EXAMPLES = [
  'create hello.txt with hi',
  'change Hello to Hi in src/greet.js',
  'run node --test',
  'delete README.md',
  'read package.json',
  'create a.txt with 1 and run node --test and delete README.md',
];

/**
 * @param {Message[]} messages
 * @param {readonly string[]} toolNames The tools that the request offers.
 * @returns {{ text: string, calls: ToolCall[] }}
 */
export function plan(messages, toolNames) {
  const start = messages.findLastIndex((message) => message.role === 'user');
  const request = start < 0 ? '' : textOf(messages[start]?.content);
  const wishes = parseRequest(request);
  if (typeof wishes === 'string') return { text: wishes, calls: [] };

  const rounds = roundsOf(messages.slice(start + 1));
  const first = wishes.map(firstAction);
  const missing = [...first, ...wishes.flatMap(secondTool)].find((action) => !toolNames.includes(action.name));
  if (missing) return { text: `I would need the tool ${missing.name} for that, and I was not given it.`, calls: [] };

  // Ids count through the whole conversation, so that no two calls in it share one.
  const used = messages.reduce((sum, message) => sum + (message.tool_calls?.length ?? 0), 0);
  if (rounds.length === 0) return { text: announce(wishes), calls: toCalls(first, used) };

  // A change needs a look at the file first; only what the file really contains can be replaced.
  const edits = wishes.flatMap((wish, index) => editAction(wish, rounds[0]?.[index]));
  if (edits.length > 0 && rounds.length === 1) {
    return { text: `I have read ${edits.map(({ args }) => args.path).join(' and ')}.`, calls: toCalls(edits, used) };
  }

  let edit = 0;
  const sentences = wishes.map((wish, index) => {
    const opening = rounds[0]?.[index];
    const [planned] = editAction(wish, opening);
    return planned ? report(wish, planned, rounds[1]?.[edit++]) : report(wish, firstAction(wish), opening);
  });
  return { text: sentences.join('\n'), calls: [] };
}

/* ---- reading a request ------------------------------------------------------------------------------------------ */

const VERB = 'create|write|change|replace|run|execute|delete|remove|read|show';
/** "Quoted", `quoted`, or (only at the start of a word, for the sake of "don't") 'quoted'. */
const QUOTED = /"(?:\\.|[^"\\])*"|`[^`]*`|(?<=^|\s)'[^']*'(?=$|\s)/g;
const PATH = '("[^"]+"|`[^`]+`|\'[^\']+\'|\\S+)';
const TEXT = '("(?:\\\\.|[^"\\\\])*"|`[^`]*`|.+?)';

const NEXT_CLAUSE = new RegExp(`(?:,?\\s+and(?:\\s+then)?|,?\\s+then|,)\\s+(?=(?:${VERB})\\s)`, 'gi');
const CREATE = new RegExp(
  `^(?:create|write)\\s+(?:an?\\s+)?(?:new\\s+)?(?:file\\s+)?(?:called\\s+|named\\s+)?${PATH}` +
    `(?:\\s+(?:with|containing)\\s+${TEXT})?$`,
  'is',
);
const WRITE_TO = new RegExp(`^write\\s+${TEXT}\\s+(?:in)?to\\s+${PATH}$`, 'is');
const CHANGE = new RegExp(`^(?:change|replace)\\s+${TEXT}\\s+(?:to|with|by)\\s+${TEXT}\\s+in\\s+${PATH}$`, 'is');
const RUN = /^(?:run|execute)\s+(.+)$/is;
const DELETE = new RegExp(`^(?:delete|remove)\\s+(?:the\\s+)?(?:file\\s+)?${PATH}$`, 'i');
const READ = new RegExp(`^(?:read|show)\\s+(?:me\\s+)?(?:the\\s+)?(?:file\\s+)?${PATH}$`, 'i');

/**
 * @param {string} request
 * @returns {Wish[] | string} The wishes, or what to answer to a request that is not understood.
 */
export function parseRequest(request) {
  const wishes = [];
  for (const clause of clausesOf(request.trim().replace(/^please\s+/i, ''))) {
    const wish = parseClause(clause);
    // All or nothing: half of a request that was half understood helps nobody.
    if (!wish)
      return `I do not understand "${clause}". Try one of these:\n${EXAMPLES.map((line) => `  ${line}`).join('\n')}`;
    wishes.push(wish);
  }
  return wishes;
}

/** @param {string} request */
function clausesOf(request) {
  // Quoted text is blanked out for the search, so that "and run" inside of it splits nothing.
  const searched = request.replace(QUOTED, (quoted) => '_'.repeat(quoted.length));
  const clauses = [];
  let from = 0;
  for (const match of searched.matchAll(NEXT_CLAUSE)) {
    clauses.push(request.slice(from, match.index).trim());
    from = match.index + match[0].length;
  }
  clauses.push(request.slice(from).trim());
  return clauses;
}

/**
 * @param {string} clause
 * @returns {Wish | undefined}
 */
function parseClause(clause) {
  let match;
  if ((match = CREATE.exec(clause))) return { kind: 'create', path: unquote(match[1]), content: unquoteText(match[2]) };
  if ((match = WRITE_TO.exec(clause)))
    return { kind: 'create', path: unquote(match[2]), content: unquoteText(match[1]) };
  if ((match = CHANGE.exec(clause))) {
    return { kind: 'change', path: unquote(match[3]), from: unquoteText(match[1]), to: unquoteText(match[2]) };
  }
  if ((match = RUN.exec(clause))) {
    const command = unquote(match[1]);
    return { kind: 'run', command: /^(?:the\s+)?tests?$/i.test(command) ? 'node --test' : command };
  }
  if ((match = DELETE.exec(clause))) return { kind: 'delete', path: unquote(match[1]) };
  if ((match = READ.exec(clause))) return { kind: 'read', path: unquote(match[1]) };
  return undefined;
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

/* ---- from wishes to calls --------------------------------------------------------------------------------------- */

/** @param {Wish} wish @returns {Action} */
function firstAction(wish) {
  switch (wish.kind) {
    case 'create':
      return { name: 'write_file', args: { path: wish.path, content: wish.content } };
    case 'change':
    case 'read':
      return { name: 'read_file', args: { path: wish.path } };
    case 'run':
      return { name: 'execute', args: { command: wish.command } };
    case 'delete':
      return { name: 'execute', args: { command: `rm ${shellWord(wish.path)}` } };
  }
}

/** @param {Wish} wish */
function secondTool(wish) {
  return wish.kind === 'change' ? [{ name: 'edit_file' }] : [];
}

/**
 * The edit that a change comes to, once its file was read.
 * @param {Wish} wish
 * @param {Answered | undefined} read
 * @returns {Action[]}
 */
function editAction(wish, read) {
  if (wish.kind !== 'change' || read?.outcome.type !== 'ran') return [];
  const places = String(read.outcome.value.content).split(wish.from).length - 1;
  if (places === 0) return [];
  const args = { path: wish.path, old_text: wish.from, new_text: wish.to };
  return [{ name: 'edit_file', args: places > 1 ? { ...args, replace_all: true } : args }];
}

/** @param {Action[]} actions @param {number} used @returns {ToolCall[]} */
function toCalls(actions, used) {
  return actions.map(({ name, args }, index) => ({
    id: `call_${used + index + 1}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
}

/** @param {string} path */
function shellWord(path) {
  const safe = path.startsWith('-') ? `./${path}` : path;
  return /^[\w./@:+-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", `'\\''`)}'`;
}

/* ---- what became of the calls ----------------------------------------------------------------------------------- */

/** @typedef {{ args: Record<string, any>, outcome: Outcome }} Answered A call as it stands in the conversation, and its outcome. */

/**
 * The tool calls since the request, one list per assistant turn, each call with its outcome.
 * @param {Message[]} messages
 */
function roundsOf(messages) {
  return messages
    .filter((message) => message.role === 'assistant' && message.tool_calls?.length)
    .map((message) =>
      (message.tool_calls ?? []).map((call) => {
        const answer = messages.find((other) => other.role === 'tool' && other.tool_call_id === call.id);
        return { args: parseObject(call.function.arguments) ?? {}, outcome: outcomeOf(call, textOf(answer?.content)) };
      }),
    );
}

/**
 * The protocol has one string for results, errors and denials alike; what our tools return is recognised by its shape.
 * @param {ToolCall} call
 * @param {string} content
 * @returns {Outcome}
 */
function outcomeOf(call, content) {
  const { name } = call.function;
  // countersign adds a note to the result of a call that a human edited.
  const noteAt = content.lastIndexOf('\n\nNote: ');
  const noted = noteAt >= 0;
  const value = parseObject(noted ? content.slice(0, noteAt) : content);
  if (value && (name === 'execute' ? 'exit_code' in value : typeof value.path === 'string')) {
    return { type: 'ran', value, noted };
  }
  // The AI SDK puts the error's name before the message.
  const failure = new RegExp(`^(?:\\w+: )?${name} failed: (.*)`, 's').exec(content);
  if (failure) return { type: 'failed', message: failure[1] ?? '' };
  // What the AI SDK says for a denial without a reason is no reason.
  return { type: 'refused', reason: content === 'Tool call execution denied.' ? '' : content };
}

/** @param {Wish[]} wishes */
function announce(wishes) {
  const parts = wishes.map((wish) => {
    switch (wish.kind) {
      case 'create':
        return `create ${wish.path}`;
      case 'change':
        return `look at ${wish.path} first`;
      case 'run':
        return `run \`${wish.command}\``;
      case 'delete':
        return `delete ${wish.path}`;
      case 'read':
        return `read ${wish.path}`;
    }
  });
  return `I will ${parts.join(', and ')}.`;
}

/**
 * One sentence on what became of a wish.
 * @param {Wish} wish
 * @param {Action} planned The call as it was asked for. What stands in the conversation differs when a human edited it.
 * @param {Answered | undefined} answered
 */
function report(wish, planned, answered) {
  if (!answered) return `I do not know what became of my ${planned.name} call.`;
  const { args, outcome } = answered;
  const edited = Object.keys({ ...planned.args, ...args }).filter((key) => planned.args[key] !== args[key]);
  switch (outcome.type) {
    case 'refused':
      return `You rejected ${doing(wish, planned)}${outcome.reason ? `: ${outcome.reason}` : '.'}`;
    case 'failed':
      return `${capitalise(doing(wish, { ...planned, args }))} failed: ${outcome.message}`;
    case 'ran':
      return (
        done(wish, planned, args, outcome.value) +
        (outcome.noted && edited.length > 0 ? ` You had changed the ${edited.join(' and the ')}.` : '')
      );
  }
}

/** @param {Wish} wish @param {Action} action */
function doing(wish, { name, args }) {
  if (name === 'execute' && wish.kind === 'delete') return `deleting ${wish.path}`;
  if (name === 'execute') return `running \`${args.command}\``;
  return `${{ write_file: 'creating', edit_file: 'changing', read_file: 'reading' }[name] ?? name} ${args.path}`;
}

/**
 * @param {Wish} wish
 * @param {Action} planned
 * @param {Record<string, any>} args What really ran.
 * @param {Record<string, any>} value What the tool returned.
 */
function done(wish, planned, args, value) {
  switch (planned.name) {
    case 'write_file':
      return `${value.created ? 'Created' : 'Overwrote'} ${args.path}${args.path === planned.args.path ? '' : ` instead of ${planned.args.path}`}.`;
    case 'edit_file':
      return `Changed ${JSON.stringify(args.old_text)} to ${JSON.stringify(args.new_text)} in ${args.path} (${plural(value.replaced, 'place')}).`;
    case 'read_file':
      if (wish.kind === 'change')
        return `${args.path} does not contain ${JSON.stringify(wish.from)}, so I changed nothing.`;
      return `${args.path} says:\n${value.content}`.trimEnd();
    default: {
      const same = args.command === planned.args.command;
      const failed = value.exit_code !== 0;
      if (wish.kind === 'delete' && same) {
        return failed ? `Deleting ${wish.path} failed: ${String(value.output).trim()}` : `Deleted ${wish.path}.`;
      }
      const instead = same ? '' : ` instead of \`${planned.args.command}\``;
      const end = value.exit_code === null ? `it was stopped (${value.stopped})` : `exit code ${value.exit_code}`;
      return `Ran \`${args.command}\`${instead}: ${end}.`;
    }
  }
}

/** @param {number} count @param {string} word */
function plural(count, word) {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** @param {string} text */
function capitalise(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @param {unknown} content A string, or a list of parts. */
function textOf(content) {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('');
}

/** @param {string} json @returns {Record<string, any> | undefined} */
function parseObject(json) {
  try {
    const value = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
