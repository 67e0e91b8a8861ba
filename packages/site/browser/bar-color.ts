/**
 * Makes the bars of a phone's browser follow the reader's choice: of the two `theme-color` elements, the one of the
 * chosen scheme counts, and without a choice the one of the system's.
 */
export function showBarColor(choice: string | undefined): void {
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const { scheme } = meta.dataset;
    if (choice === undefined) meta.media = `(prefers-color-scheme: ${scheme})`;
    else meta.media = choice === scheme ? 'all' : 'not all';
  }
}
