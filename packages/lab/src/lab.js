// Shows what becomes of the domains while the page is open. Nothing else is replaced, so that what someone types stays.

const INTERVAL_MS = 2_000;

async function look() {
  const answer = await fetch('/');
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  if (idsIn(fresh).join() !== idsIn(document).join()) {
    document.querySelector('#claims').replaceWith(fresh.querySelector('#claims'));
    return;
  }
  for (const id of idsIn(document)) {
    const [old, now] = [document, fresh].map((page) => page.getElementById(id));
    const [was, is] = [old, now].map((card) => card.querySelector('.standing'));
    if (was.innerHTML !== is.innerHTML) was.replaceWith(is);
    const chosen = [...now.querySelectorAll('button')].map((button) => button.ariaPressed);
    for (const [i, button] of old.querySelectorAll('button').entries())
      button.ariaPressed = chosen[i];
  }
}

function idsIn(page) {
  return [...page.querySelectorAll('article')].map(({ id }) => id);
}

setInterval(() => {
  // A lab that has ended answers nothing: what was last is left to be read.
  if (!document.hidden) look().catch(() => undefined);
}, INTERVAL_MS);
