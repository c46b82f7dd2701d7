import { checkForm } from '../../options/forms.js';
import { warnFailedCall } from './failed-calls.js';

/**
 * The signal that a loop that is not ours gives to a call, and whose abort must end the wait for its decision.
 *
 * @throws {InvalidConfigError} for an imitation from a package: its abort would stop nothing, and a later yes would run the tool
 */
export function checkSignal(place: string, toolName: string, signal: unknown): void {
  try {
    checkForm('signal', signal, `${place}: abortSignal`);
  } catch (error) {
    // The AI SDK tells only the model of it.
    warnFailedCall(place, toolName, error);
    throw error;
  }
}
