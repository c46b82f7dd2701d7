/** How what happens in a run is shown to its reader, and what it asks of the run for that. */
import type { CallDenial } from './decisions.js';
import type { OwnEvent } from '../sdk/own-events.js';
import type { StreamPart } from '../sdk/sdk.js';

/** Turns what happens into what is yielded; `undefined` is not yielded. */
export interface EventView<E> {
  /** When there is one, it shows each part of the SDK as it is, before what `part` makes of it. */
  raw?: ((part: StreamPart) => E) | undefined;
  part(part: StreamPart): E | undefined;
  own(event: OwnEvent): E | undefined;
}

/** A run, as far as it is looked at for what is shown. */
export interface ShownRun {
  readonly runId: string;
  /** Why a call did not run. */
  denial(toolCallId: string): CallDenial | undefined;
}
