import type { ReferenceContext } from '../reference/reference-context.ts';
import { isListed } from '../reference/reference-list.ts';
import { declaredAddresses } from '../request/connect-origins.ts';
import { ADDRESSES_PATH } from '../request/proxy-format.ts';
import { APIS_PATH, type ListedApi } from './listed-api.ts';
import { type SiteFile, TYPES } from './site-files.ts';

/** What programs of the edge need to know of a site's APIs: which there are, and where requests to them may go. */
export function apiFiles(references: readonly ReferenceContext[]): SiteFile[] {
  if (references.length === 0) return [];
  const declared = new Set(references.flatMap(({ document }) => declaredAddresses(document)));
  const apis = references.map(
    ({ title, addresses: { address = '' }, downloads }): ListedApi => ({
      ...{ address, title, document: downloads.json },
    }),
  );
  return [
    json(ADDRESSES_PATH, [...declared]),
    ...(isListed(references) ? [json(APIS_PATH, apis)] : []),
  ];
}

const json = (path: string, value: unknown): SiteFile => ({
  ...{ path, type: TYPES.json, content: JSON.stringify(value) },
});
