/** Where the page is, as it stands behind the `#` of its address. */
import { computed, signal } from '@preact/signals';

export type PageView = 'waiting' | 'history' | 'audit';

export interface PageRoute {
  view: PageView;
  /** The request that is shown. */
  id: string | null;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What is not known is the list of what waits. */
export function parse(hash: string): PageRoute {
  const [view, id = ''] = hash.replace(/^#\/?/, '').split('/');
  if (view === 'audit') return { view, id: null };
  return { view: view === 'history' ? view : 'waiting', id: UUID.test(id) ? id : null };
}

export const addressOf = ({ view, id }: PageRoute): string => (id === null ? `#/${view}` : `#/${view}/${id}`);

export const route = signal<PageRoute>(parse(location.hash));
export const selected = computed(() => route.value.id);

window.addEventListener('hashchange', () => {
  route.value = parse(location.hash);
});

/** `replace`: without a step in the browser's history, as for moving through a list. */
export function go(to: PageRoute, { replace = false }: { replace?: boolean } = {}): void {
  if (addressOf(to) === addressOf(route.value)) return;
  if (replace) history.replaceState(null, '', addressOf(to));
  else history.pushState(null, '', addressOf(to));
  route.value = to;
}

window.addEventListener('popstate', () => {
  route.value = parse(location.hash);
});
