import { toPointer } from '../syntax/source.ts';
import type { DocumentFinding } from './document-finding.ts';
import { isObject, type OpenApiDocument, textOf } from './openapi-types.ts';
import { titleText } from './title-text.ts';

/** A Tag Object of the document. */
export interface DeclaredTag {
  readonly name: string;
  /** Its name for readers, on one line: `x-displayName`, or `summary` of OpenAPI 3.2; empty for none. */
  readonly title: string;
  /** In Markdown; empty for none. */
  readonly description: string;
  /** As in the document: `nav`, `badge`, `audience` or any other word; empty for none. */
  readonly kind: string;
  /** The name of the tag that it lies under; undefined where there is none that can be. */
  readonly parent: string | undefined;
}

const known = new WeakMap<OpenApiDocument, ReadonlyMap<string, DeclaredTag>>();

/** The tags that a document declares, by their names, in its order. */
export function declaredTags(document: OpenApiDocument): ReadonlyMap<string, DeclaredTag> {
  const found = known.get(document) ?? readTags(document);
  known.set(document, found);
  return found;
}

function readTags(document: OpenApiDocument): ReadonlyMap<string, DeclaredTag> {
  const parents = parentNames(document);
  // Tags of a circle stand for themselves.
  for (const name of circularNames(parents)) parents.set(name, undefined);
  const tags = new Map<string, DeclaredTag>();
  for (const tag of listOf(document.tags)) {
    if (!isObject(tag) || typeof tag.name !== 'string') continue;
    const { name } = tag;
    const parent = parents.get(name);
    tags.set(name, {
      name,
      title: titleText(tag['x-displayName']) || titleText(tag.summary),
      description: textOf(tag.description),
      kind: textOf(tag.kind),
      parent: parent !== undefined && isPlace(parents, parent) ? parent : undefined,
    });
  }
  return tags;
}

/** How many tags lie in each other: what is deeper stands for itself. */
const MAX_DEPTH = 20;

/** Whether a tag is there for others to lie under it. */
function isPlace(parents: ReadonlyMap<string, string | undefined>, name: string): boolean {
  let depth = 1;
  for (let at = parents.get(name); at !== undefined && depth <= MAX_DEPTH; at = parents.get(at)) {
    depth += 1;
  }
  return parents.has(name) && depth <= MAX_DEPTH;
}

/** What each declared tag names as its parent, whether that exists or not. */
function parentNames({ tags }: OpenApiDocument): Map<string, string | undefined> {
  return new Map(
    listOf(tags).flatMap((tag) =>
      isObject(tag) && typeof tag.name === 'string'
        ? [[tag.name, typeof tag.parent === 'string' ? tag.parent : undefined] as const]
        : [],
    ),
  );
}

/** The tags that lie under themselves. Each tag is looked at once. */
function circularNames(parents: ReadonlyMap<string, string | undefined>): Set<string> {
  const circular = new Set<string>();
  const done = new Set<string>();
  for (const name of parents.keys()) {
    const way = new Set<string>();
    let at: string | undefined = name;
    for (; at !== undefined && !done.has(at) && !way.has(at); at = parents.get(at)) way.add(at);
    // Where the way meets itself, the rest of it is a circle.
    if (at !== undefined && way.has(at))
      for (const one of [...way].slice([...way].indexOf(at))) circular.add(one);
    for (const one of way) done.add(one);
  }
  return circular;
}

/** What is against OpenAPI 3.2 in how tags lie under each other. */
export function* tagProblems(document: OpenApiDocument): Generator<DocumentFinding> {
  const parents = parentNames(document);
  const circular = circularNames(parents);
  for (const [at, tag] of listOf(document.tags).entries()) {
    if (!isObject(tag) || typeof tag.name !== 'string' || typeof tag.parent !== 'string') continue;
    const path = toPointer(['tags', at, 'parent']);
    if (!parents.has(tag.parent)) {
      const message = `The tag \`${tag.name}\` lies under \`${tag.parent}\`, which \`tags\` doesn't have. Declare it there.`;
      yield { rule: 'structure', message, path };
    } else if (circular.has(tag.name)) {
      const message = `The tag \`${tag.name}\` lies under itself, through \`${tag.parent}\`. Take one \`parent\` of the circle away.`;
      yield { rule: 'structure', message, path };
    }
  }
}

const MARKS: readonly string[] = ['badge', 'audience'];

/** Whether a tag is a mark of operations, and no group of them. */
const isMark = (tag: DeclaredTag | undefined) => tag !== undefined && MARKS.includes(tag.kind);

/** The tag whose page lists an operation: the first that groups operations, otherwise its first one. */
export function sectionOf(
  document: OpenApiDocument,
  operation: Readonly<Record<string, unknown>>,
): string | undefined {
  const names = namesOf(operation);
  const tags = declaredTags(document);
  return names.find((name) => !isMark(tags.get(name))) ?? names[0];
}

/** The tags of an operation that mark it, besides the one whose page lists it. */
export function marksOf(
  document: OpenApiDocument,
  operation: Readonly<Record<string, unknown>>,
): DeclaredTag[] {
  const section = sectionOf(document, operation);
  const tags = declaredTags(document);
  return [...new Set(namesOf(operation))].flatMap((name) => {
    const tag = name === section ? undefined : tags.get(name);
    return tag !== undefined && isMark(tag) ? [tag] : [];
  });
}

/** What a mark says: `Beta`, `Audience: Partner`. */
export const markText = ({ kind, title, name }: DeclaredTag): string =>
  `${kind === 'audience' ? 'Audience: ' : ''}${title || titleText(name)}`;

const namesOf = ({ tags }: Readonly<Record<string, unknown>>): string[] =>
  listOf(tags).filter((name) => typeof name === 'string');

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
