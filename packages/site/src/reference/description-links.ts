import type { CheckedDocument } from '../openapi/openapi-types.ts';
import { modelName } from '../openapi/references.ts';
import { hrefOf } from '../site/site-files.ts';
import { decodeUri } from '../syntax/decode-uri.ts';
import { type ReferenceAddresses, referencePaths } from './addresses.ts';
import { oldAnchors } from './old-anchors.ts';

/** The paths of a site to which descriptions may link, besides the pages of their own reference. */
export interface DescribedPaths {
  /** Those of every site with its references: `/`, `/openapi.json`. */
  readonly own: ReadonlySet<string>;
  /** Guides, images, and the pages of other references; undefined where any path may exist. */
  readonly others: ReadonlySet<string> | undefined;
}

/**
 * Resolves the links of descriptions that are no web addresses: the fragments by which they refer to other parts of their
 * document, as Redoc, Scalar and earlier versions gave them, references to models, and paths. A path has to be one of
 * the reference, or of `paths`. ReadMe's `/reference/listpets` leads to the operation `listPets`. Returns an address of
 * the site; undefined where the link leads nowhere.
 */
export function descriptionLinks(
  checked: CheckedDocument,
  addresses: ReferenceAddresses,
  { own, others }: DescribedPaths,
): (href: string) => string | undefined {
  const anchors = oldAnchors(checked, addresses);
  const pages = new Set(referencePaths(addresses));
  const byFoldedId = new Map(
    checked.operations.map((one) => [one.operationId.toLowerCase(), addresses.operation(one)]),
  );

  const pathLink = (href: string) => {
    const path = decodeUri(href.replace(/[?#].*$/s, '').replace(/(?<=.)\/$/, ''));
    const page = path.replace(/\.md$/, '');
    if (pages.has(page) || own.has(path)) return href;
    const [, id] = /^\/reference\/([^/]+)$/.exec(path) ?? [];
    const operation = id === undefined ? undefined : byFoldedId.get(id.toLowerCase());
    if (operation !== undefined) return hrefOf(operation);
    return others === undefined || others.has(path) || others.has(page) ? href : undefined;
  };

  return (href) => {
    if (href.startsWith('/')) return pathLink(href);
    if (!href.startsWith('#')) return undefined;
    const fragment = decodeUri(href.slice(1));
    const known = anchors.get(fragment);
    if (known !== undefined) return hrefOf(known);
    // `#operation/listPets` and `#tag/pets/operation/listPets`.
    const [, operationId] = /(?:^|\/)operation\/(.+)$/.exec(fragment) ?? [];
    const operation = operationId === undefined ? undefined : addresses.operationById(operationId);
    if (operation) return hrefOf(addresses.operation(operation));
    const [, schema] = /^schema\/(.+)$/.exec(fragment) ?? [];
    const model = addresses.model(schema ?? modelName(href) ?? '');
    return model === undefined ? undefined : hrefOf(model);
  };
}
