import {
  FEEDBACK_PATH,
  READERS_META,
  READERS_PATH,
  type ReaderEvent,
  type StatusClass,
} from '../src/site/readers/readers-format.ts';
import { addressOf, find } from './dom.ts';

// Tells the site's own host what readers do: which page a click showed, what they searched, what a call came to. It reads
// nothing from the device and keeps nothing on it, and what it tells does not say who the reader is.

interface Wishes {
  readonly globalPrivacyControl?: boolean;
  readonly doNotTrack?: string | null;
}

/** Whether the site counts, and the reader has not asked to be left out. */
function isCounted(): boolean {
  const { globalPrivacyControl, doNotTrack } = navigator as Wishes;
  return isCounting() && globalPrivacyControl !== true && doNotTrack !== '1';
}

const isCounting = () => find(`meta[name=${READERS_META}]`) !== null;

function tell(event: ReaderEvent): void {
  if (!isCounted()) return;
  // It is sent when the browser has time, also while the page is left.
  navigator.sendBeacon(addressOf(READERS_PATH), new URLSearchParams({ ...event }));
}

/** The page that is shown, by its path. */
const here = () => location.pathname;

/** A page was shown that was fetched before: fetched pages are not counted, since some are fetched ahead in vain. */
export const tellView = (): void => tell({ event: 'view', page: here() });

/** A page that the browser itself had fetched ahead, which is not counted either, is shown now. */
export function tellIfPrerendered(): void {
  const { prerendering } = document as { readonly prerendering?: boolean };
  if (prerendering) {
    document.addEventListener('prerenderingchange', tellView, { once: true });
    return;
  }
  const [entry] = performance.getEntriesByType('navigation');
  const { deliveryType } = (entry ?? {}) as { readonly deliveryType?: string };
  if (deliveryType === 'navigational-prefetch') tellView();
}

/** A search has ended, with what it found. */
export const tellSearch = (query: string, found: 'all' | 'some' | 'nothing'): void =>
  tell({ event: 'search', query, found });

/** The panel has sent a request; `status` is undefined where there was no response. */
export function tellCall(status: number | undefined): void {
  const first = status === undefined ? '' : String(status)[0];
  tell({
    event: 'try',
    page: here(),
    status: /[1-5]/.test(first ?? '') ? (`${first}xx` as StatusClass) : 'none',
  });
}

/** Sends the form at the end of the page without leaving the page: the answer at once, and then a sentence. */
export function startFeedback(within: ParentNode): void {
  const form = find<HTMLFormElement>('.docs-feedback', within);
  const more = form && find('.feedback-more', form);
  const text = form && find<HTMLTextAreaElement>('textarea', form);
  const thanks = form && find('.feedback-thanks', form);
  if (!form || !more || !text || !thanks) return;
  let helpful = '';
  const page = new FormData(form).get('page') as string;
  // It is there, and empty, before it says something: screen readers tell what changes in it.
  thanks.textContent = '';
  thanks.classList.add('is-said');
  const say = (words: string) => {
    thanks.textContent = words;
  };
  const send = async (fields: Record<string, string>): Promise<boolean> => {
    try {
      const response = await fetch(addressOf(FEEDBACK_PATH), {
        method: 'POST',
        headers: { accept: 'text/plain' },
        body: new URLSearchParams({ page, helpful, ...fields }),
      });
      if (response.ok) return true;
      say(response.status === 429 ? 'Too many answers just now. Try again in a minute.' : FAILED);
    } catch {
      say(FAILED);
    }
    return false;
  };
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { submitter } = event;
    // Once: nobody knows which answer was this reader's, so that none can be taken back.
    if (!(submitter instanceof HTMLButtonElement) || helpful !== '') return;
    helpful = submitter.value;
    if (!(await send({}))) {
      helpful = '';
      return;
    }
    for (const button of form.querySelectorAll<HTMLButtonElement>('button[name=helpful]')) {
      button.setAttribute('aria-pressed', String(button === submitter));
      button.setAttribute('aria-disabled', 'true');
    }
    say('Thank you.');
    const label = find('label', more);
    if (label) label.textContent = helpful === 'yes' ? MORE.yes : MORE.no;
    more.hidden = false;
  });
  let isSending = false;
  find('button', more)?.addEventListener('click', async () => {
    if (isSending) return;
    if (text.value.trim() === '') {
      text.focus();
      return;
    }
    isSending = true;
    const isSent = await send({ sentence: text.value, only: 'sentence' });
    isSending = false;
    if (!isSent) return;
    text.value = '';
    more.hidden = true;
    say('Thank you. The authors of this page will read it.');
  });
}

const FAILED = 'It could not be sent. Try again.';
const MORE = {
  yes: 'What was it that helped? (You may leave this out.)',
  no: 'What is missing or wrong? (You may leave this out.)',
} as const;
