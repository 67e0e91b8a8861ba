import type { CheckedDocument } from '../openapi/openapi-types.ts';
import { modelName } from '../openapi/references.ts';
import { hrefOf } from '../site/site-files.ts';
import type { ReferenceAddresses } from './addresses.ts';
import { oldAnchors } from './old-anchors.ts';

/**
 * Resolves the fragments by which descriptions refer to other parts of their document: those that Redoc, Scalar and
 * earlier versions gave them, and references to models. Returns an address of the site; undefined for any other link.
 */
export function descriptionLinks(
  checked: CheckedDocument,
  addresses: ReferenceAddresses,
): (href: string) => string | undefined {
  const anchors = oldAnchors(checked, addresses);
  return (href) => {
    if (!href.startsWith('#')) return undefined;
    const fragment = decoded(href.slice(1));
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

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
