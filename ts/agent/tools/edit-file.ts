import type { BackendTools } from '../../../agent.js';
import { anyText, flag, inputSchema, object, text } from '../schema.js';
import { emit, writing } from './call.js';
import { reasonField, takesReason, type ReasonInput } from './reason.js';
import type { ToolSettings } from './settings.js';

/** The tool `edit_file`. */
export const editFileTool = ({ backend }: ToolSettings): BackendTools['edit_file'] =>
  takesReason({
    description:
      'Replaces text in a file. old_string must stand in the file exactly once, to the letter and without line numbers: ' +
      'take enough of what is around it, or set replace_all.',
    inputSchema: inputSchema<
      { file_path: string; old_string: string; new_string: string; replace_all?: boolean } & ReasonInput
    >(
      object(
        {
          file_path: text('The file.'),
          old_string: anyText('The text to replace.'),
          new_string: anyText('What comes in its place.'),
        },
        { replace_all: flag('Whether to replace it wherever it stands. Default: false.'), ...reasonField },
      ),
      ({ old_string, new_string }) =>
        old_string === new_string ? [{ message: 'new_string must differ from old_string', path: ['new_string'] }] : [],
    ),
    execute: async (
      { file_path: path, old_string: oldString, new_string: newString, replace_all: replaceAll = false },
      options,
    ) => {
      const change = { oldString, newString, replaceAll };
      const { replaced, sha256 } = await backend.editFile(path, change, writing(options, backend.root, path));
      emit(options, { type: 'file-edited', path, occurrences: replaced, sha256 });
      return `Edited ${path}: ${replaced === 1 ? 'one place' : `${replaced} places`}.`;
    },
  });
