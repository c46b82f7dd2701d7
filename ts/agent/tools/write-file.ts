import type { BackendTools } from '../../../agent.js';
import { anyText, inputSchema, object, text } from '../schema.js';
import { bytesOf } from './bytes-of.js';
import { emit, writing } from './call.js';
import { reasonField, takesReason, type ReasonInput } from './reason.js';
import type { ToolSettings } from './settings.js';

/** The tool `write_file`. */
export const writeFileTool = ({ backend }: ToolSettings): BackendTools['write_file'] =>
  takesReason({
    description:
      'Makes a file, or replaces all that stands in it. To change a part of a file use edit_file. Missing folders are made.',
    inputSchema: inputSchema<{ file_path: string; content: string } & ReasonInput>(
      object({ file_path: text('The file.'), content: anyText('The whole content.') }, reasonField),
    ),
    execute: async ({ file_path: path, content }, options) => {
      const call = writing(options, backend.root, path);
      emit(options, { type: 'file-write-start', path, content });
      const { created, bytes, sha256 } = await backend.writeFile(path, content, call);
      emit(options, { type: 'file-written', path, created, bytes, sha256 });
      return `${created ? 'Made' : 'Replaced'} ${path}: ${bytesOf(bytes)}.`;
    },
  });
