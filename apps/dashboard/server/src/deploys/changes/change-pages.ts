import type { ComparedDocument } from '@petstore/changes/api-document.ts';
import { templateOf } from '@petstore/site/changelog/changelog.ts';
import { listOperations } from '@petstore/site/openapi/operations.ts';
import { upgradeDocument } from '@petstore/site/openapi/upgrade-document.ts';
import { referenceAddresses, referencePath } from '@petstore/site/reference/addresses.ts';

/** Finds the page of an operation, by its name in changes: `GET /pets`. undefined where it has none. */
export type FindPage = (operation: string) => string | undefined;

/**
 * The pages that a site makes of the operations of a document. `address`: that of its reference, empty for a site's only
 * one.
 */
export function pagesOfOperations({ document }: ComparedDocument, address: string): FindPage {
  const upgraded = upgradeDocument(document);
  // Descriptions have no part in addresses, and take longest.
  const operations = listOperations(upgraded, { of: () => '', unread: [] });
  const addresses = referenceAddresses(
    { syntax: 'JSON', document, upgraded, operations, placeOf: () => NOWHERE },
    ...([referencePath(address || undefined), address || undefined] as const),
  );
  const pages = new Map(
    operations.map((one) => [templateOf(`${one.method} ${one.path}`), addresses.operation(one)]),
  );
  return (operation) => pages.get(templateOf(operation));
}

const NOWHERE = { file: '', pointer: '', line: null };
