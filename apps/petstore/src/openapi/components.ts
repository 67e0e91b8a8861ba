import { STATUS_CODES } from '@petstore/http/node-http.ts';
import type { OpenAPIV3_1 } from 'openapi-types';

type Members = Record<string, unknown>;

interface Operation {
  readonly tags?: readonly string[];
  readonly 'x-required-scopes'?: readonly string[];
  readonly parameters?: { name: string }[];
  readonly responses: Record<string, Response>;
}

interface Response {
  readonly headers?: Members;
  readonly content?: Record<string, { readonly examples?: object }>;
}

/** A part of the document in its place: `holder[key]`. */
interface Use {
  readonly holder: Members;
  readonly key: string;
  /** The preferred name of the part. */
  readonly name: string;
  /** Qualifiers that tell parts of one name apart, the best first: one may be appended to the name. */
  readonly qualifiers: readonly string[];
}

/**
 * Moves responses, headers and parameters that several operations have in the same words to the components. A reference
 * replaces each, so `paths` is changed. Returns the components.
 */
export function extractComponents(paths: OpenAPIV3_1.PathsObject): Record<string, Members> {
  const operations = Object.values(paths).flatMap((methods) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
      ...operation,
      qualifiers: [operation.tags, operation['x-required-scopes'], [method]].map(String),
    })),
  );
  // Headers first, so that responses are compared with references to them.
  const headers = operations.flatMap(({ responses, qualifiers }) =>
    Object.values(responses).flatMap(({ headers = {} }) =>
      Object.keys(headers).map((key) => ({ holder: headers, key, name: key, qualifiers })),
    ),
  );
  const parameters = operations.flatMap(({ parameters = [], qualifiers }) =>
    parameters.map(({ name }, index) => ({
      ...{ holder: parameters as unknown as Members, key: String(index), name, qualifiers },
    })),
  );
  const responses = operations.flatMap(({ responses, qualifiers }) =>
    Object.entries(responses).map(([key, response]) => ({
      ...{ holder: responses, key, name: nameOf(key, response), qualifiers },
    })),
  );
  return {
    headers: share('headers', headers),
    parameters: share('parameters', parameters),
    responses: share('responses', responses),
  };
}

/** `NotModified` for a 304, `NotModifiedWithLink` for that of a page, `InvalidRequest` for an error of that code. */
function nameOf(status: string, { content, headers = {} }: Response): string {
  const codes = Object.keys(content?.['application/json']?.examples ?? {});
  return codes.length > 0
    ? codes.map(pascalCase).join('Or')
    : pascalCase(`${STATUS_CODES[status] ?? status}${'Link' in headers ? ' with Link' : ''}`);
}

function pascalCase(words: string): string {
  return words
    .split(/\W+|_/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** Shares a part that occurs in more than one place. */
function share(kind: string, uses: readonly Use[]): Members {
  const equal = [...Map.groupBy(uses, ({ holder, key }) => textOf(holder[key])).values()];
  const repeated = equal.filter(({ length }) => length > 1);
  const components: Members = {};
  for (const [name, variants] of Map.groupBy(repeated, ([first]) => first?.name ?? '')) {
    for (const [index, places] of variants.entries()) {
      const ownName = namesOf(name, variants)[index];
      if (ownName === undefined) continue;
      for (const { holder, key } of places) {
        components[ownName] ??= holder[key];
        holder[key] = { $ref: `#/components/${kind}/${ownName}` };
      }
    }
  }
  return components;
}

/**
 * Names for parts that want the same one, with the first qualifier that tells them all apart; one that stands for
 * several values goes without. Where there is no such qualifier, the first part gets the name, and the others get none.
 */
function namesOf(name: string, variants: readonly Use[][]): (string | undefined)[] {
  if (variants.length === 1) return [name];
  for (const which of [0, 1, 2]) {
    const found = variants.map((uses) => new Set(uses.map((use) => use.qualifiers[which] ?? '')));
    const single = found.filter(({ size }) => size === 1).flatMap((values) => [...values]);
    const several = found.length - single.length;
    if (several > 1 || new Set(single).size < single.length) continue;
    return found.map((values) => (values.size > 1 ? name : name + pascalCase([...values].join())));
  }
  return [name];
}

/** Equal parts give the same text. */
function textOf(part: unknown): string {
  return JSON.stringify(part, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value));
}
