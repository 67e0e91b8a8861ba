import {
  type CheckedDocument,
  isObject,
  type OpenApiDocument,
  type OperationSummary,
  textOf,
} from '../openapi/openapi-types.ts';
import { titleText } from '../openapi/title-text.ts';

/** The paths of the pages of a reference, each unique whether a system distinguishes case or not. */
export interface ReferenceAddresses {
  /** The introduction: `/reference`, or `/` where a site has nothing else. */
  readonly overview: string;
  /** The tags that have operations, in the order of their pages. */
  readonly tags: readonly TagAddress[];
  /** The webhooks, listed as those of a tag; undefined where there are none. */
  readonly webhooks: TagAddress | undefined;
  /** The list of all models, `/reference/models`; undefined where there are none. */
  readonly modelsPath: string | undefined;
  /** The names of all models, in the document's order. */
  readonly models: readonly string[];
  /** The page of an operation or a webhook of the document: `/reference/pets/listPets`. */
  operation(operation: OperationSummary): string;
  /** The page of the operation with this `operationId`, which links name; undefined where there is none. */
  operationById(operationId: string): OperationSummary | undefined;
  /** `/reference/models/Pet` for the schema `Pet` of `components`; undefined where it has no page. */
  model(name: string): string | undefined;
}

/** A tag, and the operations whose first tag it is. */
export interface TagAddress {
  /** As in the operations' `tags`; undefined for the operations without one, and for webhooks. */
  readonly name: string | undefined;
  /** `x-displayName`, or the name. */
  readonly title: string;
  /** In Markdown; empty for none. */
  readonly description: string;
  /** `/reference/pets` */
  readonly path: string;
  readonly operations: readonly OperationSummary[];
  /** The tag's group (`x-tagGroups`); undefined where it is in none. */
  readonly group: string | undefined;
}

const ROOT = '/reference';

/** The longest part of a path that comes from the document. */
const MAX_SEGMENT = 80;

/** Makes the addresses of a document's pages. `overview` is the path of its introduction. */
export function referenceAddresses(
  { upgraded, operations }: CheckedDocument,
  overview: string,
): ReferenceAddresses {
  const hooks = operations.filter(({ isWebhook }) => isWebhook);
  // A name of the site's own is not given to a tag. Nearly every document has models, or gets them later; many describe
  // their webhooks as a tag and never get any of their own.
  const unique = uniquePaths([...(hooks.length > 0 ? [`${ROOT}/webhooks`] : []), `${ROOT}/models`]);
  const paths = new Map<OperationSummary, string>();
  const byId = new Map<string, OperationSummary>();
  const tagOf = (folder: string, members: readonly OperationSummary[]) => {
    for (const one of members) {
      const name = one.operationId || `${one.method.toLowerCase()} ${one.path}`;
      paths.set(one, unique(folder, segment(name)));
      if (one.operationId && !byId.has(one.operationId)) byId.set(one.operationId, one);
    }
    return members;
  };

  const byTag = Map.groupBy(
    operations.filter(({ isWebhook }) => !isWebhook),
    ({ tag }) => tag,
  );
  const described = describedTags(upgraded);
  const tags = orderedTags([...byTag.keys()], described).map((name): TagAddress => {
    const folder = unique(ROOT, segment(name ?? 'operations').toLowerCase());
    const { title, description = '', group } = (name !== undefined && described.get(name)) || {};
    return {
      name,
      title: title || titleText(name) || 'Operations',
      description,
      path: folder,
      operations: tagOf(folder, byTag.get(name) ?? []),
      group,
    };
  });
  const webhooks: TagAddress | undefined =
    hooks.length === 0
      ? undefined
      : {
          name: undefined,
          title: 'Webhooks',
          description: '',
          path: `${ROOT}/webhooks`,
          operations: tagOf(`${ROOT}/webhooks`, hooks),
          group: undefined,
        };
  const models = new Map(
    modelNames(upgraded).map((name) => [name, unique(`${ROOT}/models`, segment(name))]),
  );
  return {
    overview,
    tags,
    webhooks,
    modelsPath: models.size > 0 ? `${ROOT}/models` : undefined,
    models: [...models.keys()],
    operation: (operation) => paths.get(operation) ?? overview,
    operationById: (operationId) => byId.get(operationId),
    model: (name) => models.get(name),
  };
}

