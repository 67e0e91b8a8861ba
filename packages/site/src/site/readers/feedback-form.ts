import { type Html, html } from '@petstore/http/html.ts';
import { FEEDBACK_PATH, MAX_SENTENCE, READERS_META, THANKS_ID } from './readers-format.ts';

/** By this element a page's script knows that its site counts. */
export const readersMeta = html`<meta name="${READERS_META}" content="on">
`;

/**
 * "Was this page helpful?" at the end of a page: a form that is sent without a script as well. With one, the answer is
 * sent at once and a sentence may follow.
 */
export function feedbackForm(path: string): Html {
  return html`<form class="docs-feedback" method="post" action="${FEEDBACK_PATH}">
<input type="hidden" name="page" value="${path}">
<fieldset><legend>Was this page helpful?</legend>
<button type="submit" name="helpful" value="yes">Yes</button><button type="submit" name="helpful" value="no">No</button></fieldset>
<p class="feedback-thanks" id="${THANKS_ID}" role="status">Thank you.</p>
<p class="feedback-more" hidden><label for="layout-sentence">What could be better?</label>
<textarea id="layout-sentence" name="sentence" rows="3" maxlength="${MAX_SENTENCE}"></textarea>
<span><small>Please leave out names, addresses and keys: the authors of this page read it.</small><button type="button">Send</button></span></p>
</form>
`;
}

const META = new RegExp(`<meta name="${READERS_META}"[^>]*>\\n?`);
const FORM = /<form class="docs-feedback"[\s\S]*?<\/form>\n?/;

/** A page whose site does not count: it asks nothing, and its script tells nothing. Also for pages of earlier builds. */
export function withoutReaders(page: string): string {
  return page.replace(META, '').replace(FORM, '');
}
