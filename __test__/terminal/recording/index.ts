/** The recording of the terminal program that the documents show: `node scripts/record.mjs` makes it anew. */
import { castOf } from './cast.js';
import { svgOf } from './svg.js';
import { session, textOf, Tour } from './tour.js';

const TITLE =
  'countersign in a terminal: a file is written after y, a command is rejected with a reason, a subagent asks through the agent, ' +
  'a question is answered, a policy denies git push, Auto-approve is turned on and off';

/** Its files, by their names in `docs/terminal/`. @param root of the repository */
export async function record(root: string): Promise<Record<string, string>> {
  const { shots } = await Tour.through(root, {}, session);
  const still = shots.findIndex((shot) => textOf(shot).includes('Tool 1 of 2'));
  return { 'session.cast': castOf(shots), 'session.svg': svgOf(shots, TITLE, still) };
}
