// @ts-check
/** How the embedded model goes about a wish: which calls it makes, one after the other, and what it says in the end. */
import { readSentence, shellWord } from './sentences.mjs';

/** @import { Wish } from './sentences.mjs' */
/** @import { Outcome, Ran } from './results.mjs' */

/**
 * A call to make. `doing`: in words, after "I am". `why`: what the human who is asked is told, where the tool takes that.
 * @typedef {{ name: string, args: Record<string, unknown>, doing: string, why?: string }} Action
 */
/** What became of it; `args` as they stand in the conversation, which differ when a human edited them. @typedef {{ args: Record<string, any>, outcome: Outcome }} Answered */
/** Yields calls, gets what became of each, returns what to tell. @typedef {Generator<Action, string, Answered>} Work */
/**
 * What all wishes of a request share.
 * @typedef {object} Situation
 * @property {Set<string>} rejected The calls that were: they are not made again.
 * @property {(name: string) => string} agentFor The subagent that is meant.
 */

/** The argument that says why a call is made: the human who is asked sees it as the agent's word. */
export const REASON = 'description';

/**
 * @param {Wish} wish
 * @param {Situation} situation
 * @returns {Work}
 */
export function* fulfil(wish, situation) {
  /** @param {Action} action @param {(ran: Ran, args: Record<string, any>) => string | Work} then @returns {Work} */
  const attempt = (action, then) => carryOut(wish, action, then, situation);
  switch (wish.kind) {
    case 'create': {
      const args = { file_path: wish.path, content: wish.content };
      const why = `You asked for ${wish.path}.`;
      return yield* attempt({ name: 'write_file', args, doing: `creating ${wish.path}`, why }, (ran, { file_path }) => {
        return `${ran.created ? 'Created' : 'Overwrote'} ${file_path}${instead(file_path, wish.path)}.`;
      });
    }
    case 'change':
      // Only what the file really contains can be replaced.
      return yield* attempt(reading(wish.path), (ran) => change(wish, ran, attempt));
    case 'read':
      return yield* attempt(reading(wish.path), (ran, { file_path }) => `${file_path} says:\n${ran.content}`.trimEnd());
    case 'run': {
      const { command } = wish;
      return yield* attempt(executing(command, `running \`${command}\``, 'You asked me to run this.'), (ran, args) => {
        return `Ran \`${args.command}\`${instead(args.command, command, '`')}: ${endOf(ran)}.`;
      });
    }
    case 'delete': {
      const { path } = wish;
      const command = `rm ${shellWord(path)}`;
      return yield* attempt(executing(command, `deleting ${path}`, `You asked me to delete ${path}.`), (ran, args) => {
        if (args.command !== command) return `Ran \`${args.command}\` instead of \`${command}\`: ${endOf(ran)}.`;
        return ran.exitCode === 0 ? `Deleted ${path}.` : `Deleting ${path} failed: ${ran.content.trim()}`;
      });
    }
    case 'list': {
      const { kind: _, ...args } = wish;
      const where = wish.path ?? 'the project';
      return yield* attempt({ name: 'ls', args, doing: `listing ${where}` }, (ran) => `In ${where}:\n${ran.content}`);
    }
    case 'find': {
      const { kind: _, ...args } = { ...wish, pattern: asGlob(wish.pattern) };
      const doing = `looking for ${args.pattern}`;
      return yield* attempt({ name: 'glob', args, doing }, (ran) => `Found:\n${ran.content}`);
    }
    case 'search': {
      const { kind: _, text, ...where } = wish;
      const args = { pattern: text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), ...where };
      const doing = `searching for ${JSON.stringify(text)}`;
      return yield* attempt({ name: 'grep', args, doing }, (ran) => `Found ${JSON.stringify(text)}:\n${ran.content}`);
    }
    case 'delegate': {
      const agent = situation.agentFor(wish.agent);
      const args = { description: wish.task, subagent_type: agent };
      const whom = agent === wish.agent ? agent : `${agent}, as there is no ${wish.agent} here,`;
      const doing = `asking ${whom} to ${wish.task}`;
      return yield* attempt({ name: 'task', args, doing }, (ran) => `${capitalise(agent)} says:\n${ran.content}`);
    }
    case 'ask':
      return yield* attempt({ name: 'ask_user', args: { questions: wish.questions }, doing: 'my questions' }, (ran) => {
        return `Thank you. You told me:\n${ran.content}`;
      });
    case 'plan':
      return yield* workOff(wish.items, situation);
    case 'call':
      return yield* attempt(
        { ...wish, doing: `calling ${wish.name}` },
        (ran) => `${wish.name} returned:\n${ran.content}`,
      );
    case 'say':
      return wish.text;
  }
}

/**
 * One call, and what to say of it when it did not run.
 *
 * @param {Wish} wish
 * @param {Action} action
 * @param {(ran: Ran, args: Record<string, any>) => string | Work} then
 * @param {Situation} situation
 * @returns {Work}
 */
