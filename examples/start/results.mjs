// @ts-check
/**
 * What became of a call. The protocol has one string for results, errors, denials and answers alike, so they are told
 * apart by how our tools and countersign word them.
 */

/**
 * @typedef {object} Ran
 * @property {'ran'} type
 * @property {string} content What the tool returned, without its frame.
 * @property {boolean} isEdited Whether a human changed the arguments.
 * @property {boolean} created Of write_file: whether the file is new.
 * @property {number} replaced Of edit_file: in how many places.
 * @property {number | null} exitCode Of execute; `null`: it was stopped.
 * @property {string} stopped Of execute: why.
 */

/**
 * @typedef {Ran
 *   | { type: 'failed', message: string }
 *   | { type: 'rejected', reason: string }
 *   | { type: 'denied', reason: string }
 *   | { type: 'unanswered', reason: string }} Outcome
 */

/** Of calls that no human and no policy refused. */
const UNANSWERED =
  /^(?:Nobody answered in time\.|Nobody is there to answer\.|A piped line does not run it: |The run was cancelled\.|The human skipped this call\.|The human ended the turn\.|The questions could not be put to the human: )/;
const REPEATED = /\s*The human rejected this same call before\.$/;
/** By a rule, by the default of a document, or by the edit of a human that a rule denies. */
const DENIED = / denies(?:: ("[^]*")| by default)?\.?$/;
/** What the tools for files say of a path, without a name of an error: that no human wrote. */
const FAULT =
  /^"(?:[^"\\]|\\.)+": (?:there is no such file|a part of it is not a folder|it is a folder, not a file|the system )/;
/** The AI SDK (7) puts the error's name before the message. */
const FAILED = /^(?:[A-Za-z_]*Error|AI_\w+)(?: \[\w+\])?: ([^]*)/;

/**
 * What tools return when they ran. Any other text is the reason of a rejection; of a tool that is not here, everything is a
 * result.
 */
const WORDINGS = {
  write_file: /^(?:(Made)|Replaced) [^]*: \d+ bytes?\.$/,
  edit_file: /^Edited [^]*: (one|\d+) places?\.$/,
  execute: /^([^]*)\n\[(?:exit code (\d+)|(It (?:took|was)\b.*))\]$/,
  read_file: /^(?: *\d+\t|\(The file )/,
  grep: /^\(No line matches\.\)$|^[^\n]+:\d+: /,
  write_todos: /^The plan is /,
  ask_user: /^Q: /,
};

/** What the AI SDK says for a denial without a reason. */
const NO_REASON = 'Tool call execution denied.';
const NOT_ANSWERED = /^The human did not answer the questions\.(?: The reason: ([^]*))? Go on without the answers\.$/;

/**
 * @param {string} name The tool.
 * @param {string} text What the conversation has as its result.
 * @returns {Outcome}
 */
export function outcomeOf(name, text) {
  // countersign adds a note to the result of a call that a human edited.
  const noteAt = text.lastIndexOf('\n\nNote: the human changed the arguments');
  const content = noteAt < 0 ? text : text.slice(0, noteAt);
  const wording = WORDINGS[/** @type {keyof typeof WORDINGS} */ (name)];
  const match = wording?.exec(content);
  // What a tool returned may look like anything else, so it comes first.
  if (!match) {
    const failure = FAILED.exec(text);
    if (failure) return { type: 'failed', message: failure[1] ?? '' };
    if (FAULT.test(text)) return { type: 'failed', message: text };
    const denial = DENIED.exec(text);
    if (denial) return { type: 'denied', reason: denial[1] ?? text };
    if (UNANSWERED.test(text)) return { type: 'unanswered', reason: text };
    if (wording || text === NO_REASON) return { type: 'rejected', reason: reasonIn(text) };
  }
  return { type: 'ran', isEdited: noteAt >= 0, ...readingOf(name, content, match ?? []) };
}

/** @param {string} name @param {string} content @param {readonly (string | undefined)[]} parts */
function readingOf(name, content, [, first, second, third]) {
  const ran = { content, created: false, replaced: 0, exitCode: /** @type {number | null} */ (0), stopped: '' };
  switch (name) {
    case 'write_file':
      return { ...ran, created: first !== undefined };
    case 'edit_file':
      return { ...ran, replaced: first === 'one' ? 1 : Number(first) };
    case 'execute':
      return { ...ran, content: first ?? '', exitCode: second ? Number(second) : null, stopped: third ?? '' };
    case 'read_file':
      return { ...ran, content: content.replace(/^ *\d+\t/gm, '') };
    default:
      return ran;
  }
}

/** In the human's words. @param {string} text */
function reasonIn(text) {
  const unanswered = NOT_ANSWERED.exec(text);
  if (unanswered) return unanswered[1] ?? '';
  return text === NO_REASON ? '' : text.replace(REPEATED, '');
}
