import { didYouMeanOfMany } from '@petstore/service/nearest.ts';
import type { BuildProblem } from '../../build-log.ts';
import { type CheckedDocument, isObject, textOf } from '../../openapi/openapi-types.ts';
import { plainText } from '../../openapi/plain-text.ts';
import { type ReferenceAddresses, referencePaths } from '../../reference/addresses.ts';
import { firstSentence } from '../../reference/first-sentence.ts';
import { oldAnchors } from '../../reference/old-anchors.ts';
import type { RenderedPage } from '../render/render-page.ts';
import type { ReferenceTargets, TargetDetails } from './reference-target.ts';

/** Finds links that lead nowhere, and those to anchors that their page does not have. */
export function brokenLinks(pages: readonly RenderedPage[]): BuildProblem[] {
  const broken = pages.flatMap(({ file, links }) =>
    links.problems
      .filter(({ isLink }) => isLink)
      .map(({ message, line }) => ({ message, path: file, line })),
  );
  return [...broken, ...checkAnchors(pages)];
}

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
  const details = new Map<string, TargetDetails>();
  for (const operation of checked.operations) {
    const path = addresses.operation(operation);
    const { title, method, description } = operation;
    const sentence = firstSentence(description, MAX_SENTENCE);
    details.set(path, { title, method, path: operation.path, sentence });
    operations.set(operation.id, path);
    if (operation.operationId && !operation.isWebhook) operations.set(operation.operationId, path);
  }
  const models = new Map<string, string>();
  for (const name of addresses.models) {
    const path = addresses.model(name);
    if (path === undefined) continue;
    models.set(name, path);
    const sentence = firstSentence(descriptionOf(checked, name), MAX_SENTENCE);
    details.set(path, { title: name, method: undefined, path: name, sentence });
  }
  return {
    ...{ address: addresses.address, operations },
    anchors: oldAnchors(checked, addresses),
    paths: new Set(referencePaths(addresses)),
    models,
    details,
  };
}

/** In letters: what a box says of a page. */
const MAX_SENTENCE = 200;

const plain = plainText();

function descriptionOf({ upgraded }: CheckedDocument, name: string): string {
  const { components } = upgraded;
  const schemas = isObject(components) && isObject(components.schemas) ? components.schemas : {};
  const schema = schemas[name];
  return isObject(schema) ? plain.of(textOf(schema.description)) : '';
}
