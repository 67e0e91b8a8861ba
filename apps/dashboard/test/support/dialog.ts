import type { Page } from '@petstore/test-support/browser.ts';

// While a dialog is in front of a page, what is behind it has no role, as if it were gone. So whoever waits for something
// on the page to go, or to come, waits first until the dialog is closed.

/** The dialog in front of a page. By its role a message is one, too, which stays for seconds after what was done. */
export const dialogOf = (page: Page) =>
  page.getByRole('dialog').and(page.locator(':not([aria-modal=false])'));

/** Waits until no dialog is in front of a page. */
export function dialogClosed(page: Page): Promise<void> {
  return dialogOf(page).first().waitFor({ state: 'detached' });
}
