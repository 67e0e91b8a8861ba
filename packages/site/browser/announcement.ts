import { find, root } from './dom.ts';

// The announcement above the header. A reader who has closed it sees it again when its text is another one.

const CLOSED = 'closed-announcement';

/** Hides the announcement of the page, where the reader has closed it before. */
export function hideClosedAnnouncement(): void {
  const text = announcedText();
  if (text !== undefined && text === closedText()) hide();
}

/** The button that closes the announcement. */
export function startAnnouncement(): void {
  find('.site-announcement button')?.addEventListener('click', () => {
    hide();
    // Where the keyboard goes on.
    find('.site-brand')?.focus();
    try {
      localStorage.setItem(CLOSED, announcedText() ?? '');
    } catch {
      // Then it is closed as long as the page is there.
    }
  });
}

const hide = () => root.classList.add('announcement-closed');

/** In the head, since it is asked for before the body is there. */
const announcedText = () =>
  document.querySelector<HTMLMetaElement>('meta[name=announcement]')?.content;

function closedText(): string | null {
  try {
    return localStorage.getItem(CLOSED);
  } catch {
    return null;
  }
}
