// The script of every page. Pages can be read without it.
// @ts-check

const root = document.documentElement;

/** @param {string} selector */
const find = (selector) => /** @type {HTMLElement | null} */ (document.querySelector(selector));

// The colours: as the system has them, light, or dark.

const THEMES = ['system', 'light', 'dark'];

const themeButton = find('.site-theme');

function showTheme() {
  const theme = root.dataset.theme ?? 'system';
  const label = `Colours: ${theme}`;
  themeButton?.setAttribute('aria-label', label);
  themeButton?.setAttribute('title', label);
}

/** The reference chooses its colours by classes of the body. */
function tellReference() {
  const { body } = document;
  if (!body.matches('.dark-mode, .light-mode')) return;
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const theme = root.dataset.theme ?? (isDark ? 'dark' : 'light');
  body.classList.toggle('dark-mode', theme === 'dark');
  body.classList.toggle('light-mode', theme === 'light');
}

themeButton?.addEventListener('click', () => {
  const next = (THEMES.indexOf(root.dataset.theme ?? 'system') + 1) % THEMES.length;
  const theme = THEMES[next] ?? 'system';
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
  try {
    localStorage.setItem('colorMode', theme);
  } catch {
    // Then the choice lasts as long as the page.
  }
  showTheme();
  tellReference();
});
showTheme();

// The search. It is loaded when it is first used.

async function openSearch() {
  const { open } = await import('./search.js');
  open();
}

find('.site-search')?.addEventListener('click', openSearch);

document.addEventListener(
  'keydown',
  (event) => {
    const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey;
    const isCtrlK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    const target = /** @type {HTMLElement} */ (event.composedPath()[0] ?? document.body);
    const isTyping = target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
    if (!(isCtrlK || (isSlash && !isTyping))) return;
    event.preventDefault();
    // The reference has a search of its own on Ctrl-K, of operations alone.
    event.stopImmediatePropagation();
    openSearch();
  },
  true,
);

// The list of pages on a narrow screen.

const menuButton = find('.site-menu');
const drawer = find('.docs-nav');

/** @param {boolean} isOpen */
function setMenu(isOpen) {
  root.classList.toggle('menu-open', isOpen);
  menuButton?.setAttribute('aria-expanded', String(isOpen));
  for (const part of document.querySelectorAll('main, .docs-toc, #reference')) {
    part.toggleAttribute('inert', isOpen);
  }
}

menuButton?.addEventListener('click', () => {
  const isOpen = !root.classList.contains('menu-open');
  setMenu(isOpen);
  if (isOpen) drawer?.querySelector('a')?.focus();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || !root.classList.contains('menu-open')) return;
  setMenu(false);
  menuButton?.focus();
});
matchMedia('(min-width: 60rem)').addEventListener('change', () => setMenu(false));
drawer?.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('a')) setMenu(false);
});
const ownLink = /** @type {HTMLElement | null} */ (drawer?.querySelector('[aria-current]') ?? null);
if (drawer && ownLink && ownLink.offsetTop > drawer.clientHeight - 80) {
  drawer.scrollTop = ownLink.offsetTop - drawer.clientHeight / 2;
}

// Code: a button that copies it.

for (const box of document.querySelectorAll('.code-box')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'code-copy';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', 'Copy code');
  button.addEventListener('click', async () => {
    const isCopied = await navigator.clipboard
      .writeText(box.querySelector('code')?.textContent ?? '')
      .then(
        () => true,
        () => false,
      );
    button.textContent = isCopied ? 'Copied' : 'Not copied';
    button.setAttribute('aria-label', button.textContent);
    setTimeout(() => {
      button.textContent = 'Copy';
      button.setAttribute('aria-label', 'Copy code');
    }, 2_000);
  });
  box.querySelector('.code-head')?.append(button);
}

// The list of headings, which marks the reader's position.

const tocLinks = [...document.querySelectorAll('.docs-toc a[href^="#"]')];

function markHeading() {
  const heads = tocLinks.map((link) =>
    document.getElementById(decodeURIComponent(link.getAttribute('href')?.slice(1) ?? '')),
  );
  const isAtEnd = innerHeight + scrollY >= root.scrollHeight - 4;
  let current = heads.findLastIndex((head) => head && head.getBoundingClientRect().top < 120);
  if (isAtEnd && scrollY > 0) current = heads.length - 1;
  for (const [at, link] of tocLinks.entries()) {
    if (at === Math.max(0, current)) link.setAttribute('aria-current', 'location');
    else link.removeAttribute('aria-current');
  }
}

if (tocLinks.length > 0) {
  let isWaiting = false;
  document.addEventListener(
    'scroll',
    () => {
      if (isWaiting) return;
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        markHeading();
      });
    },
    { passive: true },
  );
  markHeading();
}
