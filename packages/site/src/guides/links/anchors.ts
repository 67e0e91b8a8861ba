import { didYouMeanOfMany } from '@petstore/service/nearest.ts';
import type { BuildProblem } from '../../build-log.ts';
import type { CheckedDocument } from '../../openapi/openapi-types.ts';
import { valueAt } from '../../syntax/source.ts';
import type { RenderedPage } from '../render/render-page.ts';

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

/** Where operations are in the reference, by `operationId` and by the id of their Markdown page. */
export function operationAnchors({
  upgraded,
  operations,
}: CheckedDocument): ReadonlyMap<string, string> {
  const anchors = new Map<string, string>();
  for (const { id, method, path, anchor, isWebhook } of operations) {
    anchors.set(id, anchor);
    if (isWebhook) continue;
    const place = ['paths', path, method.toLowerCase(), 'operationId'];
    const operationId = valueAt(upgraded, place);
    if (typeof operationId === 'string') anchors.set(operationId, anchor);
  }
  return anchors;
}
