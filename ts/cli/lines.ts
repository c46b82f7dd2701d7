/** Lines of a stream, without their line endings; the last one may have no end. */
import type { Readable } from 'node:stream';
import { Exit } from './exit.js';
import { isRead, write } from './output.js';

/** A longer line is cut off and answered as broken. */
const LONGEST = 64 * 1024 * 1024;

export async function* linesOf(input: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of input as AsyncIterable<Buffer>) {
    rest += decoder.decode(chunk, { stream: true });
    let from = 0;
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n', from)) {
      yield withoutReturn(rest.slice(from, end));
      from = end + 1;
    }
    rest = rest.slice(from);
    if (rest.length > LONGEST) throw new RangeError(`a line is longer than ${LONGEST} characters`);
  }
  rest += decoder.decode();
  if (rest !== '') yield withoutReturn(rest);
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);

/** Answers each line with one line, in order, as fast as they are read. @returns the exit code */
export async function answerLines(input: Readable, answer: (line: string) => string): Promise<number> {
  for await (const line of linesOf(input)) {
    // Answers are all that it is for.
    if (!isRead()) return Exit.unread;
    await write(`${answer(line)}\n`);
  }
  // What goes wrong with the last of them is told after it.
  await write('');
  await new Promise((resolve) => setImmediate(resolve));
  return isRead() ? Exit.ok : Exit.unread;
}

/** Lines to the byte, with their line feeds taken off; the last one may have none. */
export async function* byteLines(input: Readable): AsyncGenerator<Uint8Array> {
  let rest: Buffer[] = [];
  let size = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, end)]);
      [rest, size, from] = [[], 0, end + 1];
    }
    rest.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > LONGEST) throw new RangeError(`a line is longer than ${LONGEST} bytes`);
  }
  if (size > 0) yield Buffer.concat(rest);
}
