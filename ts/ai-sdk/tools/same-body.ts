/** Whether two tools run the same function, under any names, and if one was made of the other. */
import type { Tool } from 'ai';
import { originalOf } from './callers.js';
import { isRecord, sourceOf } from './tools.js';

/** Whether one is the other or a copy of it, or both have one `execute`. A function that calls another one is not seen through. */
export function runsTheSame(one: Tool | undefined, other: Tool | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const bodies = bodiesOf(one);
  return [...bodiesOf(other)].some((body) => bodies.has(body));
}

/** What the tool is, what it was made of, and what these run. */
function bodiesOf(tool: Tool): Set<object> {
  const found = new Set<object>();
  const add = (made: object | null | undefined): void => {
    if (made == null || found.has(made) || isShared(made)) return;
    found.add(made);
    const execute: unknown = Object.hasOwn(made, 'execute') ? (made as Tool).execute : undefined;
    if (typeof execute === 'function') {
      found.add(execute);
      add(originalOf(execute));
    }
    add(sourceOf(made));
    add(Object.getPrototypeOf(made) as object | null);
  };
  if (isRecord(tool)) add(tool);
  return found;
}

/** Two tools of one class are two tools. */
const isShared = (prototype: object): boolean => Object.hasOwn(prototype, 'constructor');
