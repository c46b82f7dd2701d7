/**
 * What an edit is bound to that is decided where the tool of its call is not known, and perhaps not its policies either: what the
 * request is bound to, with where the edited paths lead.
 */
import type { JudgedByPolicy } from '../policy/policies.js';
import { mayOverwrite } from './danger.js';
import { isSame } from '../values/same.js';
import type { GateControl } from './control.js';

interface PolicyContext {
  cwd?: unknown;
  places?: unknown;
  who?: unknown;
}

/** @param context of the request, as {@link CallAsker.bound} made it */
export async function reboundContext(control: GateControl, context: object, call: JudgedByPolicy): Promise<object> {
  const { policy = null, tool } = context as { policy?: PolicyContext | PolicyContext[] | null; tool?: unknown };
  if (policy === null) return context;
  // What rules know the tool by stands before the blank.
  const ruleName = typeof tool === 'string' ? tool.slice(0, tool.lastIndexOf(' ')) : call.toolName;
  const here = ((await control.boundHere({ ...call, ruleName })) ?? {}) as PolicyContext;
  const rebound = (of: PolicyContext): PolicyContext => {
    // The same policies say here what they would say there.
    if (isSame(plain(of), plain(here))) return here;
    const { places: _places, ...rest } = of;
    // From elsewhere the paths are others: then none of them may be a link.
    return here.places === undefined || here.cwd !== of.cwd ? rest : { ...rest, places: here.places };
  };
  return { ...context, policy: Array.isArray(policy) ? policy.map(rebound) : rebound(policy) };
}

/**
 * Whether this gate says of a call with other arguments all that is said where it was asked about: the policies are the same. Without
 * any, the request does not say where its files are.
 */
export async function isReadAlike(
  control: GateControl,
  context: object | null,
  call: JudgedByPolicy,
): Promise<boolean> {
  const { policy = null } = (context ?? {}) as { policy?: PolicyContext | PolicyContext[] | null };
  if (policy === null) return !mayOverwrite(call.toolName);
  const here = (await control.boundHere(call)) as PolicyContext | null;
  return [policy].flat().every((of) => here !== null && isSame(plain(of), plain(here)));
}

/** By what it is judged, without what that says of the call. */
const plain = ({ places: _places, who: _who, ...by }: PolicyContext): object => by;
