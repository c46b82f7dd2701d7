import { nearestOf } from '../../options/nearest.js';
import { isRecord } from './tools.js';

/**
 * What to do about an option that has the name of a tool, or nearly: so `applyInterruptConfig` takes them.
 * `undefined`: no tool is called so.
 *
 * @param place the entry that it was given to
 * @param tools as they were given
 */
export function misplacedEntry(place: string, tools: unknown, name: string): string | undefined {
  const tool = isRecord(tools) ? nearestOf(name, namesIn(tools)) : undefined;
  if (tool === undefined) return undefined;
  const entry = `interruptOn: { ${/^[a-z_$][\w$]*$/i.test(tool) ? tool : JSON.stringify(tool)}: true }`;
  const call = place === 'gateTools' ? `gateTools(tools, { ${entry} })` : `${place}({ ${entry} })`;
  return `${tool === name ? 'it is a tool' : `the tool is ${JSON.stringify(tool)}`}: ${call}.`;
}

/** Also the hidden and the inherited ones, which a model may call. */
function namesIn(tools: object): Set<string> {
  const names = new Set(Object.getOwnPropertyNames(tools));
  for (const name in tools) if (!(name in Object.prototype)) names.add(name);
  return names;
}
