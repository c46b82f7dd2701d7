// @ts-check
/** What runs in a page of the site: the theme, the menu of a phone, the search. Without it all pages can be read all the same. */
const find = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (document.querySelector(selector));
const kept = {
  get: () => {
    try {
      return localStorage.getItem('theme');
    } catch {
      return null;
    }
  },
  set: (/** @type {string} */ theme) => {
    try {
      localStorage.setItem('theme', theme);
    } catch {
      // It counts for this page.
    }
  },
};

const root = document.documentElement;
root.classList.add('scripted');
const theme = kept.get();
if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
find('#theme').addEventListener('click', () => {
  const isDark = root.dataset.theme
    ? root.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = isDark ? 'light' : 'dark';
  kept.set(root.dataset.theme);
});

// The list of pages is longer than a window: this page is seen in it. The page itself stays where it is.
const here = find('#pages [aria-current]');
const list = find('#pages');
list.scrollTop = here.offsetTop - list.offsetTop - list.clientHeight / 2;

const menu = find('#menu');
menu.addEventListener('click', () => {
  const isOpen = find('#pages').classList.toggle('open');
  menu.setAttribute('aria-expanded', String(isOpen));
});

/** @typedef {{ page: string, title: string, heading: string, text: string }} Entry */
/** @type {Entry[] | undefined} */
let index;
const input = /** @type {HTMLInputElement} */ (find('#search'));
const results = find('#results');

/** Loaded as a script, which also works where the site is read as files. */
function load() {
  if (index !== undefined || document.querySelector('script[src="search.js"]') !== null) return;
  const script = document.createElement('script');
  script.src = 'search.js';
  script.addEventListener('load', () => {
    index = /** @type {any} */ (globalThis).searchIndex;
    show();
  });
  document.head.append(script);
}

/** @param {Entry} entry @param {string[]} words */
function scoreOf(entry, words) {
  const [title, heading, text] = [entry.title, entry.heading, entry.text].map((each) => each.toLowerCase());
  let score = 0;
  for (const word of words) {
    if (heading?.includes(word)) score += heading.startsWith(word) ? 14 : 10;
    else if (title?.includes(word)) score += 6;
    else if (text?.includes(word)) score += 1;
    else return 0;
  }
  return score;
}

function show() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = (words.length === 0 ? [] : (index ?? []))
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, 12);
  results.replaceChildren(
    ...found.map(({ entry }, at) => {
      const item = document.createElement('li');
      item.id = `result-${at}`;
      item.role = 'option';
      item.setAttribute('aria-selected', String(at === 0));
      item.dataset.page = entry.page;
      item.textContent = entry.heading || entry.title;
      const where = document.createElement('small');
      where.textContent = entry.title;
      item.append(where);
      item.addEventListener('click', () => location.assign(entry.page));
      return item;
    }),
  );
  results.hidden = found.length === 0;
  input.setAttribute('aria-expanded', String(found.length > 0));
  select(0);
}

/** @param {number} at */
function select(at) {
  const items = [...results.children];
  items.forEach((item, nth) => item.setAttribute('aria-selected', String(nth === at)));
  const item = items[at];
  if (item === undefined) input.removeAttribute('aria-activedescendant');
  else {
    input.setAttribute('aria-activedescendant', item.id);
    item.scrollIntoView({ block: 'nearest' });
  }
}

input.addEventListener('focus', load);
input.addEventListener('input', () => (load(), show()));
input.addEventListener('keydown', (event) => {
  const items = [...results.children];
  const at = items.findIndex((item) => item.getAttribute('aria-selected') === 'true');
  if (event.key === 'ArrowDown') select(Math.min(at + 1, items.length - 1));
  else if (event.key === 'ArrowUp') select(Math.max(at - 1, 0));
  else if (event.key === 'Enter') {
    const page = /** @type {HTMLElement | undefined} */ (items[at])?.dataset.page;
    if (page !== undefined) location.assign(page);
  } else if (event.key === 'Escape') {
    input.value = '';
    show();
  } else return;
  event.preventDefault();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  input.focus();
});