function* carryOut(wish, action, then, situation) {
  const { doing } = action;
  const key = JSON.stringify([action.name, action.args]);
  if (situation.rejected.has(key)) return `You have rejected ${doing} before, so I leave it at that.`;
  const { args, outcome } = yield action;
  switch (outcome.type) {
    case 'ran': {
      const said = then(outcome, args);
      const edited = Object.keys({ ...action.args, ...args }).filter(
        (name) => !isSame(action.args[name], args[name]) && !(name === REASON && action.why !== undefined),
      );
      const note =
        outcome.isEdited && edited.length > 0 ? ` You had changed the ${edited.map(nameOf).join(' and the ')}.` : '';
      return (typeof said === 'string' ? said : yield* said) + note;
    }
    case 'failed':
      return `${capitalise(doing)} failed: ${outcome.message}`;
    case 'denied':
      return `A policy does not allow ${doing}: ${outcome.reason}\nI will not look for a way around it.`;
    case 'unanswered':
      return `${capitalise(doing)}: not done. ${outcome.reason}`;
    case 'rejected': {
      situation.rejected.add(key);
      const said = `You rejected ${doing}${outcome.reason ? `: ${outcome.reason}` : '.'}`;
      const other = wishInstead(wish, outcome.reason);
      return other ? `${said}\n${yield* fulfil(other, situation)}` : said;
    }
  }
}

/**
 * What somebody who rejects a call wants instead: "call it b.txt", "use npm test instead", or a sentence of its own.
 *
 * @param {Wish} wish
 * @param {string} reason
 * @returns {Wish | undefined}
 */
function wishInstead(wish, reason) {
  const text = reason
    .trim()
    .replace(/^(?:no|please|rather|instead)\b[,:;]?\s*/i, '')
    .replace(/[,;]?\s+(?:instead|rather|please)[.!]?$/i, '');
  const other = /^(?:use|take|(?:call|name)\s+it|make\s+it|try)\s+(.+?)[.!]?$/is.exec(text)?.[1];
  if (other && wish.kind === 'create' && !/\s/.test(other)) return { ...wish, path: other };
  if (other && wish.kind === 'run') return { kind: 'run', command: other.replace(/^`(.*)`$/s, '$1') };
  return readSentence(text);
}

/**
 * @param {Extract<Wish, { kind: 'change' }>} wish
 * @param {Ran} read
 * @param {(action: Action, then: (ran: Ran, args: Record<string, any>) => string) => Work} attempt
 */
function change({ path, from, to }, read, attempt) {
  const places = read.content.split(from).length - 1;
  if (places === 0) return `${path} does not contain ${JSON.stringify(from)}, so I changed nothing.`;
  const args = { file_path: path, old_string: from, new_string: to, ...(places > 1 ? { replace_all: true } : {}) };
  const why = `You asked me to change ${path}.`;
  return attempt({ name: 'edit_file', args, doing: `changing ${path}`, why }, (ran, edit) => {
    const [was, is] = [JSON.stringify(edit.old_string), JSON.stringify(edit.new_string)];
    return `Changed ${was} to ${is} in ${edit.file_path} (${plural(ran.replaced, 'place')}).`;
  });
}

/**
 * A plan is written down, then worked off, and kept up to date.
 *
 * @param {Extract<Wish, { kind: 'plan' }>['items']} items
 * @param {Situation} situation
 * @returns {Work}
 */
function* workOff(items, situation) {
  const canWork = items.every(({ wish }) => wish);
  /** @param {number} done @returns {Action} */
  const todos = (done) => ({
    name: 'write_todos',
    args: {
      todos: items.map(({ text: content }, index) => ({
        content,
        status: index < done ? 'completed' : index === done && canWork ? 'in_progress' : 'pending',
      })),
    },
    doing: done === 0 ? 'writing down the plan' : 'updating the plan',
  });
  const { outcome } = yield todos(0);
  if (outcome.type !== 'ran') return 'The plan could not be written down, so I did nothing.';
  if (!canWork) return 'The plan is written down.';
  const told = [];
  for (const [index, { wish }] of items.entries()) {
    if (wish) told.push(yield* fulfil(wish, situation));
    yield todos(index + 1);
  }
  return told.join('\n');
}

/** @param {string} path @returns {Action} */
function reading(path) {
  return { name: 'read_file', args: { file_path: path }, doing: `reading ${path}` };
}

/** @param {string} command @param {string} doing @param {string} why @returns {Action} */
function executing(command, doing, why) {
  return { name: 'execute', args: { command }, doing, why };
}

/** @param {Ran} ran */
function endOf({ exitCode, stopped }) {
  return exitCode === null ? stopped.replace(/\.$/, '') : `exit code ${exitCode}`;
}

/** @param {string} is @param {string} was @param {string} [quote] */
function instead(is, was, quote = '') {
  return is === was ? '' : ` instead of ${quote}${was}${quote}`;
}

/** A bare word is a part of a name, in any folder. @param {string} pattern */
function asGlob(pattern) {
  return /[*?[{/.]/.test(pattern) ? pattern : `**/*${pattern}*`;
}

/** @param {unknown} a @param {unknown} b */
function isSame(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** An argument's name in words. @param {string} argument */
function nameOf(argument) {
  return argument.replace(/^file_/, '').replaceAll('_', ' ');
}

/** @param {number} count @param {string} word */
function plural(count, word) {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** @param {string} text */
export function capitalise(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
