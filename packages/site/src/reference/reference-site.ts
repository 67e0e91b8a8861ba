import { prefix, truncate } from '@petstore/service/text.ts';
import type { BuildLog } from '../build-log.ts';
import { type Changelog, operationHistories } from '../changelog/changelog.ts';
import { reservedPaths } from '../guides/links/site-paths.ts';
import { descriptions } from '../markdown/descriptions.ts';
import { readMarks } from '../openapi/extension-fields.ts';
import {
  type CheckedDocument,
  type FoundPlace,
  isObject,
  type OpenApiDocument,
  type OperationSummary,
  textOf,
} from '../openapi/openapi-types.ts';
import { type FoundOperation, findOperations } from '../openapi/operations.ts';
import { titleText } from '../openapi/title-text.ts';
import type { SourceLinks } from '../repository/source-links.ts';
import type { SiteFrame, SiteLink } from '../site/frame.ts';
import { type LayoutPage, pageFiles, type SourceLink } from '../site/page-layout.ts';
import { navigationFile } from '../site/sidebar.ts';
import { type SiteFile, TYPES } from '../site/site-files.ts';
import { toPointer } from '../syntax/source.ts';
import {
  type Downloads,
  downloadPaths,
  REFERENCE_LIST,
  referenceAddresses,
  referencePath,
  referencePaths,
  tagWay,
} from './addresses.ts';
import { modelAside, operationAside } from './aside-html.ts';
import { descriptionLinks } from './description-links.ts';
import { modelContent } from './model-content.ts';
import { type ModelUser, modelUsers } from './model-users.ts';
import { oldAnchors } from './old-anchors.ts';
import { operationContent } from './operation-content.ts';
import { operationData, operationDataScript } from './operation-data.ts';
import { overviewContent } from './overview-content.ts';
import type { ReferenceContext, Warn } from './reference-context.ts';
import { modelListContent, tagContent } from './tag-content.ts';
import { sizeText } from './tag-list.ts';

