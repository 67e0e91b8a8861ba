// In the pages of `dashboard dev` alone: loads the page anew when another site is built, and shows what is wrong where
// one cannot be.

const build = document.querySelector('script[data-build]')?.getAttribute('data-build');

const STYLE = `
:host { all: initial; color-scheme: inherit; position: fixed; inset: auto 0 0 0; z-index: 2147483647; }
section {
  display: flex; flex-direction: column; max-height: 50vh;
  border-top: 3px solid light-dark(#d1242f, #f85149); background: light-dark(#fff, #1b1f24);
  color: light-dark(#1f2328, #e6edf3); font: 14px/1.5 system-ui, sans-serif;
  box-shadow: 0 -4px 24px rgb(0 0 0 / 25%);
}
header { display: flex; align-items: baseline; gap: 16px; padding: 12px 20px; }
h2 { flex: 1; margin: 0; font-size: 15px; line-height: 1.4; }
button {
  flex: none; padding: 4px 12px; border: 1px solid light-dark(#d0d7de, #3d444d); border-radius: 6px;
  background: none; color: inherit; font: inherit; cursor: pointer;
}
button:hover { background: light-dark(#f3f4f6, #262c33); }
:focus-visible { outline: 2px solid light-dark(#0a58ca, #588ddb); outline-offset: 2px; }
ul { margin: 0; padding: 0 20px 16px; overflow: auto; list-style: none; }
ul[hidden] { display: none; }
li { padding: 10px 0; border-top: 1px solid light-dark(#e5e7ec, #2b3138); overflow-wrap: anywhere; white-space: pre-line; }
b { display: block; color: light-dark(#b3261e, #ff8f85); font: 600 13px/1.4 ui-monospace, monospace; }
code { font: 13px/1.4 ui-monospace, monospace; }
`;

/** @type {HTMLElement | undefined} */
let box;
/** What a reader has hidden comes back when something else is wrong. */
let hidden = '';

/** @param {readonly { place: string, message: string }[]} problems */
function showProblems(problems) {
  box?.remove();
  if (problems.length === 0) return;
  box = document.createElement('dev-problems');
  const root = box.attachShadow({ mode: 'open' });
  // Unlike an element `style`, this needs no permission of the page's policy.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  const section = document.createElement('section');
  section.setAttribute('role', 'alert');
  const list = document.createElement('ul');
  // So that it can be scrolled by the keyboard.
  list.tabIndex = 0;
  list.append(...problems.map(problemItem));
  section.append(headOf(problems, list), list);
  root.append(section);
  document.body.append(box);
}

/** @param {{ place: string, message: string }} problem */
function problemItem({ place, message }) {
  const item = document.createElement('li');
  if (place !== '') item.append(elementOf('b', place));
  // Names stand between backticks.
  for (const [at, part] of message.split('`').entries())
    item.append(at % 2 === 1 ? elementOf('code', part) : part);
  return item;
}

/** @param {readonly unknown[]} problems @param {HTMLElement} list */
function headOf(problems, list) {
  const head = document.createElement('header');
  const number = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  const title = elementOf('h2', `Not built: ${number}. What you see is from before.`);
  const known = JSON.stringify(problems);
  if (hidden !== known) hidden = '';
  const button = document.createElement('button');
  const show = () => {
    list.hidden = hidden === known;
    button.textContent = list.hidden ? 'Show' : 'Hide';
    button.setAttribute('aria-expanded', String(!list.hidden));
  };
  button.addEventListener('click', () => {
    hidden = hidden === known ? '' : known;
    show();
  });
  show();
  head.append(title, button);
  return head;
}

/** @param {string} name @param {string} text */
function elementOf(name, text) {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

const events = new EventSource('/_dev/events');
events.addEventListener('message', ({ data }) => {
  const state = JSON.parse(data);
  if (state.build === build) showProblems(state.problems);
  else {
    // The browser keeps the place to which the page is scrolled.
    events.close();
    location.reload();
  }
});
