/** `@opentelemetry/api`, which need not be installed: it is loaded when telemetry is asked for, and never otherwise. */
import type * as OpenTelemetry from '@opentelemetry/api';
import { messageOf } from '../errors/message-of.js';

export type TelemetryApi = Pick<typeof OpenTelemetry, 'context' | 'metrics' | 'trace'>;

let warned = false;

/** `undefined`: it cannot be loaded, which is said once per process. */
export async function loadApi(): Promise<TelemetryApi | undefined> {
  try {
    return await import('@opentelemetry/api');
  } catch (error) {
    if (!warned) {
      warned = true;
      process.emitWarning(
        `countersign records no telemetry, since @opentelemetry/api cannot be loaded: install it, or leave \`telemetry\` out. (${messageOf(error)})`,
        { code: 'COUNTERSIGN_TELEMETRY' },
      );
    }
    return undefined;
  }
}
