import type { Backend, BackendTools } from '../../../agent.js';
import { checkPositive } from '../../gate/check-positive.js';
import { InvalidConfigError } from '../../errors/index.js';
import { takeOptions } from '../../options/check.js';
import { createLocalBackend } from '../backend/local-backend.js';
import { MAX_RESULT_CHARACTERS } from '../cut.js';
import { editFileTool } from './edit-file.js';
import { executeTool } from './execute.js';
import { globTool } from './glob.js';
import { grepTool } from './grep.js';
import { lsTool } from './ls.js';
import { readFileTool } from './read-file.js';
import type { ToolSettings } from './settings.js';
import { writeFileTool } from './write-file.js';

/** @see agent.d.ts */
export function createBackendTools(options: { backend?: Backend; maxResultCharacters?: number } = {}): BackendTools {
  return backendTools(settingsOf(takeOptions('createBackendTools', options), 'createBackendTools'));
}

/** Those of an agent of ours. */
export function backendTools(settings: ToolSettings): BackendTools {
  return {
    ls: lsTool(settings),
    read_file: readFileTool(settings),
    write_file: writeFileTool(settings),
    edit_file: editFileTool(settings),
    glob: globTool(settings),
    grep: grepTool(settings),
    execute: executeTool(settings),
  };
}

/** @throws {InvalidConfigError} */
export function settingsOf(
  { backend, maxResultCharacters }: { backend?: Backend; maxResultCharacters?: number },
  place: string,
): ToolSettings {
  checkBackend(backend, place);
  return { backend: backend ?? createLocalBackend(), maxResultCharacters: mostOf(maxResultCharacters, place) };
}

/** What is not one would fail in the middle of a run. @throws {InvalidConfigError} */
function checkBackend(backend: unknown, place: string): void {
  const { root, execute } = (backend ?? {}) as Partial<Backend>;
  if (backend === undefined || (typeof root === 'string' && typeof execute === 'function')) return;
  throw new InvalidConfigError({
    message: `${place}: backend must be a Backend, such as createLocalBackend({ root }).`,
  });
}

/** @throws {InvalidConfigError} */
export const mostOf = (given: number | undefined, place: string): number =>
  given === undefined ? MAX_RESULT_CHARACTERS : Math.ceil(checkPositive(`${place}: maxResultCharacters`, given));
