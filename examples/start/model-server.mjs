// @ts-check
/**
 * A local HTTP server that speaks the part of OpenAI's chat completions protocol that agents use, with `planner.mjs` as
 * its model. The AI SDK cannot tell it from a real one, so the example exercises the whole provider path.
 */
import { once } from 'node:events';
import http from 'node:http';
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import { plan as planner } from './planner.mjs';
import { REASON } from './wishes.mjs';

export { EXAMPLES } from './sentences.mjs';

/** @import { Message, OfferedTool, ToolCall, Turn } from './planner.mjs' */

export const MODEL_ID = 'countersign-demo';
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Answered as JSON, as OpenAI words its errors. */
class RequestError extends Error {
  /** @param {number} status @param {string} message @param {string} [code] */
  constructor(status, message, code) {
    super(message);
    this.status = status;
    this.code = code ?? null;
  }
}

/**
 * @param {object} [options]
 * @param {number} [options.port] 0, the default, is any free one. Only this machine can connect.
 * @param {(messages: Message[], tools: readonly OfferedTool[]) => Turn} [options.plan] The model; a script of yours instead of the planner.
 * @param {number} [options.pauseMs] Between two pieces of a stream, so that a human can watch it. Default: none.
 * @returns {Promise<{ url: string, close(): Promise<void> }>} `url` is the base URL, e.g. `http://127.0.0.1:8080/v1`.
 */
export async function startModelServer({ port = 0, plan = planner, pauseMs = 0 } = {}) {
  let answers = 0;
  const server = http.createServer((request, response) => {
    handle(request, response, { plan, pauseMs, newId: () => `chatcmpl-${++answers}` }).catch((error) => {
      if (response.headersSent) return response.destroy();
      const known = error instanceof RequestError;
      sendJson(response, known ? error.status : 500, {
        error: {
          message: known ? error.message : 'The model failed.',
          type: known ? 'invalid_request_error' : 'server_error',
          param: null,
          code: known ? error.code : null,
        },
      });
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    async close() {
      server.close();
      // Clients keep their connections open for the next request; waiting for them would take seconds.
      server.closeAllConnections();
    },
  };
}

/**
 * @param {http.IncomingMessage} request
 * @param {http.ServerResponse} response
 * @param {{ plan: typeof planner, pauseMs: number, newId: () => string }} model
 */
async function handle(request, response, { plan, pauseMs, newId }) {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/v1/models') {
    allow(request, 'GET');
    return sendJson(response, 200, {
      object: 'list',
      data: [{ id: MODEL_ID, object: 'model', created: 0, owned_by: 'countersign' }],
    });
  }
  if (pathname !== '/v1/chat/completions') throw new RequestError(404, `There is nothing at ${pathname}.`, 'not_found');
  allow(request, 'POST');

  const body = await readBody(request);
  const { messages, tools } = check(body);
  const answer = plan(messages, body.tool_choice === 'none' ? [] : tools);
  const head = { id: newId(), created: Math.floor(Date.now() / 1000), model: body.model };
  const usage = usageOf(messages, answer);
  if (body.stream === true) {
    const includeUsage = body.stream_options?.include_usage === true;
    return stream(response, head, answer, { usage: includeUsage ? usage : undefined, pauseMs });
  }

  sendJson(response, 200, {
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text,
          ...(answer.calls.length > 0 ? { tool_calls: answer.calls } : {}),
        },
        logprobs: null,
        finish_reason: finishReason(answer),
      },
    ],
    usage,
  });
}

/** @param {http.IncomingMessage} request @param {string} method */
function allow(request, method) {
  if (request.method !== method)
    throw new RequestError(405, `Use ${method} here, not ${request.method}.`, 'method_not_allowed');
}

/** @param {http.IncomingMessage} request @returns {Promise<Record<string, any>>} */
async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new RequestError(413, `The request is larger than ${MAX_BODY_BYTES} bytes.`);
    chunks.push(chunk);
  }
  try {
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  } catch {
    // Answered below.
  }
  throw new RequestError(400, 'The body must be a JSON object.');
}

/**
 * The checks that real servers make too; the one on tool messages catches a loop that loses a result.
 * @param {Record<string, any>} body
 * @returns {{ messages: Message[], tools: OfferedTool[] }}
 */
