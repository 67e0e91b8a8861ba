import { didYouMeanOfMany } from '@petstore/service/nearest.ts';
import type { BuildProblem } from '../../build-log.ts';
import type { CheckedDocument } from '../../openapi/openapi-types.ts';
import { type ReferenceAddresses, referencePaths } from '../../reference/addresses.ts';
import { oldAnchors } from '../../reference/old-anchors.ts';
import type { RenderedPage } from '../render/render-page.ts';
import type { ReferenceTargets } from './link-target.ts';

/** Finds links to anchors that their page does not have. */
export function checkAnchors(pages: readonly RenderedPage[]): BuildProblem[] {
  const didYouMean = didYouMeanOfMany();
  const ids = new Map(pages.map((page) => [page.file, new Set(page.ids)]));
  return pages.flatMap((page) =>
    page.links.pages
      .filter(({ file, anchor }) => anchor !== '' && ids.get(file)?.has(anchor) === false)
      .map(({ file, anchor, href, line }) => ({
        message: `The link \`${href}\` leads to no heading: \`${file}\` has no \`#${anchor}\`${didYouMean(anchor, ids.get(file) ?? [])}`,
        path: page.file,
        line,
      })),
  );
}

/** The pages of a reference that links may lead to. */
export function referenceTargets(
  checked: CheckedDocument,
  addresses: ReferenceAddresses,
): ReferenceTargets {
  const operations = new Map<string, string>();
  for (const operation of checked.operations) {
    const path = addresses.operation(operation);
    operations.set(operation.id, path);
    if (operation.operationId && !operation.isWebhook) operations.set(operation.operationId, path);
  }
  return {
    operations,
    anchors: oldAnchors(checked, addresses),
    paths: new Set(referencePaths(addresses)),
  };
}
