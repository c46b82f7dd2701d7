/**
 * Functions of the user's that the AI SDK calls to prepare and to end: what is not one, and what gives something else, is told as
 * such.
 */
import { InvalidConfigError } from '../../errors/index.js';
import { toldKind } from '../../errors/told-value.js';
import { checkForm } from '../../options/forms.js';

const HOOKS = ['prepareCall', 'prepareStep'] as const;

/** @throws {InvalidConfigError} for one that the AI SDK would call, and that is no function */
export function checkHooks(options: object, place: string): void {
  const own = options as Record<string, unknown>;
  for (const name of HOOKS) checkForm('function', own[name] ?? undefined, `${place}: ${name}`);
  const { stopWhen } = own;
  if (stopWhen === undefined || [stopWhen].flat().every((condition) => typeof condition === 'function')) return;
  throw new InvalidConfigError({
    message: `${place}: stopWhen must be a function, or a list of functions: each gets { steps }, and says whether the run ends there. For a number of steps: maxSteps.`,
  });
}

/**
 * What such a function gave. The AI SDK reads properties of it, and finds none in a number or a text: what was to be changed, such as which
 * tools are active, would stay as it was.
 *
 * @returns `undefined`: nothing is changed
 * @throws {InvalidConfigError}
 */
export function changesBy(
  name: (typeof HOOKS)[number],
  given: unknown,
  place: string,
): Record<string, unknown> | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given === 'object' && !Array.isArray(given)) return given as Record<string, unknown>;
  throw new InvalidConfigError({
    message: `${place}: ${name} gave ${toldKind(given)}, and must give an object of options, such as { activeTools: [] }, or undefined to change nothing.`,
  });
}
