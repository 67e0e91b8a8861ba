import { html } from '@petstore/http/html.ts';
import { isObject } from '@petstore/reference/operations.ts';
import { rememberBox } from '@petstore/reference/page.ts';
import type { BuildLog } from '../build-log.ts';
import { DEFAULT_COLOR } from '../guides/docs-config.ts';
import type { CheckedDocument } from '../openapi/openapi-types.ts';
import { accentStyle } from './assets.ts';
import { frameHead, frameHeader, pagesMenu, type SiteFrame } from './frame.ts';
import { referenceFiles, titleOf } from './reference-files.ts';
import { searchIndex } from './search-index.ts';
import type { SiteFile } from './site-files.ts';

/** The reference with the site's header and search; `frameFiles` are to be published beside it. */
export function framedReference(
  document: CheckedDocument,
  frame: SiteFrame,
  pagePath: string,
): Promise<SiteFile[]> {
  const header = html`${frameHeader(frame, {
    current: pagePath,
    content: 'reference',
    isWide: true,
    ...(takesKeys(document) ? { more: rememberBox } : {}),
  })}
${pagesMenu(frame, { current: pagePath, isNarrowOnly: true })}`;
  return referenceFiles(document, { pagePath, header, head: frameHead(frame) });
}

/** Whether readers can enter a key at all. */
function takesKeys({ upgraded: { components } }: CheckedDocument): boolean {
  const schemes = isObject(components) ? components.securitySchemes : undefined;
  return isObject(schemes) && Object.keys(schemes).length > 0;
}

/** The reference offers no download of its own: it would be of the adapted document. */
export const DOCUMENT_LINK = { title: 'openapi.yaml', path: '/openapi.yaml' };

/** The frame of a site that is a document's reference alone, at `/`. */
export function documentFrame(document: CheckedDocument, log: BuildLog): SiteFrame {
  const { operations, upgraded } = document;
  return {
    title: titleOf(upgraded),
    logo: undefined,
    links: [{ title: 'Reference', path: '/' }, DOCUMENT_LINK],
    groups: [],
    accent: accentStyle(DEFAULT_COLOR),
    searchIndex: searchIndex({ pages: [], operations, referencePath: '/' }, log),
  };
}