function check(body) {
  if (typeof body.model !== 'string') throw new RequestError(400, 'You must provide a model.');
  if (body.model !== MODEL_ID) {
    throw new RequestError(
      404,
      `The model "${body.model}" does not exist; this server has "${MODEL_ID}".`,
      'model_not_found',
    );
  }
  const { messages, tools = [] } = body;
  if (!Array.isArray(messages) || messages.length === 0)
    throw new RequestError(400, '"messages" must be a list that is not empty.');

  /** @type {Set<string>} */
  let open = new Set();
  messages.forEach((message, index) => {
    const place = `messages[${index}]`;
    if (!['system', 'developer', 'user', 'assistant', 'tool'].includes(message?.role)) {
      throw new RequestError(400, `${place} has no role that is known.`);
    }
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) {
        throw new RequestError(400, `${place} answers the tool call "${message.tool_call_id}", which is not open.`);
      }
      return;
    }
    if (open.size > 0)
      throw new RequestError(400, `${place} comes before the tool calls ${[...open].join(', ')} were answered.`);
    const calls = message.tool_calls ?? [];
    const sound = (/** @type {any} */ call) =>
      typeof call?.id === 'string' &&
      typeof call.function?.name === 'string' &&
      typeof call.function.arguments === 'string';
    if (!Array.isArray(calls) || !calls.every(sound))
      throw new RequestError(400, `${place} has a malformed tool call.`);
    open = new Set(calls.map((call) => call.id));
    if (open.size < calls.length) throw new RequestError(400, `${place} has two tool calls with one id.`);
  });
  if (open.size > 0) throw new RequestError(400, `The tool calls ${[...open].join(', ')} were not answered.`);

  if (
    !Array.isArray(tools) ||
    !tools.every((tool) => tool?.type === 'function' && typeof tool.function?.name === 'string')
  ) {
    throw new RequestError(400, '"tools" must be a list of functions.');
  }
  return {
    messages,
    tools: tools.map(({ function: { name, description, parameters } }) => ({
      name,
      description: String(description ?? ''),
      takesReason: parameters?.properties?.[REASON] !== undefined,
    })),
  };
}

/**
 * Server-sent events in small pieces: a text comes word by word and the arguments of a call a few characters at a time.
 *
 * @param {http.ServerResponse} response
 * @param {{ id: string, created: number, model: string }} head
 * @param {{ text: string, calls: ToolCall[] }} answer
 * @param {{ usage: object | undefined, pauseMs: number }} options
 */
async function stream(response, head, answer, { usage, pauseMs }) {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  const chunk = { ...head, object: 'chat.completion.chunk' };
  for (const [delta, finish_reason] of deltas(answer)) {
    // The client has hung up.
    if (response.destroyed) return;
    response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    // A turn of the event loop in between lets every piece travel alone, as over a real network.
    await (pauseMs > 0 ? setTimeout(pauseMs) : nextTurn());
  }
  if (usage) response.write(`data: ${JSON.stringify({ ...chunk, choices: [], usage })}\n\n`);
  response.end('data: [DONE]\n\n');
}

/**
 * @param {{ text: string, calls: ToolCall[] }} answer
 * @returns {Generator<[delta: object, finishReason: string | null]>}
 */
function* deltas(answer) {
  yield [{ role: 'assistant', content: '' }, null];
  for (const word of answer.text.match(/\s*\S+|\s+/g) ?? []) yield [{ content: word }, null];
  for (const [index, { id, type, function: call }] of answer.calls.entries()) {
    yield [{ tool_calls: [{ index, id, type, function: { name: call.name, arguments: '' } }] }, null];
    // By code points: a chunk must not end in the middle of one.
    const characters = [...call.arguments];
    for (let at = 0; at < characters.length; at += 8) {
      yield [{ tool_calls: [{ index, function: { arguments: characters.slice(at, at + 8).join('') } }] }, null];
    }
  }
  yield [{}, finishReason(answer)];
}

/** @param {{ calls: ToolCall[] }} answer */
function finishReason(answer) {
  return answer.calls.length > 0 ? 'tool_calls' : 'stop';
}

/** Four characters a token, as a rule of thumb. @param {Message[]} messages @param {object} answer */
function usageOf(messages, answer) {
  const tokens = (/** @type {object} */ value) => Math.ceil(JSON.stringify(value).length / 4);
  const prompt_tokens = tokens(messages);
  const completion_tokens = tokens(answer);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

/** @param {http.ServerResponse} response @param {number} status @param {object} value */
function sendJson(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(value));
}
