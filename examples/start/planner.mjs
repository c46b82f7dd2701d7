// @ts-check
/**
 * The embedded model's mind: a conversation in, the next assistant turn out. Pure and deterministic, so that the same
 * session always asks for the same approvals. It keeps nothing: each time it goes through the request from its beginning,
 * with what the conversation says of the calls so far.
 */
import { outcomeOf } from './results.mjs';
import { EXAMPLES, readRequest } from './sentences.mjs';
import { capitalise, fulfil, REASON } from './wishes.mjs';

/** @import { Action, Answered, Situation } from './wishes.mjs' */

/**
 * A message as OpenAI's chat completions know it.
 * @typedef {{ id: string, type: 'function', function: { name: string, arguments: string } }} ToolCall
 * @typedef {{ role: string, content?: unknown, tool_calls?: ToolCall[], tool_call_id?: string }} Message
 */

/** A tool that the request offers. `takesReason`: a call of it may say why it is made @typedef {{ name: string, description: string, takesReason?: boolean }} OfferedTool */

/** What a model says. @typedef {{ text: string, calls: ToolCall[] }} Turn */

/**
 * @param {Message[]} messages
 * @param {readonly OfferedTool[]} tools
 * @returns {Turn}
 */
export function plan(messages, tools) {
  const start = messages.findLastIndex((message) => message.role === 'user');
  const request = textOf(messages[start]?.content);
  const examples = EXAMPLES.map((line) => `  ${line}`).join('\n');
  if (/^\s*(?:help|what can you do)\W*$/i.test(request)) return say(`I understand requests like these:\n${examples}`);
  const stages = readRequest(request);
  if ('unknown' in stages) return say(`I do not understand "${stages.unknown}". Try one of these:\n${examples}`);

  /** @type {Situation} */
  const situation = { rejected: new Set(), agentFor: (name) => agentFor(name, tools) };
  const rounds = roundsOf(messages.slice(start + 1));
  const told = [];
  for (const wishes of stages) {
    const works = wishes.map((wish) => fulfil(wish, situation));
    const steps = works.map((work) => work.next());
    for (;;) {
      const open = steps.flatMap(({ done, value }, index) =>
        done ? [] : [{ index, action: /** @type {Action} */ (value) }],
      );
      if (open.length === 0) break;
      const answers = rounds.shift();
      if (!answers)
        return call(
          open.map(({ action }) => action),
          messages,
          tools,
        );
      open.forEach(({ index }, nth) => {
        const step = works[index]?.next(answers[nth] ?? LOST);
        if (step) steps[index] = step;
      });
    }
    told.push(...steps.map(({ value }) => value));
  }
  return say(told.join('\n'));
}

/** @type {Answered} */
const LOST = { args: {}, outcome: { type: 'failed', message: 'I do not know what became of it.' } };

/** @param {string} text @returns {Turn} */
function say(text) {
  return { text, calls: [] };
}

/** @param {Action[]} actions @param {Message[]} messages @param {readonly OfferedTool[]} tools @returns {Turn} */
function call(actions, messages, tools) {
  const missing = actions.find(({ name }) => !tools.some((tool) => tool.name === name));
  if (missing) return say(`I would need the tool ${missing.name} for that, and I was not given it.`);
  // Ids count through the whole conversation, so that no two calls in it share one.
  const used = messages.reduce((sum, message) => sum + (message.tool_calls?.length ?? 0), 0);
  return {
    text: `${capitalise(actions.map(({ doing }) => doing).join(', and '))}.`,
    calls: actions.map(({ name, args, why }, index) => {
      const isTold =
        why !== undefined && why.length <= LONGEST && tools.some((tool) => tool.name === name && tool.takesReason);
      const all = isTold ? { ...args, [REASON]: why } : args;
      return {
        id: `call_${used + index + 1}`,
        type: 'function',
        function: { name, arguments: JSON.stringify(all) },
      };
    }),
  };
}

/** No reason is longer, in characters. */
const LONGEST = 200;

/** `name` if `task` offers it, else `general-purpose`. @param {string} name @param {readonly OfferedTool[]} tools */
function agentFor(name, tools) {
  const task = tools.find((tool) => tool.name === 'task');
  return task?.description.includes(name) ? name : 'general-purpose';
}

/**
 * The tool calls since the request, one list per assistant turn, each call with its outcome.
 * @param {Message[]} messages
 * @returns {Answered[][]}
 */
function roundsOf(messages) {
  return messages.flatMap(({ role, tool_calls: calls }) => {
    if (role !== 'assistant' || !calls?.length) return [];
    return [
      calls.map(({ id, function: { name, arguments: json } }) => {
        const answer = messages.find((other) => other.role === 'tool' && other.tool_call_id === id);
        return { args: parseObject(json), outcome: outcomeOf(name, textOf(answer?.content)) };
      }),
    ];
  });
}

/** @param {unknown} content A string, or a list of parts. */
function textOf(content) {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('');
}

/** @param {string} json @returns {Record<string, any>} */
function parseObject(json) {
  try {
    const value = JSON.parse(json);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
