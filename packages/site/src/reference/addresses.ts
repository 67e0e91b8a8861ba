import {
  type CheckedDocument,
  isObject,
  type OpenApiDocument,
  type OperationSummary,
} from '../openapi/openapi-types.ts';
import { type DeclaredTag, declaredTags } from '../openapi/tags.ts';
import { titleText } from '../openapi/title-text.ts';

/** The paths of the pages of a reference, each unique whether a system distinguishes case or not. */
export interface ReferenceAddresses {
  /** `payments` of `/reference/payments`, where the site lists its documents; undefined for its only one. */
  readonly address: string | undefined;
  /** The introduction: `/reference`, or `/` where a site has nothing else; of one of several `/reference/payments`. */
  readonly overview: string;
  /** The tags that have operations, or tags under them that do, in the order of their pages: each after its parent. */
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

/** A tag, and the operations that are listed under it. */
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
  /** The tag that it lies under (OpenAPI 3.2); undefined for none. */
  readonly parent: TagAddress | undefined;
  /** The tags that lie right under it. */
  readonly children: readonly TagAddress[];
}

/** A tag and all that it lies under, the outermost first. */
export function tagWay(tag: TagAddress): readonly TagAddress[] {
  const way: TagAddress[] = [];
  for (let at: TagAddress | undefined = tag; at !== undefined; at = at.parent) way.unshift(at);
  return way;
}

/** Where a site has its reference, or the list of its references. */
export const REFERENCE_PATH = '/reference';

/** The page that lists a site's references, where docs.yaml does. */
export const REFERENCE_LIST = { title: 'API reference', path: REFERENCE_PATH } as const;

/** The path below which all pages of a reference are: `/reference/payments`. */
export const referencePath = (address: string | undefined): string =>
  address === undefined ? REFERENCE_PATH : `${REFERENCE_PATH}/${address}`;

/** Where readers can have a document itself. */
export interface Downloads {
  readonly json: string;
  readonly yaml: string;
}

/** `/openapi.json`, or `/reference/payments/openapi.json`. */
export function downloadPaths(address: string | undefined): Downloads {
  const folder = address === undefined ? '' : referencePath(address);
  return { json: `${folder}/openapi.json`, yaml: `${folder}/openapi.yaml` };
}

/** The longest part of a path that comes from the document. */
const MAX_SEGMENT = 80;

/**
 * Makes the addresses of a document's pages. `overview` is the path of its introduction, and `address` its segment where
 * the site lists its documents.
 */
export function referenceAddresses(
  { upgraded, operations }: CheckedDocument,
  overview: string,
  address?: string,
): ReferenceAddresses {
  const root = referencePath(address);
  const hooks = operations.filter(({ isWebhook }) => isWebhook);
  // A name of the site's own is not given to a tag. Nearly every document has models, or gets them later; many describe
  // their webhooks as a tag and never get any of their own.
  const unique = uniquePaths([
    ...(hooks.length > 0 ? [`${root}/webhooks`] : []),
    `${root}/models`,
    ...(address === undefined ? [] : Object.values(downloadPaths(address))),
  ]);
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
  const byName = new Map<string | undefined, TagAddress & { children: TagAddress[] }>();
  for (const name of orderedTags([...byTag.keys()], described)) {
    const folder = unique(root, segment(name ?? 'operations').toLowerCase());
    const about = name === undefined ? undefined : described.get(name);
    const { title, description = '', group, parent: above } = about ?? {};
    const parent = above === undefined ? undefined : byName.get(above);
    const tag = {
      name,
      title: title || titleText(name) || 'Operations',
      description,
      path: folder,
      operations: tagOf(folder, byTag.get(name) ?? []),
      group: parent ? parent.group : group,
      parent,
      children: [],
    };
    parent?.children.push(tag);
    byName.set(name, tag);
  }
  const webhooks: TagAddress | undefined =
    hooks.length === 0
      ? undefined
      : {
          name: undefined,
          title: sectionOfWebhooks([...byName.values()]),
          description: '',
          path: `${root}/webhooks`,
          operations: tagOf(`${root}/webhooks`, hooks),
          group: undefined,
          parent: undefined,
          children: [],
        };
  const models = new Map(
    modelNames(upgraded).map((name) => [name, unique(`${root}/models`, segment(name))]),
  );
  return {
    ...{ address, overview },
    tags: [...byName.values()],
    webhooks,
    modelsPath: models.size > 0 ? `${root}/models` : undefined,
    models: [...models.keys()],
    operation: (operation) => paths.get(operation) ?? overview,
    operationById: (operationId) => byId.get(operationId),
    model: (name) => models.get(name),
  };
}

/** The title of the section with what is sent. A tag for those who are sent it is often called Webhooks itself. */
function sectionOfWebhooks(tags: readonly TagAddress[]): string {
  const isTaken = tags.some(({ title }) => title.toLowerCase() === 'webhooks');
  return isTaken ? 'Webhook events' : 'Webhooks';
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
export function segment(name: string): string {
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

/** What the document says of a tag, with its group. */
type DescribedTag = Pick<DeclaredTag, 'title' | 'description' | 'parent'> & {
  readonly group: string | undefined;
};

/** What the document says of its tags, in the order in which they are to be shown. */
function describedTags(document: OpenApiDocument): ReadonlyMap<string, DescribedTag> {
  const tags = declaredTags(document);
  const described = new Map<string, DescribedTag>();
  const add = (name: string, group: string | undefined) => {
    if (described.has(name)) return;
    const { title = '', description = '', parent } = tags.get(name) ?? {};
    described.set(name, { title, description, parent, group });
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

/**
 * The used tags, and those that they lie under: first those that the document describes, in its order but each after its
 * parent, then the others as they come.
 */
function orderedTags(
  used: readonly (string | undefined)[],
  described: ReadonlyMap<string, DescribedTag>,
): (string | undefined)[] {
  const shown = new Set<string | undefined>();
  for (const name of used) {
    let at = name;
    for (; at !== undefined && !shown.has(at); at = described.get(at)?.parent) shown.add(at);
  }
  const known = [...described.keys()].filter((name) => shown.has(name));
  const under = Map.groupBy(known, (name) => described.get(name)?.parent);
  const ordered: (string | undefined)[] = [];
  const waiting = [...(under.get(undefined) ?? [])].reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    ordered.push(next);
    waiting.push(...[...(under.get(next) ?? [])].reverse());
  }
  return [...ordered, ...used.filter((name) => name === undefined || !described.has(name))];
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
