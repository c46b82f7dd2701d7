/** What a request says in a sentence: in the words of the program that asks, or by the verdict. */
import { howItRuns } from './runs-as.js';
import { inTime } from '../values/in-time.js';
import { copyOf } from '../values/snapshot.js';
import type { CallQuestion } from './call-question.js';

/**
 * The `description` of a call; `null`: the default.
 *
 * @param inContext calls what the program gave in the program's own async context
 */
export async function describe(question: CallQuestion, inContext: InContext): Promise<string | null> {
  const said = withHow(await describedBy(question, inContext), question);
  const { supersedes } = question;
  return supersedes === undefined ? said : `Asked again: ${supersedes.reason}${said === null ? '' : ` ${said}`}`;
}

/** The human must know what an approval lets happen. */
function withHow(said: string | null, { tool, toolName }: CallQuestion): string | null {
  const how = howItRuns(tool);
  return how === undefined ? said : `${said ?? `${toolName}:`} ${how}`;
}

type InContext = <T>(call: () => T) => T;

async function describedBy(
  { entry, toolCallId, toolName, args, verdict, signal }: CallQuestion,
  inContext: InContext,
): Promise<string | null> {
  const description: unknown = entry?.description;
  try {
    const text: unknown =
      typeof description === 'function'
        ? await inTime(
            inContext(
              () => Reflect.apply(description, entry, [{ toolCallId, toolName, args: copyOf(args) }]) as unknown,
            ),
            signal,
          )
        : description;
    if (typeof text === 'string') return text;
  } catch {
    // Also when it took too long: the call must be asked about all the same, and the default says what it is.
  }
  const reason = verdict?.effect === 'ask' ? verdict.reason : undefined;
  return reason === undefined ? null : `${toolName}: ${reason}`;
}
