/** What a tool of ours does with the call that it is in. */
import { resolve } from 'node:path';
import type { BackendCall } from '../../../agent.js';
import type { ToolActivity } from '../../../index.js';
import { callContextOf } from '../../ai-sdk/tools/call-context.js';
import { BackendError } from '../../errors/backend-error.js';
import type { SeenFile } from '../../gate/seen-edit.js';

/** The options of an `execute`, as far as tools of ours look at them. */
export interface CallOptions {
  abortSignal?: AbortSignal;
}

/** Has the run yield an event. Outside of a loop of ours it does nothing. */
export function emit(options: object, activity: ToolActivity): void {
  callContextOf(options)?.emit(activity);
}

/** For a backend that only looks at things. */
export function reading({ abortSignal }: CallOptions): BackendCall {
  return abortSignal === undefined ? {} : { abortSignal };
}

/** For a backend that changes this file: it must be the one that a human saw who approved the call, and as it was. */
export function writing(options: CallOptions, root: string, path: string): BackendCall {
  const change = shown(options, root, path);
  if (change === undefined) return reading(options);
  const { before: expected, target } = change;
  return { ...reading(options), expected, ...(target === null ? {} : { target }) };
}

const DIGEST = /^[0-9a-f]{64}$/;

function shown(options: CallOptions, root: string, path: string): SeenFile | undefined {
  const changes = callContextOf(options)?.approved?.changes ?? [];
  const change = changes.find((each) => resolve(root, each.path) === resolve(root, path));
  if (change === undefined || change.before === null || DIGEST.test(change.before)) return change;
  throw new BackendError({
    code: 'ERR_NOT_TEXT',
    path,
    message: `${path} was not changed: its content could not be shown to the human who approved this. Name a file that can be read.`,
  });
}
