/** How the command ends. */
export const Exit = {
  ok: 0,
  failure: 1,
  usage: 2,
  /** `policy check` and `policy explain`: a human would be asked. */
  ask: 3,
  /** `policy check` and `policy explain`: it would not run. */
  deny: 4,
} as const;

/** The command line is not understood. */
export class Usage extends Error {}
