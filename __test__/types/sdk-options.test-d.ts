/** Checked by `tsc`: the names of options that `ts/ai-sdk/sdk/v6.ts` and `v7.ts` have are those of the installed versions. */
import type * as ai6 from 'ai6';
import type * as ai7 from 'ai7';
import { expectTypeOf } from 'vitest';
import type { OPTION_NAMES as NAMES_6 } from '../../ts/ai-sdk/sdk/v6.js';
import type { OPTION_NAMES as NAMES_7 } from '../../ts/ai-sdk/sdk/v7.js';

type Words<LINE extends string, FOUND = never> = LINE extends `${infer FIRST} ${infer REST}`
  ? Words<REST, FOUND | FIRST>
  : FOUND | LINE;

type KeysOf<OPTIONS> = OPTIONS extends unknown ? keyof OPTIONS : never;
type StreamText<AI extends { streamText: (options: never) => unknown }> = KeysOf<Parameters<AI['streamText']>[0]>;
/** With options of a call, which not every agent has. */
type CallOptions = { anything: true };

type Of6 = StreamText<typeof ai6> | KeysOf<Parameters<ai6.ToolLoopAgent<CallOptions>['stream']>[0]>;
type Of7 = StreamText<typeof ai7> | KeysOf<Parameters<ai7.ToolLoopAgent<CallOptions>['stream']>[0]>;

export function aNewVersionAddsNoOptionUnseen(): void {
  expectTypeOf<Words<(typeof NAMES_6)[number]>>().toEqualTypeOf<Of6>();
  expectTypeOf<Words<(typeof NAMES_7)[number]>>().toEqualTypeOf<Of7>();
}