/** A document, and what docs.yaml says of it where it is one of several. */
export interface ReferenceDocument {
  readonly checked: CheckedDocument;
  /** Its segment below `/reference`; undefined for a site with this document alone. */
  readonly address?: string | undefined;
  /** Instead of the document's own title. */
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

export interface ReferenceOptions {
  /** The path of the introduction of a site's only document. */
  readonly overview: string;
  /** The files of the archive that descriptions may show. */
  readonly images: ReadonlySet<string>;
  /** The paths of the site besides the references, to which descriptions may link; undefined where any may exist. */
  readonly paths?: ReadonlySet<string> | undefined;
  /** Where the only document itself can be had, where that is not `/openapi.json` and `/openapi.yaml`. */
  readonly downloads?: Downloads;
  /** undefined where the site has none. */
  readonly changelog?: Changelog | undefined;
}

/** What the pages of a document's reference are made with. Warnings of what pages leave out go to the log. */
export function referenceContext(
  checked: CheckedDocument,
  options: ReferenceOptions,
  log: BuildLog,
): ReferenceContext {
  const [context] = referenceContexts([{ checked }], options, log);
  return context as ReferenceContext;
}

/** The same for all documents of a site, whose descriptions may link to each other's pages. */
export function referenceContexts(
  documents: readonly ReferenceDocument[],
  { overview, images, paths, downloads, changelog }: ReferenceOptions,
  log: BuildLog,
): ReferenceContext[] {
  const placed = documents.map((document) => {
    const { checked, address } = document;
    const introduction = address === undefined ? overview : referencePath(address);
    return { ...document, addresses: referenceAddresses(checked, introduction, address) };
  });
  const known = paths && new Set(paths);
  if (documents.length > 1)
    for (const { addresses } of placed)
      for (const path of referencePaths(addresses)) known?.add(path);
  const own = new Set(['/', ...reservedPaths(placed)]);
  const operations = documents.reduce((sum, { checked }) => sum + checked.operations.length, 0);
  return placed.map(({ checked, address, title, description = '', addresses }) => {
    const warn = warnings(checked, log);
    return {
      checked,
      document: checked.upgraded,
      addresses,
      title: title ?? titleOf(checked.upgraded),
      about: description,
      share: operations === 0 ? 1 : checked.operations.length / operations,
      descriptions: descriptions({
        warn,
        files: images,
        resolveLink: descriptionLinks(checked, addresses, { own, others: known }),
      }),
      downloads: downloads ?? downloadPaths(address),
      warn,
      histories: changelog && operationHistories(changelog, address ?? null),
    };
  });
}

/** Logs warnings with their places. */
function warnings({ placeOf }: CheckedDocument, log: BuildLog): Warn {
  return (message, path, rule = 'left-out') => {
    const place = placeOf(path);
    log({
      ...{ rule, message, file: place.file, path: place.pointer },
      get line() {
        return place.line;
      },
    });
  };
}

/** The pages of a document's reference with what their scripts load, one after the other. */
export function* referenceFiles(context: ReferenceContext, frame: SiteFrame): Generator<SiteFile> {
  const { checked, addresses } = context;
  yield navigationFile(addresses);
  // Sites with several documents never had all in one page.
  if (addresses.address === undefined) {
    const anchors = Object.fromEntries(oldAnchors(checked, addresses));
    yield { path: '/_site/anchors.json', type: TYPES.json, content: JSON.stringify(anchors) };
  }
  for (const page of referencePages(context, frame.source)) yield* pageFiles(frame, page);
}

/** Above the title in preview images of pages that are no operation. */
const PREVIEW_LABEL = REFERENCE_LIST.title;

function* referencePages(context: ReferenceContext, source: SourceLinks): Generator<LayoutPage> {
  const { addresses, checked, document, title } = context;
  const overview: SiteLink = { title, path: addresses.overview };
  const isListed = addresses.address !== undefined;
  const above = isListed ? [REFERENCE_LIST] : [];
  const api = isListed ? title : undefined;
  const label = isListed ? title : PREVIEW_LABEL;
  const found = new Map(
    [...findOperations(document)].map((one, at) => [checked.operations[at], one]),
  );
  const tags = [...addresses.tags, ...(addresses.webhooks ? [addresses.webhooks] : [])];
  const order = tags.flatMap((tag) => [
    { title: tag.title, path: tag.path },
    ...tag.operations.map((one) => ({ title: one.title, path: addresses.operation(one) })),
  ]);
  const links = [overview, ...order];
  const at = new Map(links.map(({ path }, index) => [path, index]));
  const around = (path: string) => {
    const index = at.get(path) ?? 0;
    return { previous: links[index - 1], next: links[index + 1] };
  };
  const page = (
    path: string,
    given: Pick<LayoutPage, 'title' | 'description' | 'crumbs' | 'content' | 'source' | 'preview'>,
  ): LayoutPage => ({
    ...{ place: { path, part: 'reference', reference: addresses }, kind: 'ref', api },
    ...around(path),
    ...given,
    crumbs: [...above, ...given.crumbs],
  });

  const sourceOf = (pointer: string) => sourceLink(source, checked.placeOf(pointer));
  const description = descriptionOf(context);
  yield page(overview.path, {
    title,
    description,
    crumbs: [],
    content: overviewContent(context),
    source: sourceOf('/info'),
    preview: { title, description, label: PREVIEW_LABEL, operation: undefined },
  });
  for (const tag of tags) {
    const about = sentence(context, tag.description);
    yield page(tag.path, {
      title: tag.title,
      description: about,
      crumbs: [overview, ...tagWay(tag).slice(0, -1)],
      content: tagContent(context, tag),
      preview: {
        ...{
          title: tag.title,
          description: about || sizeText(tag.operations.length, tag.children.length),
        },
        ...{ label, operation: undefined },
      },
    });
    for (const operation of tag.operations) {
      const itself = found.get(operation) as FoundOperation;
      yield page(addresses.operation(operation), {
        title: operation.title,
        description:
          sentence(context, operation.description) || `${operation.method} ${operation.path}`,
        crumbs: [overview, ...tagWay(tag)],
        content: operationOf(context, operation, itself),
        source: sourceOf(toPointer(itself.location)),
        preview: { title: operation.title, description: api ?? '', label: undefined, operation },
      });
    }
  }
  yield* modelPages(context, overview, page, sourceOf);
}

function sourceLink(source: SourceLinks, place: FoundPlace): SourceLink | undefined {
  const href = source.view(place.file, () => place.line);
  return href === undefined ? undefined : { href, text: 'View source' };
}

function operationOf(context: ReferenceContext, summary: OperationSummary, found: FoundOperation) {
  // A webhook is not requested by readers.
  const data = summary.isWebhook ? undefined : operationData(context, found);
  return operationContent(context, summary, found, {
    aside: operationAside(context, summary, found, data),
    data: data && operationDataScript(data),
    tryIt: data !== undefined && !readMarks(found.operation).hidesTryItPanel,
  });
}

function* modelPages(
  context: ReferenceContext,
  overview: SiteLink,
  page: (
    path: string,
    given: Pick<LayoutPage, 'title' | 'description' | 'crumbs' | 'content' | 'source'>,
  ) => LayoutPage,
  sourceOf: (pointer: string) => SourceLink | undefined,
): Generator<LayoutPage> {
  const { addresses, checked, document } = context;
  const { modelsPath, models } = addresses;
  if (modelsPath === undefined) return;
  const list: SiteLink = { title: 'Models', path: modelsPath };
  yield {
    ...page(modelsPath, {
      title: 'Models',
      description: `The models of ${context.title}.`,
      crumbs: [overview],
      content: modelListContent(context),
    }),
    previous: undefined,
    next: undefined,
  };
  const users = modelUsers(document, checked.operations, addresses);
  const none: readonly ModelUser[] = [];
  const links = models.map((name) => ({ title: name, path: addresses.model(name) ?? modelsPath }));
  for (const [at, { title, path }] of links.entries()) {
    yield {
      ...page(path, {
        title,
        description: sentence(context, describedModel(document, title)) || `The model ${title}.`,
        crumbs: [overview, list],
        content: modelContent(context, title, {
          aside: modelAside(context, title),
          users: users.get(title) ?? none,
        }),
        source: sourceOf(toPointer(['components', 'schemas', title])),
      }),
      previous: links[at - 1],
      next: links[at + 1],
    };
  }
}

/** In letters: more is cut by search engines. */
const MAX_DESCRIPTION = 300;

const sentence = ({ descriptions: made }: ReferenceContext, text: string) =>
  truncate(made.plain(prefix(text, 4 * MAX_DESCRIPTION)), MAX_DESCRIPTION);

function describedModel({ components }: OpenApiDocument, name: string): string {
  const schemas = isObject(components) ? components.schemas : undefined;
  const schema = isObject(schemas) && Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  return isObject(schema) ? textOf(schema.description) : '';
}

/** The document's title, on one line. */
export function titleOf({ info }: OpenApiDocument): string {
  return (isObject(info) && titleText(info.title)) || 'API';
}

/** What is said of a document, or what it says of itself, as plain text of at most 300 letters. */
export function descriptionOf(context: ReferenceContext): string {
  if (context.about) return context.about;
  const { info } = context.document;
  const text = isObject(info) ? textOf(info.summary) || textOf(info.description) : '';
  return sentence(context, text) || `Reference of ${context.title}.`;
}
