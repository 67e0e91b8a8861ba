// What the pages of a site tell the edge of their readers. Nothing of it says who the reader is, and nothing is read from
// the reader's device: a page that was opened, a search, a call of the panel, an answer to "Was this page helpful?".

/** Where the pages' script tells what readers do, by POST. */
export const READERS_PATH = '/_site/readers';

/** Where the form at the end of a page is sent. */
export const FEEDBACK_PATH = '/_site/feedback';

/** The name of the element by which a page knows that its site counts. */
export const READERS_META = 'site-readers';

/** What a page's script tells, as the fields of a form. */
export type ReaderEvent =
  /** A page was shown that the script had fetched before. */
  | { readonly event: 'view'; readonly page: string }
  /** A search: whether it found what has all of its words, only some of them, or nothing. */
  | { readonly event: 'search'; readonly query: string; readonly found: SearchOutcome }
  /** The panel of a page sent a request; `status`: the class of the response's status. */
  | { readonly event: 'try'; readonly page: string; readonly status: StatusClass };

export const SEARCH_OUTCOMES = ['all', 'some', 'nothing'] as const;
type SearchOutcome = (typeof SEARCH_OUTCOMES)[number];

/** `none`: there was no response. */
export const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx', 'none'] as const;
export type StatusClass = (typeof STATUS_CLASSES)[number];

/** The id of what thanks the reader who has no script. */
export const THANKS_ID = 'layout-thanks';

/** Most characters of the sentence. */
export const MAX_SENTENCE = 500;
