import type { CheckedDocument } from './openapi-types.ts';
import type { SiteFile } from './site-file.ts';

export interface ReferenceOptions {
  /** Where the reference page is: `/`, or `/reference` beside guides. */
  readonly pagePath: string;
  /** HTML for the top of the page's body, escaped; the page's own header when undefined. */
  readonly header?: string;
  /** HTML for the page's head, such as stylesheets of the header. */
  readonly head?: string;
}

/**
 * The reference page and what belongs to it: its document, `/openapi.json`, `/openapi.yaml`,
 * `/operations/*.md`, `/_assets/…`.
 */
export async function referenceFiles(
  _checked: CheckedDocument,
  _options: ReferenceOptions,
): Promise<SiteFile[]> {
  return [];
}

/** The policy for every HTML page of a site with a reference, from the document's servers. */
export function contentSecurityPolicy(_document: CheckedDocument['upgraded']): string {
  return '';
}
