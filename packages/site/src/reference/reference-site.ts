import { prefix, truncate } from '@petstore/service/text.ts';
import type { BuildLog } from '../build-log.ts';
import { descriptions } from '../markdown/descriptions.ts';
import { readMarks } from '../openapi/extension-fields.ts';
import {
  type CheckedDocument,
  isObject,
  type OpenApiDocument,
  type OperationSummary,
  textOf,
} from '../openapi/openapi-types.ts';
import { type FoundOperation, findOperations } from '../openapi/operations.ts';
import { titleText } from '../openapi/title-text.ts';
import { declaredAddresses } from '../request/connect-origins.ts';
import { ADDRESSES_PATH } from '../request/proxy-format.ts';
import type { SiteFrame, SiteLink } from '../site/frame.ts';
import { type LayoutPage, pageFiles } from '../site/page-layout.ts';
import { navigationFile } from '../site/sidebar.ts';
import { type SiteFile, TYPES } from '../site/site-files.ts';
import { referenceAddresses, tagWay } from './addresses.ts';
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

export interface ReferenceOptions {
  /** The path of the introduction. */
  readonly overview: string;
  /** The files of the archive that descriptions may show. */
  readonly images: ReadonlySet<string>;
  /** The paths of the site besides the reference, to which descriptions may link; undefined where any may exist. */
  readonly paths?: ReadonlySet<string> | undefined;
  /** Where the document itself can be had, where that is not `/openapi.json` and `/openapi.yaml`. */
  readonly downloads?: ReferenceContext['downloads'];
}

/** What the pages of a document's reference are made with. Warnings of what pages leave out go to the log. */
export function referenceContext(
  checked: CheckedDocument,
  {
    overview,
    images,
    paths,
    downloads = { json: '/openapi.json', yaml: '/openapi.yaml' },
  }: ReferenceOptions,
  log: BuildLog,
): ReferenceContext {
  const warn = warnings(checked, log);
  const addresses = referenceAddresses(checked, overview);
  return {
    checked,
    document: checked.upgraded,
    addresses,
    descriptions: descriptions({
      warn,
      files: images,
      resolveLink: descriptionLinks(checked, addresses, paths),
    }),
    downloads,
    warn,
  };
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
  const anchors = Object.fromEntries(oldAnchors(checked, addresses));
  yield { path: '/_site/anchors.json', type: TYPES.json, content: JSON.stringify(anchors) };
  const api = JSON.stringify(declaredAddresses(checked.upgraded));
  yield { path: ADDRESSES_PATH, type: TYPES.json, content: api };
  for (const page of referencePages(context)) yield* pageFiles(frame, page);
}

/** Above the title in preview images of pages that are no operation. */
const PREVIEW_LABEL = 'API reference';

function* referencePages(context: ReferenceContext): Generator<LayoutPage> {
  const { addresses, checked, document } = context;
  const title = titleOf(document);
  const overview: SiteLink = { title, path: addresses.overview };
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
    given: Pick<LayoutPage, 'title' | 'description' | 'crumbs' | 'content' | 'preview'>,
  ): LayoutPage => ({ place: { path, part: 'reference' }, kind: 'ref', ...around(path), ...given });

  const description = descriptionOf(context);
  yield page(overview.path, {
    title,
    description,
    crumbs: [],
    content: overviewContent(context),
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
        ...{ label: PREVIEW_LABEL, operation: undefined },
      },
    });
    for (const operation of tag.operations) {
      yield page(addresses.operation(operation), {
        title: operation.title,
        description:
          sentence(context, operation.description) || `${operation.method} ${operation.path}`,
        crumbs: [overview, ...tagWay(tag)],
        content: operationOf(context, operation, found.get(operation) as FoundOperation),
        preview: { title: operation.title, description: '', label: undefined, operation },
      });
    }
  }
  yield* modelPages(context, overview, page);
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
    given: Pick<LayoutPage, 'title' | 'description' | 'crumbs' | 'content'>,
  ) => LayoutPage,
): Generator<LayoutPage> {
  const { addresses, checked, document } = context;
  const { modelsPath, models } = addresses;
  if (modelsPath === undefined) return;
  const list: SiteLink = { title: 'Models', path: modelsPath };
  yield {
    ...page(modelsPath, {
      title: 'Models',
      description: `The models of ${titleOf(document)}.`,
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

/** What the document says of itself, as plain text of at most 300 letters. */
export function descriptionOf(context: ReferenceContext): string {
  const { info } = context.document;
  const text = isObject(info) ? textOf(info.summary) || textOf(info.description) : '';
  return sentence(context, text) || `Reference of ${titleOf(context.document)}.`;
}
