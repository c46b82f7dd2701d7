/** Arguments that a human wrote, as a tool of the AI SDK takes them. */
import { InvalidDecisionError } from '../../errors/index.js';
import { messageOf } from '../../errors/message-of.js';
import type { AiModule } from '../sdk/sdk.js';

export interface EditedTool {
  toolName: string;
  inputSchema: unknown;
  ai: () => Promise<AiModule>;
  /** What the SDK makes of parsed arguments before they run (`experimental_refineToolInput`). */
  refine?: unknown;
}

/**
 * What the tool gets of what a human wrote.
 *
 * @throws {InvalidDecisionError} when it does not fit the schema
 */
export async function parseEdit({ refine, ...tool }: EditedTool, written: unknown): Promise<unknown> {
  const parsed = await validated(tool, written);
  return typeof refine === 'function' ? ((await refine(parsed)) as unknown) : parsed;
}

async function validated({ toolName, inputSchema, ai }: EditedTool, written: unknown): Promise<unknown> {
  const { validate } = (await ai()).asSchema(inputSchema);
  if (validate === undefined) return written;
  const validation = await validate(written);
  if (validation.success) return validation.value;
  throw new InvalidDecisionError({
    message: `The edited arguments do not fit the schema of ${toolName}: ${messageOf(validation.error)}`,
    cause: validation.error,
  });
}
