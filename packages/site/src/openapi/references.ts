import { nearest } from '@petstore/service/nearest.ts';
import { count } from '@petstore/service/text.ts';
import { decodeUri } from '../syntax/decode-uri.ts';
import { fromPointer, type Location, toPointer, valueAt } from '../syntax/source.ts';
import type { DocumentFinding } from './document-finding.ts';
import { forEachKeyword } from './keywords.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import { isObject, textOf } from './openapi-types.ts';

interface Reference {
  readonly location: Location;
  readonly target: string;
}

interface Found {
  readonly references: readonly Reference[];
  /** Names that a reference may have instead of a pointer: `$anchor`, `$id`. */
  readonly names: ReadonlySet<string>;
}

/** All Reference Objects, and each `$ref` in schemas, but not what looks like one in examples. */
function findReferences(document: OpenApiDocument): Found {
  const references: Reference[] = [];
  const names = new Set<string>();
  /** Each is an Example Object, whose value is data, or refers to one. */
  const visitExamples = (examples: unknown, location: Location) => {
    for (const [name, example] of isObject(examples) ? Object.entries(examples) : []) {
      if (isObject(example) && typeof example.$ref === 'string' && isReferenceObject(example)) {
        references.push({ location: [...location, name, '$ref'], target: example.$ref });
      }
    }
  };
  forEachKeyword(document, (name, member, location) => {
    if (name === '$ref' && typeof member === 'string') {
      references.push({ location, target: member });
    } else if (/^\$(?:dynamicAnchor|anchor)$/.test(name)) names.add(`#${member}`);
    else if (name === '$id') names.add(String(member));
    else if (name === 'examples') visitExamples(member, location);
  });
  return { references, names };
}

function isReferenceObject(value: object): boolean {
  return Object.keys(value).every((name) => ['$ref', 'summary', 'description'].includes(name));
}

/** References that lead to nothing in the document. Nothing outside of it is ever fetched. */
export interface MissingReferences {
  readonly inside: readonly Reference[];
  /** To other files and hosts. */
  readonly outside: readonly Reference[];
}

export function missingReferences(document: OpenApiDocument): MissingReferences {
  const { references, names } = findReferences(document);
  const open = references.filter(({ target }) => !names.has(target));
  return {
    inside: open.filter(
      ({ target }) => target.startsWith('#') && resolve(document, target) === undefined,
    ),
    outside: open.filter(({ target }) => !target.startsWith('#')),
  };
}

/** More than these are told as one. */
const MAX_OUTSIDE = 5;

const TOGETHER =
  'Deploy it together with its files: `dashboard deploy openapi.yaml` takes along the files that a document refers to, and a folder or an archive may have them.';

/** What to say of references that lead to nothing, but for those with a pointer in `told`. */
export function* referenceProblems(
  document: OpenApiDocument,
  missing: MissingReferences,
  told: ReadonlySet<string>,
): Generator<DocumentFinding> {
  const isNew = ({ location }: Reference) => !told.has(toPointer(location));
  const [inside, outside] = [missing.inside.filter(isNew), missing.outside.filter(isNew)];
  const [first] = outside;
  if (first && outside.length > MAX_OUTSIDE) {
    const files = new Set(outside.map(({ target }) => target.replace(/#.*$/, '')));
    yield {
      rule: 'missing-reference',
      message: `The document refers to ${count(files.size, 'other file')} in ${outside.length} places, here to \`${first.target}\`. ${TOGETHER}`,
      path: toPointer(first.location),
    };
  } else {
    for (const { location, target } of outside) {
      yield {
        rule: 'missing-reference',
        message: `\`${target}\` lies outside of this document, and nothing outside is fetched. ${TOGETHER}`,
        path: toPointer(location),
      };
    }
  }
  for (const { location, target } of inside) {
    yield {
      rule: 'missing-reference',
      message: `There is no \`${target}\` in this document.`,
      path: toPointer(location),
      hint: () => nearTarget(document, target),
    };
  }
}

/**
 * Puts a word in place of each reference that leads to nothing, so that pages show that something is missing. Changes the
 * document.
 */
export function markMissing(document: OpenApiDocument): void {
  const { inside, outside } = missingReferences(document);
  for (const { location, target } of [...inside, ...outside]) {
    const holder = valueAt(document, location.slice(0, -1));
    if (!isObject(holder)) continue;
    const said = textOf(holder.description);
    delete holder.$ref;
    holder.description = `${said && `${said}\n\n`}Not in the document: \`${target}\``;
  }
}

/** The target of a reference of the form `#/…`, through other references on the way; undefined where there is none. */
function resolve(document: OpenApiDocument, target: string, left = 50): unknown {
  if (!/^#(?:\/|$)/.test(target) || left === 0) return undefined;
  let value: unknown = document;
  for (const token of fromPointer(decodeUri(target.slice(1)))) {
    if (isObject(value) && !Object.hasOwn(value, token) && typeof value.$ref === 'string') {
      value = resolve(document, value.$ref, left - 1);
    }
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) {
      return undefined;
    }
    value = (value as Record<string, unknown>)[token];
  }
  return value;
}

/** The reference that was probably meant: the same, with its one wrong part corrected. */
export function nearTarget(document: OpenApiDocument, target: string): string | undefined {
  if (!target.startsWith('#/')) return undefined;
  const tokens = fromPointer(decodeUri(target.slice(1)));
  let value: unknown = document;
  for (const [at, token] of tokens.entries()) {
    if (!isObject(value)) return undefined;
    if (!Object.hasOwn(value, token)) {
      const near = nearest(token, Object.keys(value));
      if (near === undefined) return undefined;
      const meant = `#${toPointer(tokens.with(at, near))}`;
      return resolve(document, meant) === undefined ? undefined : `Did you mean \`${meant}\`?`;
    }
    value = value[token];
  }
  return undefined;
}

/** Follows a reference, and references to references, to the value itself; undefined when there is none. */
export function resolveReference(document: OpenApiDocument, value: unknown): unknown {
  let found = value;
  for (let left = 50; left > 0; left -= 1) {
    if (!isObject(found) || typeof found.$ref !== 'string') return found;
    found = resolveOnce(document, found.$ref);
  }
  return undefined;
}

const resolved = new WeakMap<OpenApiDocument, Map<string, unknown>>();

/** The target of a reference. Thousands of operations refer to the same, so each is looked up once in a document. */
function resolveOnce(document: OpenApiDocument, target: string): unknown {
  const known = resolved.get(document) ?? new Map<string, unknown>();
  resolved.set(document, known);
  if (known.has(target)) return known.get(target);
  const found = resolve(document, target);
  known.set(target, found);
  return found;
}

/** The name of the model that a reference of the form `#/components/schemas/Pet` leads to; otherwise undefined. */
export function modelName(target: unknown): string | undefined {
  if (typeof target !== 'string' || !target.startsWith('#/components/schemas/')) return undefined;
  const [, , name, ...rest] = fromPointer(decodeUri(target.slice(1)));
  return rest.length === 0 ? name : undefined;
}
