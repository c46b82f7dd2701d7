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

/** What a schema says of a value, in words: as a text it is JSON. `undefined`: it says nothing of that kind. */
function issuesIn(error: unknown): string | undefined {
  try {
    for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
      const { issues } = at as { issues?: unknown };
      if (!Array.isArray(issues) || issues.length === 0) continue;
      const told = issues.slice(0, MOST_ISSUES).map(issueIn);
      if (told.includes(undefined)) return undefined;
      return [...told, ...(issues.length > MOST_ISSUES ? ['…'] : [])].join('; ').toWellFormed();
    }
  } catch {
    // It is another library's object: it may throw where it is read.
  }
  return undefined;
}

const MOST_ISSUES = 5;

function issueIn(issue: unknown): string | undefined {
  const { message, path } = (issue ?? {}) as { message?: unknown; path?: unknown };
  if (typeof message !== 'string') return undefined;
  const where = Array.isArray(path)
    ? path.map((key) => String((key as { key?: unknown } | null)?.key ?? key)).join('.')
    : '';
  return where === '' ? message : `${where}: ${message}`;
}

async function validated({ toolName, inputSchema, ai }: EditedTool, written: unknown): Promise<unknown> {
  const { validate } = (await ai()).asSchema(inputSchema);
  if (validate === undefined) return written;
  const validation = await validate(written);
  if (validation.success) return validation.value;
  throw new InvalidDecisionError({
    message: `The edited arguments do not fit the schema of ${toolName}: ${issuesIn(validation.error) ?? messageOf(validation.error)}`,
    cause: validation.error,
  });
}
