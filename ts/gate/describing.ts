/** What a request says in a sentence: in the words of the program that asks, or by the verdict. */
import { copyOf } from '../values/snapshot.js';
import { whenAborted } from '../values/when-aborted.js';
import type { Question } from './asker.js';

/** How long a `description` function may take, in ms; then the default stands. */
const DESCRIPTION_DEADLINE_MS = 10_000;

/**
 * The `description` of a call; `null`: the default.
 *
 * @param inContext calls what the program gave in the program's own async context
 */
export async function describe(question: Question, inContext: InContext): Promise<string | null> {
  const said = await describedBy(question, inContext);
  const { supersedes } = question;
  return supersedes === undefined ? said : `Asked again: ${supersedes.reason}${said === null ? '' : ` ${said}`}`;
}

type InContext = <T>(call: () => T) => T;

async function describedBy(
  { entry, toolCallId, toolName, args, verdict, signal }: Question,
  inContext: InContext,
): Promise<string | null> {
  const description: unknown = entry?.description;
  try {
    const text: unknown =
      typeof description === 'function'
        ? await within(
            DESCRIPTION_DEADLINE_MS,
            signal,
            inContext(
              () => Reflect.apply(description, entry, [{ toolCallId, toolName, args: copyOf(args) }]) as unknown,
            ),
          )
        : description;
    if (typeof text === 'string') return text;
  } catch {
    // The call must be asked about all the same: the default says what it is.
  }
  const reason = verdict?.effect === 'ask' ? verdict.reason : undefined;
  return reason === undefined ? null : `${toolName}: ${reason}`;
}

async function within(ms: number, signal: AbortSignal | undefined, value: unknown): Promise<unknown> {
  let giveUp: () => void = () => {};
  const late = new Promise<undefined>((resolve) => {
    const stop = () => resolve(undefined);
    const timer = setTimeout(stop, ms);
    const forget = whenAborted(signal, stop);
    giveUp = () => {
      clearTimeout(timer);
      forget();
    };
  });
  try {
    return await Promise.race([value, late]);
  } finally {
    giveUp();
  }
}
