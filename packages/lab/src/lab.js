// Updates the domains and the records while the page is open. Nothing else is replaced, so that typed text stays.

const INTERVAL_MS = 2_000;

async function look() {
  const response = await fetch('/');
  if (!response.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  renew(document.querySelector('#records'), fresh.querySelector('#records'));
  if (idsIn(fresh).join() !== idsIn(document).join()) {
    renew(document.querySelector('#claims'), fresh.querySelector('#claims'));
    return;
  }
  for (const id of idsIn(document)) {
    const [old, now] = [document, fresh].map((page) => page.getElementById(id));
    renew(old.querySelector('.standing'), now.querySelector('.standing'));
    const chosen = [...now.querySelectorAll('button')].map((button) => button.ariaPressed);
    for (const [i, button] of old.querySelectorAll('button').entries())
      button.ariaPressed = chosen[i];
  }
}

function renew(old, now) {
  if (old.innerHTML !== now.innerHTML) old.replaceWith(now);
}

function idsIn(page) {
  return [...page.querySelectorAll('article')].map(({ id }) => id);
}

setInterval(() => {
  // A lab that has ended does not respond: the last page stays to be read.
  if (!document.hidden) look().catch(() => undefined);
}, INTERVAL_MS);
