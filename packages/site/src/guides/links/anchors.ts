import { didYouMeanOfMany } from '@petstore/service/nearest.ts';
import type { BuildProblem } from '../../build-log.ts';
import type { ChangelogFiles } from '../../changelog/notes.ts';
import { type CheckedDocument, isObject, textOf } from '../../openapi/openapi-types.ts';
import { plainText } from '../../openapi/plain-text.ts';
import { type ReferenceAddresses, referencePaths } from '../../reference/addresses.ts';
import { firstSentence } from '../../reference/first-sentence.ts';
import { oldAnchors } from '../../reference/old-anchors.ts';
import type { RenderedPage } from '../render/render-page.ts';
import type { ReferenceTargets, TargetDetails } from './reference-target.ts';

type Notes = Pick<ChangelogFiles, 'notes' | 'hasCome'>;

/**
 * Finds links that lead nowhere, those to notes that no reader sees, and those to anchors that their page does not have.
 */
export function brokenLinks(
  pages: readonly RenderedPage[],
  { notes, hasCome }: Notes = { notes: new Map(), hasCome: () => true },
): BuildProblem[] {
  const broken = pages.flatMap(({ file, links }) =>
    links.problems
      .filter(({ isLink }) => isLink)
      .map(({ message, line }) => ({ message, path: file, line })),
  );
  return [...broken, ...unseenNotes(pages, { notes, hasCome }), ...checkAnchors(pages, notes)];
}

/** Finds links to notes whose day has not come, and to hidden ones. Such notes may link to each other. */
function unseenNotes(pages: readonly RenderedPage[], { notes, hasCome }: Notes): BuildProblem[] {
  const reasons = new Map<string, string>();
  for (const { file, settings } of pages) {
    if (!notes.has(file)) continue;
    if (settings.isHidden) reasons.set(file, `\`${file}\` is hidden.`);
    else if (!hasCome(file)) reasons.set(file, `the day of \`${file}\` has not come.`);
  }
  return pages
    .filter((page) => !reasons.has(page.file))
    .flatMap((page) =>
      page.links.pages.flatMap(({ file, href, line }) => {
        const reason = reasons.get(file);
        if (reason === undefined) return [];
        const message = `The link \`${href}\` leads to a note that readers do not see: ${reason}`;
        return [{ message, path: page.file, line }];
      }),
    );
}

/** Finds links to anchors that their page does not have. Anchors of notes begin with their own. */
export function checkAnchors(
  pages: readonly RenderedPage[],
  notes: Notes['notes'] = new Map(),
): BuildProblem[] {
  const didYouMean = didYouMeanOfMany();
  const ids = new Map(pages.map((page) => [page.file, new Set(page.ids)]));
  const written = (id: string, file: string) => {
    const note = notes.get(file);
    return note !== undefined && id.startsWith(`${note}--`) ? id.slice(note.length + 2) : id;
  };
  return pages.flatMap((page) =>
    page.links.pages
      .filter(({ file, anchor }) => anchor !== (notes.get(file) ?? ''))
      .filter(({ file, anchor }) => ids.get(file)?.has(anchor) === false)
      .map(({ file, anchor, href, line }) => {
        const name = written(anchor, file);
        const link = href.startsWith('#') ? `#${name}` : href;
        const others = (ids.get(file) ?? new Set()).values().map((id) => written(id, file));
        const message = `The link \`${link}\` leads to no heading: \`${file}\` has no \`#${name}\`${didYouMean(name, others)}`;
        return { message, path: page.file, line };
      }),
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
