import { type CheckedDocument, isObject, textOf } from '../openapi/openapi-types.ts';
import { slug } from '../openapi/operations.ts';
import { modelName } from '../openapi/references.ts';
import { headingSections } from '../search/heading-sections.ts';
import { hrefOf } from '../site/site-files.ts';
import { decodeUri } from '../syntax/decode-uri.ts';
import { fromPointer } from '../syntax/source.ts';
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
 * document, as Redoc, Scalar and earlier versions gave them, references to models, and paths. Headings have no anchors:
 * what names one of the introduction leads to its page. A path has to be one of the reference, or of `paths`. ReadMe's
 * `/reference/listpets` leads to the operation `listPets`. Returns an address of the site; undefined where the link leads
 * nowhere.
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

  // Redoc writes `and` for `&`. A tag goes before another one of the same letters.
  const tags = new Map(
    addresses.tags
      .flatMap(({ name = '', path }) =>
        [name, name.replaceAll('&', 'and')].map((one) => [slug(one), path] as const),
      )
      .filter(([name]) => name !== '')
      .reverse(),
  );
  const byPlace = new Map(
    checked.operations
      .filter(({ isWebhook }) => !isWebhook)
      .map((one) => [`${one.method} ${one.path}`, addresses.operation(one)]),
  );
  let headings: ReadonlySet<string> | undefined;
  const isHeading = (name: string) => {
    headings ??= new Set(headingsOf(checked).map((one) => slug(one)));
    return slug(name) !== '' && headings.has(slug(name));
  };

  /** Where a fragment leads; undefined for nowhere. */
  const fragmentPath = (fragment: string, href: string): string | undefined => {
    const known = anchors.get(fragment);
    if (known !== undefined) return known;
    // `#operation/listPets` and `#tag/pets/operation/listPets`.
    const [, operationId] = /(?:^|\/)operation\/(.+)$/.exec(fragment) ?? [];
    const operation = operationId === undefined ? undefined : addresses.operationById(operationId);
    if (operation) return addresses.operation(operation);
    // Without an operationId: `#tag/pets/paths/~1pets/get`, and `#/paths/~1pets/get`.
    const [, pointer] = /(?:^|\/)paths(\/[^/]+\/[^/]+)$/.exec(fragment) ?? [];
    const [path, method = ''] = fromPointer(pointer ?? '');
    const [, kind, name = ''] = /^(tag|section|schema)\/(.+)$/s.exec(fragment) ?? [];
    return (
      byPlace.get(`${method.toUpperCase()} ${path}`) ??
      (kind === 'tag' ? tags.get(slug(name)) : undefined) ??
      addresses.model(kind === 'schema' ? name : (modelName(href) ?? '')) ??
      (kind === 'section' || isHeading(fragment) ? addresses.overview : undefined)
    );
  };

  return (href) => {
    if (href.startsWith('/')) return pathLink(href);
    if (!href.startsWith('#')) return undefined;
    const path = fragmentPath(decodeUri(href.slice(1)), href);
    return path === undefined ? undefined : hrefOf(path);
  };
}

function headingsOf({ upgraded: { info } }: CheckedDocument): string[] {
  const description = isObject(info) ? textOf(info.description) : '';
  return headingSections(description).map(({ heading }) => heading);
}
