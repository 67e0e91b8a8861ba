// The search: a dialog with a combobox (WAI-ARIA Authoring Practices, "Combobox").
// @ts-check

import MiniSearch from './minisearch.js';
import { fold, INDEX_OPTIONS, queryTerms } from './search-terms.js';

const MOST_RESULTS = 20;

/** @type {Promise<any> | undefined} */
let index;

/** Fetched once; again after a failure. */
function loadIndex() {
  const address = document.querySelector('meta[name=search-index]')?.getAttribute('content') ?? '';
  index ??= fetch(address)
    .then((response) => {
      if (!response.ok) throw new Error(`the request for the index got ${response.status}`);
      return response.text();
    })
    .then((text) => MiniSearch.loadJSON(text, INDEX_OPTIONS))
    .catch((error) => {
      index = undefined;
      throw error;
    });
  return index;
}

const SEARCH = {
  tokenize: queryTerms,
  combineWith: 'AND',
  boost: { title: 6, names: 4, page: 2 },
  // The term may be incomplete, unless it is a single letter: too many words begin with it.
  /** @param {string} term */
  prefix: (term) => term.length > 1,
  /** @param {string} term */
  fuzzy: (term) => (/^[\p{L}]{4,}$/u.test(term) ? 0.2 : false),
};

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 */
function make(tag, attributes = {}, children = []) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const input = /** @type {HTMLInputElement} */ (
  make('input', {
    class: 'search-input',
    type: 'text',
    role: 'combobox',
    'aria-label': 'Search the documentation',
    'aria-expanded': 'false',
    'aria-controls': 'layout-results',
    'aria-autocomplete': 'list',
    placeholder: 'Search the documentation',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    enterkeyhint: 'go',
    maxlength: '200',
  })
);
const list = make('div', {
  id: 'layout-results',
  class: 'search-results',
  role: 'listbox',
  'aria-label': 'Results',
});
const status = make('p', { class: 'search-status', role: 'status' });
const close = make('button', { type: 'button', class: 'search-close' }, ['Close']);
const dialog = /** @type {HTMLDialogElement} */ (
  make('dialog', { class: 'search-dialog', 'aria-label': 'Search' }, [
    make('div', { class: 'search-head' }, [input, close]),
    list,
    status,
    make('p', { class: 'search-keys', 'aria-hidden': 'true' }, [
      make('kbd', {}, ['↑']),
      make('kbd', {}, ['↓']),
      ' to move ',
      make('kbd', {}, ['↵']),
      ' to open ',
      make('kbd', {}, ['Esc']),
      ' to close',
    ]),
  ])
);
document.body.append(dialog);

/** @type {HTMLAnchorElement[]} */
let options = [];
let active = -1;

/** Opens the dialog. The last query is still there, selected. */
export function open() {
  if (dialog.open) return;
  loadIndex().catch(() => {});
  dialog.showModal();
  input.focus();
  input.select();
  if (input.value === '') say('Type to search pages and operations.');
}

/** @param {string} text */
function say(text) {
  status.textContent = text;
}

/** @param {number} at */
function activate(at) {
  active = at;
  for (const [nth, option] of options.entries()) {
    option.setAttribute('aria-selected', String(nth === at));
  }
  const option = options[at];
  if (option) {
    input.setAttribute('aria-activedescendant', option.id);
    option.scrollIntoView({ block: 'nearest' });
  } else input.removeAttribute('aria-activedescendant');
}

/** The index may load late: only the results of the latest search are shown. */
let latest = 0;

async function search() {
  const mine = ++latest;
  const query = input.value.trim();
  /** @type {any[]} */
  let results = [];
  let text = 'Type to search pages and operations.';
  if (query !== '') {
    try {
      results = (await loadIndex()).search(query, SEARCH);
      text = results.length === 0 ? `Nothing found for “${query}”.` : counted(results.length);
    } catch {
      text = 'The search cannot be loaded. Look at your connection, and type again.';
    }
  }
  if (mine !== latest) return;
  options = results.slice(0, MOST_RESULTS).map(toOption);
  list.replaceChildren(...options);
  list.scrollTop = 0;
  input.setAttribute('aria-expanded', String(options.length > 0));
  activate(options.length > 0 ? 0 : -1);
  say(text);
}

