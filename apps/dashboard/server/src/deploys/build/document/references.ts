import { isObject } from '@petstore/reference/operations.ts';
import { nearest } from '../../../nearest.ts';
import { fromPointer, type Location, toPointer } from '../syntax/source.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import type { Finding } from './schema-problems.ts';

/** Members that hold objects by names of the author's own, which are no keywords. */
const MAPS = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'schemas'],
  ...['responses', 'parameters', 'requestBodies', 'headers', 'securitySchemes', 'links'],
  ...['securityDefinitions', 'callbacks', 'pathItems', 'paths', 'webhooks', 'content', 'encoding'],
  ...['variables', 'mapping', 'scopes'],
]);

/** Members that hold data, whatever it looks like. */
const DATA = new Set(['example', 'default', 'enum', 'const']);

interface Reference {
  readonly location: Location;
  readonly target: string;
}

interface Found {
  readonly references: readonly Reference[];
  /** Names that a reference may have instead of a pointer: `$anchor`, `$id`. */
  readonly names: ReadonlySet<string>;
}

/** All that are Reference Objects, or `$ref` in schemas; not what looks like one in examples. */
function findReferences(document: OpenApiDocument): Found {
  const references: Reference[] = [];
  const names = new Set<string>();
  const visit = (value: unknown, location: Location, isMap: boolean): void => {
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) visit(item, [...location, at], false);
      return;
    }
    if (!isObject(value)) return;
    for (const [name, member] of Object.entries(value)) {
      const here = [...location, name];
      if (isMap) visit(member, here, false);
      else if (name === '$ref' && typeof member === 'string') {
        references.push({ location: here, target: member });
      } else if (/^\$(?:dynamicAnchor|anchor)$/.test(name)) names.add(`#${member}`);
      else if (name === '$id') names.add(String(member));
      else if (name === 'examples') visitExamples(member, here);
      else if (!DATA.has(name) && !name.startsWith('x-')) visit(member, here, MAPS.has(name));
    }
  };
  /** Each is an Example Object, whose value is data, or refers to one. */
  const visitExamples = (examples: unknown, location: Location) => {
    for (const [name, example] of isObject(examples) ? Object.entries(examples) : []) {
      if (isObject(example) && typeof example.$ref === 'string' && isReferenceObject(example)) {
        references.push({ location: [...location, name, '$ref'], target: example.$ref });
      }
    }
  };
  visit(document, [], false);
  return { references, names };
}

function isReferenceObject(value: object): boolean {
  return Object.keys(value).every((name) => ['$ref', 'summary', 'description'].includes(name));
}

/** References to what isn't in the document. Nothing outside is ever fetched. */
export function* referenceProblems(document: OpenApiDocument): Generator<Finding> {
  const { references, names } = findReferences(document);
  for (const { location, target } of references) {
    if (names.has(target)) continue;
    const path = toPointer(location);
    if (!target.startsWith('#')) {
      yield {
        message: `\`${target}\` lies outside of this document, and nothing outside is fetched. Put it into \`components\` (a bundler such as \`redocly bundle\` does), and refer to it as \`#/components/…\`.`,
        path,
      };
    } else if (resolve(document, target) === undefined) {
      yield {
        message: `There is no \`${target}\` in this document.`,
        path,
        hint: () => nearTarget(document, target),
      };
    }
  }
}

/** What a reference of the form `#/…` refers to, through others on the way; undefined for nothing. */
function resolve(document: OpenApiDocument, target: string, left = 50): unknown {
  if (!/^#(?:\/|$)/.test(target) || left === 0) return undefined;
  let value: unknown = document;
  for (const token of fromPointer(decoded(target.slice(1)))) {
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

/** The reference that was probably meant, with the one part of it that is wrong put right. */
function nearTarget(document: OpenApiDocument, target: string): string | undefined {
  if (!target.startsWith('#/')) return undefined;
  const tokens = fromPointer(decoded(target.slice(1)));
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

/** Follows a value that is a reference to what is none; undefined when there is none. */
export function resolveReference(document: OpenApiDocument, value: unknown): unknown {
  let found = value;
  for (let left = 50; left > 0; left -= 1) {
    if (!isObject(found) || typeof found.$ref !== 'string') return found;
    found = resolve(document, found.$ref);
  }
  return undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
