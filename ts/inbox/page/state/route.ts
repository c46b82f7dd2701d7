/** Where the page is, as it stands behind the `#` of its address. */
import { computed, signal } from '@preact/signals';

export type PageView = 'waiting' | 'history' | 'suggestions' | 'audit';

/** Which of a list are shown; empty: all. */
export interface ListFilters {
  run: string;
  agent: string;
  tool: string;
  risk: string;
  /** Of what is over. */
  decision: string;
  /** Who decided it. */
  by: string;
  q: string;
}

export const NO_FILTERS: ListFilters = { run: '', agent: '', tool: '', risk: '', decision: '', by: '', q: '' };

export interface PageRoute {
  view: PageView;
  /** The request that is shown. */
  id: string | null;
  filters: ListFilters;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** As long as the inbox takes them. */
const LONGEST = 1_000;

/** What is not known is the list of what waits. */
export function parse(hash: string): PageRoute {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [view, id = ''] = path.split('/');
  if (view === 'audit' || view === 'suggestions') return { view, id: null, filters: NO_FILTERS };
  const given = new URLSearchParams(query);
  const of = (name: keyof ListFilters): string => (given.get(name) ?? '').slice(0, LONGEST);
  return {
    view: view === 'history' ? view : 'waiting',
    id: UUID.test(id) ? id : null,
    filters: {
      run: of('run'),
      agent: of('agent'),
      tool: of('tool'),
      risk: of('risk'),
      decision: of('decision'),
      by: of('by'),
      q: of('q'),
    },
  };
}

/** Without filters those that the list has now stay, as long as it is the same list. */
type RouteTarget = Pick<PageRoute, 'view' | 'id'> & Partial<Pick<PageRoute, 'filters'>>;

export function addressOf({ view, id, filters = filtersFor(view) }: RouteTarget): string {
  const set = Object.entries(filters).filter(([, value]) => value !== '');
  const query = set.length === 0 ? '' : `?${new URLSearchParams(set)}`;
  return `${id === null ? `#/${view}` : `#/${view}/${id}`}${query}`;
}

const filtersFor = (view: PageView): ListFilters => (route.value.view === view ? route.value.filters : NO_FILTERS);

export const route = signal<PageRoute>(parse(location.hash));
export const selected = computed(() => route.value.id);

window.addEventListener('hashchange', () => {
  route.value = parse(location.hash);
});

/** `replace`: without a step in the browser's history, as for moving through a list. */
export function go(to: RouteTarget, { replace = false }: { replace?: boolean } = {}): void {
  const address = addressOf(to);
  if (address === addressOf(route.value)) return;
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  route.value = parse(address);
}

window.addEventListener('popstate', () => {
  route.value = parse(location.hash);
});

export const isSame = (one: ListFilters, other: ListFilters): boolean =>
  (Object.keys(one) as (keyof ListFilters)[]).every((name) => one[name] === other[name]);