/** @param {number} count */
function counted(count) {
  if (count === 1) return '1 result';
  return count > MOST_RESULTS ? `The best ${MOST_RESULTS} of ${count} results` : `${count} results`;
}

/**
 * @param {any} result
 * @param {number} at
 */
function toOption(result, at) {
  // Typed terms come before the ones that they were corrected to, and long ones first: single letters are in every
  // word.
  const terms = [...longestFirst(result.queryTerms), ...longestFirst(result.terms)];
  const { method, title, page, excerpt, href } = result;
  const badge = method
    ? make('span', { class: `method method-${method.toLowerCase()}` }, [method])
    : make('span', { class: 'search-hash', 'aria-hidden': 'true' }, ['#']);
  const option = make(
    'a',
    { id: `layout-result-${at}`, class: 'search-result', role: 'option', tabindex: '-1', href },
    [
      badge,
      make('span', { class: 'search-text' }, [
        make('span', { class: 'search-title' }, marked(title, terms)),
        make(
          'span',
          { class: method ? 'search-page search-path' : 'search-page' },
          marked(page, terms),
        ),
        make('span', { class: 'search-excerpt' }, marked(stretch(excerpt, terms), terms)),
      ]),
    ],
  );
  return /** @type {HTMLAnchorElement} */ (option);
}

/** @param {string[]} terms */
const longestFirst = (terms) =>
  terms.filter((term) => !/^\w$/.test(term)).sort((a, b) => b.length - a.length);

const LENGTH = 150;

const characters = new Intl.Segmenter();

/**
 * The part of a text around the first term that it has.
 * @param {string} text
 * @param {string[]} terms
 */
function stretch(text, terms) {
  const [first] = places(text, terms);
  const from = first && first[0] > 50 ? text.lastIndexOf(' ', first[0] - 40) + 1 : 0;
  // Between two characters as readers see them.
  const end = characters.segment(text).containing(from + LENGTH)?.index ?? text.length;
  return `${from > 0 ? '… ' : ''}${text.slice(from, end)}${end < text.length ? ' …' : ''}`;
}

/**
 * The text, with the matches marked. It is never parsed as HTML, since it may be anything.
 * @param {string} text
 * @param {string[]} terms
 */
function marked(text, terms) {
  /** @type {(Node | string)[]} */
  const parts = [];
  let done = 0;
  for (const [start, end] of places(text, terms)) {
    parts.push(text.slice(done, start), make('mark', {}, [text.slice(start, end)]));
    done = end;
  }
  return [...parts, text.slice(done)];
}

/**
 * Where terms stand in a text: `[start, end]`, in order.
 * @param {string} text
 * @param {string[]} terms
 */
function places(text, terms) {
  /** @type {[number, number][]} */
  const found = [];
  for (const { 0: word, index: start } of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    const folded = fold(word);
    const hit = terms.find((term) => folded.includes(term));
    if (hit === undefined) continue;
    // Folding can change the length; then the whole word is marked.
    const at = folded.length === word.length ? folded.indexOf(hit) : 0;
    const length = folded.length === word.length ? hit.length : word.length;
    found.push([start + at, start + at + length]);
  }
  return found;
}

input.addEventListener('input', search);
input.addEventListener('keydown', (event) => {
  const last = options.length - 1;
  const moves = {
    ArrowDown: active >= last ? 0 : active + 1,
    ArrowUp: active <= 0 ? last : active - 1,
    PageDown: Math.min(last, active + 5),
    PageUp: Math.max(0, active - 5),
  };
  if (event.isComposing) return;
  if (event.key in moves && last >= 0) {
    event.preventDefault();
    activate(moves[/** @type {keyof typeof moves} */ (event.key)]);
  } else if (event.key === 'Enter') {
    event.preventDefault();
    options[active]?.click();
  }
});
list.addEventListener('mousemove', ({ target }) => {
  const option = target instanceof Element ? target.closest('a') : null;
  const at = option ? options.indexOf(option) : -1;
  if (at !== -1 && at !== active) activate(at);
});
list.addEventListener('click', ({ ctrlKey, metaKey, shiftKey }) => {
  if (!ctrlKey && !metaKey && !shiftKey) dialog.close();
});
close.addEventListener('click', () => dialog.close());
dialog.addEventListener('click', ({ target }) => {
  // A click hits the dialog itself only beside its content.
  if (target === dialog) dialog.close();
});