/** The paths of all pages of a reference, in the order in which readers go through them. */
export function* referencePaths(addresses: ReferenceAddresses): Generator<string> {
  const { overview, tags, webhooks, modelsPath, models } = addresses;
  yield overview;
  for (const { path, operations } of [...tags, ...(webhooks ? [webhooks] : [])]) {
    yield path;
    for (const one of operations) yield addresses.operation(one);
  }
  if (modelsPath !== undefined) yield modelsPath;
  for (const name of models) yield addresses.model(name) ?? modelsPath ?? overview;
}

/**
 * A name as one segment of a path: letters, digits and `-`, `.`, `_`, `~` of any script stay; all else becomes `-`. It
 * never ends as the Markdown of another page does, nor is it a segment with a meaning (`..`).
 */
function segment(name: string): string {
  const safe = name
    .slice(0, 4 * MAX_SEGMENT)
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}._~-]+/gu, '-')
    .replace(/-{2,}/g, '-');
  const short = [...safe].slice(0, MAX_SEGMENT).join('');
  const trimmed = short.replace(/^[-.]+|[-.]+$/g, '').replace(/\.(?=md$)/i, '-');
  return trimmed || 'operation';
}

/** Makes `folder/name`, or `folder/name-2` and so on where that is taken in any letter case. */
function uniquePaths(reserved: readonly string[]): (folder: string, name: string) => string {
  const folded = (path: string) => path.toLowerCase().normalize('NFC');
  const taken = new Set(reserved.map(folded));
  // From where the last one with this name ended, since there may be very many.
  const counts = new Map<string, number>();
  return (folder, name) => {
    const first = `${folder}/${name}`;
    const key = folded(first);
    let path = first;
    let count = counts.get(key) ?? 2;
    for (; taken.has(folded(path)); count += 1) path = `${first}-${count}`;
    counts.set(key, count);
    taken.add(folded(path));
    return path;
  };
}

interface DescribedTag {
  readonly title: string | undefined;
  readonly description: string;
  readonly group: string | undefined;
}

/** What the document says of its tags, in the order in which they are to be shown. */
function describedTags(document: OpenApiDocument): ReadonlyMap<string, DescribedTag> {
  const tags = new Map<string, Omit<DescribedTag, 'group'>>();
  for (const tag of listOf(document.tags)) {
    if (!isObject(tag) || typeof tag.name !== 'string') continue;
    // `summary` is its name for readers in OpenAPI 3.2.
    const title = titleText(tag['x-displayName']) || titleText(tag.summary) || undefined;
    tags.set(tag.name, { title, description: textOf(tag.description) });
  }
  const described = new Map<string, DescribedTag>();
  const add = (name: string, group: string | undefined) => {
    if (described.has(name)) return;
    described.set(name, { title: undefined, description: '', ...tags.get(name), group });
  };
  for (const group of listOf(document['x-tagGroups'])) {
    if (!isObject(group)) continue;
    for (const name of listOf(group.tags)) {
      if (typeof name === 'string') add(name, titleText(group.name) || undefined);
    }
  }
  for (const name of tags.keys()) add(name, undefined);
  return described;
}

/** The used tags: first those that the document describes, in its order, then the others as they come. */
function orderedTags(
  used: readonly (string | undefined)[],
  described: ReadonlyMap<string, unknown>,
): (string | undefined)[] {
  const isUsed = new Set(used);
  const known = [...described.keys()].filter((name) => isUsed.has(name));
  return [...known, ...used.filter((name) => name === undefined || !described.has(name))];
}

function modelNames({ components }: OpenApiDocument): string[] {
  const schemas = isObject(components) ? components.schemas : undefined;
  if (!isObject(schemas)) return [];
  return Object.keys(schemas).filter((name) => {
    const schema = schemas[name];
    return isObject(schema) && schema['x-internal'] !== true;
  });
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
