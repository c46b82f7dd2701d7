/** The files below a folder, as an agent's tools see them. */
import { binding, open, operationText } from '../addon.js';
import { hasCode } from '../errors/countersign-error.js';
import { WorkLimit } from '../values/limit.js';
import { whenAborted } from '../values/when-aborted.js';
import type { FileOperations, NativeFilesOptions } from '../wire.js';

/** How many operations on the files of one root may be on their way at once: each takes a thread. */
const MAX_FILE_OPERATIONS = 8;

/** The files below one folder. */
export class NativeFiles {
  readonly #files: binding.NativeFiles;
  readonly #limit = new WorkLimit(MAX_FILE_OPERATIONS);

  /** Fails when there is no such folder. */
  constructor(options: NativeFilesOptions) {
    this.#files = new binding.NativeFiles(JSON.stringify(options));
  }

  /** Fails with a `BackendError`, or with the signal's reason: then nothing was changed. */
  call<NAME extends keyof FileOperations>(
    operation: NAME,
    takes: FileOperations[NAME]['takes'],
    abortSignal?: AbortSignal,
  ): Promise<FileOperations[NAME]['answers']> {
    return this.#limit.run(async () => {
      abortSignal?.throwIfAborted();
      const cancellation = new binding.Cancellation();
      const forget = whenAborted(abortSignal, () => cancellation.cancel());
      try {
        return open(await this.#files.call(operationText(operation, takes), cancellation));
      } catch (error) {
        if (hasCode(error, 'ERR_CANCELLED')) throw abortSignal?.reason;
        throw error;
      } finally {
        forget();
      }
    });
  }
}
