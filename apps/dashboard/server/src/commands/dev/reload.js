// In the pages of `dashboard dev` alone: loads the page anew when another site is built, and shows what is wrong where
// one cannot be.

const build = document.querySelector('script[data-build]')?.getAttribute('data-build');

const STYLE = `
:host { all: initial; position: fixed; inset: auto 0 0 0; z-index: 2147483647; }
section {
  box-sizing: border-box; max-height: 60vh; margin: 0 auto; padding: 16px 20px; overflow: auto;
  border-top: 3px solid #d1242f; background: #fff; color: #1f2328;
  font: 14px/1.5 system-ui, sans-serif; box-shadow: 0 -4px 24px rgb(0 0 0 / 25%);
}
h2 { margin: 0 0 8px; font-size: 15px; }
ul { margin: 0; padding: 0; list-style: none; }
li { padding: 6px 0; overflow-wrap: anywhere; white-space: pre-line; }
code { display: block; color: #b3261e; font: 13px/1.4 ui-monospace, monospace; }
@media (prefers-color-scheme: dark) {
  section { background: #1b1f24; color: #e6edf3; }
  code { color: #ff8f85; }
}
`;

/** @type {HTMLElement | undefined} */
let box;

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
  section.tabIndex = 0;
  const heading = document.createElement('h2');
  heading.textContent = 'This site could not be built. What you see is from before.';
  const list = document.createElement('ul');
  for (const { place, message } of problems) {
    const item = document.createElement('li');
    if (place !== '') {
      const code = document.createElement('code');
      code.textContent = place;
      item.append(code);
    }
    item.append(message);
    list.append(item);
  }
  section.append(heading, list);
  root.append(section);
  document.body.append(box);
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
