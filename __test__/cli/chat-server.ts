/** A server that speaks OpenAI's protocol and says what it is told to, one turn per request. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Turn = string | { text?: string; calls: [toolName: string, args: object][] };

export interface ModelServer {
  url: string;
  /** The messages of each request so far. */
  requests: { role: string; content: unknown }[][];
  /** The `authorization` of each request, also of those that only look. */
  keys: (string | undefined)[];
}

/** The turns over all conversations, in order; then it fails. */
export async function serve(turns: Turn[]): Promise<ModelServer> {
  const requests: ModelServer['requests'] = [];
  const keys: ModelServer['keys'] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    keys.push(request.headers.authorization);
    if (request.method === 'GET') return void response.end('{"object":"list","data":[]}');
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const turn = turns[requests.length];
    requests.push((JSON.parse(body) as { messages: never[] }).messages);
    if (turn === undefined) {
      response.writeHead(400, { 'content-type': 'application/json' });
      return void response.end('{"error":{"message":"there is no such turn","type":"x","code":null,"param":null}}');
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const data of chunksOf(turn, requests.length)) response.write(`data: ${JSON.stringify(data)}\n\n`);
    response.end('data: [DONE]\n\n');
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests, keys };
}

function chunksOf(turn: Turn, number: number): object[] {
  const { text = '', calls } = typeof turn === 'string' ? { text: turn, calls: [] } : turn;
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: `chatcmpl-${number}`,
    object: 'chat.completion.chunk',
    created: 0,
    model: 'scripted',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const tool_calls = calls.map(([name, args], index) => ({
    index,
    id: `call_${number}_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  return [
    ...(text === '' ? [] : [chunk({ role: 'assistant', content: text })]),
    ...(calls.length === 0 ? [] : [chunk({ role: 'assistant', tool_calls })]),
    chunk({}, calls.length === 0 ? 'stop' : 'tool_calls'),
  ];
}
