/** What a path means. */
export type InboxRoute =
  /** `base`: where the page's own files and the API are, from where it is. */
  | { to: 'page'; base: string }
  | { to: 'asset'; name: string }
  | { to: 'list'; list: 'session' | 'pending' | 'history' | 'runs' | 'audit' | 'entries' | 'events' }
  | { to: 'request'; id: string }
  | { to: 'decision' | 'check'; id: string }
  | { to: 'decisions' }
  | { to: 'verify' }
  /** Read, and accepted. */
  | { to: 'suggestions' };

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** How an id looks. */
export const ID = new RegExp(`^${UUID}$`);
const KNOWN = new RegExp(
  `^(.*?)/(?:api/(?:(session|pending|history|runs|audit|entries|events)|(decisions)|(audit/verify)|(suggestions)|requests/(${UUID})(?:/(decision|check))?)|assets/([A-Za-z0-9_-][A-Za-z0-9._-]*))$`,
);

/**
 * The route of a path, as it stands in the URL; `undefined`: there is nothing.
 *
 * @param isForPage whether a browser opens it: where it is mounted is told by nothing else when there is no `basePath`
 */
export function routeOf(path: string, basePath: string | null, isForPage: boolean): InboxRoute | undefined {
  const [, before = '', list, decisions, verify, suggestions, id, action, asset] = KNOWN.exec(path) ?? [];
  if (list ?? decisions ?? verify ?? suggestions ?? id ?? asset) {
    if (basePath !== null && before !== basePath) return undefined;
    if (list !== undefined) return { to: 'list', list: list as (InboxRoute & { to: 'list' })['list'] };
    if (decisions !== undefined) return { to: 'decisions' };
    if (verify !== undefined) return { to: 'verify' };
    if (suggestions !== undefined) return { to: 'suggestions' };
    if (asset !== undefined) return { to: 'asset', name: asset };
    if (id !== undefined) return { to: action === undefined ? 'request' : (action as 'decision' | 'check'), id };
  }
  if (basePath !== null && path !== basePath && path !== `${basePath}/`) return undefined;
  // Without a slash at the end, what is relative starts one folder above: no redirect, which some frameworks would undo.
  const last = path.slice(path.lastIndexOf('/') + 1);
  if (last === '') return { to: 'page', base: './' };
  return basePath !== null || isForPage ? { to: 'page', base: `./${last}/` } : undefined;
}

/** What may be done there. */
export function methodsOf({ to }: InboxRoute): readonly string[] {
  if (to === 'suggestions') return ['GET', 'HEAD', 'POST'];
  return ['decision', 'check', 'decisions', 'verify'].includes(to) ? ['POST'] : ['GET', 'HEAD'];
}

/** What may stand in the body of what is sent there. */
export const fieldsOf = ({ to }: InboxRoute): readonly string[] => FIELDS[to] ?? [];

const FIELDS: { readonly [TO in InboxRoute['to']]?: readonly string[] } = {
  decision: ['decision'],
  check: ['args'],
  decisions: ['ids', 'decision'],
  suggestions: ['digest', 'trust'],
};
