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
const UNANSWERED = new Set([
  'Nobody answered in time.',
  'The run was cancelled.',
  'The human skipped this call. Go on without it.',
]);
const REPEATED = /\s*The human rejected this same call before\.$/;
/** By a rule, by the default of a document, or by the edit of a human that a rule denies. */
const DENIED = /(?: denies(?:: "[^]*")?| denies by default)\.?$/;
/** The AI SDK (7) puts the error's name before the message. */
const FAILED = /^(?:[A-Za-z_]*Error|AI_\w+)(?: \[\w+\])?: ([^]*)/;

/** Tools that are asked about: what they return when they ran. Whatever else stands there is the reason of a rejection. */
const WORDINGS = {
  write_file: /^(?:(Created)|Wrote|Replaced|Overwrote|Updated)\b/i,
  edit_file: /^(?:Replaced|Changed|Edited)\b\D*(\d+)?/i,
  execute: /(?:^|\n)\[?(?:exit code:? (\d+)|(?:stopped|killed|timed out|ended by)\b:? ?([^\]\n]*))\]?\.?\s*$/i,
};

/**
 * @param {string} name The tool.
 * @param {string} text What the conversation has as its result.
 * @returns {Outcome}
 */
export function outcomeOf(name, text) {
  if (UNANSWERED.has(text)) return { type: 'unanswered', reason: text };
  if (DENIED.test(text)) return { type: 'denied', reason: text };
  const failure = FAILED.exec(text);
  if (failure) return { type: 'failed', message: failure[1] ?? '' };

  // countersign adds a note to the result of a call that a human edited.
  const noteAt = text.lastIndexOf('\n\nNote: the human changed the arguments');
  const content = noteAt < 0 ? text : text.slice(0, noteAt);
  const ran = {
    type: /** @type {const} */ ('ran'),
    content,
    isEdited: noteAt >= 0,
    created: false,
    replaced: 0,
    exitCode: 0,
    stopped: '',
  };
  if (!(name in WORDINGS)) return text === NO_REASON ? { type: 'rejected', reason: '' } : ran;

  const match = WORDINGS[/** @type {keyof typeof WORDINGS} */ (name)].exec(content);
  // What the AI SDK says for a denial without a reason is no reason.
  if (!match) return { type: 'rejected', reason: text === NO_REASON ? '' : text.replace(REPEATED, '') };
  switch (name) {
    case 'write_file':
      return { ...ran, created: match[1] !== undefined };
    case 'edit_file':
      return { ...ran, replaced: Number(match[1] ?? 1) };
    default:
      return {
        ...ran,
        content: content.slice(0, match.index),
        exitCode: match[1] === undefined ? null : Number(match[1]),
        stopped: match[2] ?? '',
      };
  }
}

const NO_REASON = 'Tool call execution denied.';
