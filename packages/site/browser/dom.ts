export const root = document.documentElement;

/** The first element that a selector fits. */
export const find = <Found extends HTMLElement = HTMLElement>(
  selector: string,
  within: ParentNode = document,
) => within.querySelector<Found>(selector);

/** A button with a class and, where its text is none for listeners, a label. */
export function button(className: string, text: string, label = text): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = className;
  made.textContent = text;
  if (label !== text) made.setAttribute('aria-label', label);
  return made;
}

/** The link that an event happened in. */
export function linkOf({ target }: Event): HTMLAnchorElement | null {
  return target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null;
}

/** A path of the site as an address: one version of a site is below a prefix, which its pages have in `data-base`. */
export function addressOf(path: string): string {
  const { base = '' } = root.dataset;
  // The start page is at the prefix itself.
  return base === '' ? path : base + path.replace(/^\/(?=$|[?#])/, '');
}

/** The same page, whatever the fragments. */
export const pageOf = ({ pathname, search }: URL | Location) => pathname + search;

/** The element that an address's fragment names. */
export function fragmentTarget(hash: string): HTMLElement | null {
  try {
    return document.getElementById(decodeURIComponent(hash.slice(1)));
  } catch {
    return null;
  }
}

/** Calls `act` at most once in a frame. */
export function oncePerFrame(act: () => void): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      act();
    });
  };
}
