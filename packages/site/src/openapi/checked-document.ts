import { nearest } from '@petstore/service/nearest.ts';
import { count } from '@petstore/service/text.ts';
import { upgrade } from '@scalar/openapi-upgrader';
import { type BuildLog, type BuildProblem, problemOf } from '../build-log.ts';
import { fromPointer, toPointer } from '../syntax/source.ts';
import { ignoredFields } from './extension-fields.ts';
import { METHODS } from './methods.ts';
import type { CheckedDocument, OpenApiDocument, OperationSummary } from './openapi-types.ts';
import { isObject } from './openapi-types.ts';
import { findOperations, listOperations, placeOf } from './operations.ts';
import { plainText } from './plain-text.ts';
import { type ReadDocument, readDocument, typeNameOf } from './read-document.ts';
import { referenceProblems, resolveReference } from './references.ts';
import { type Finding, misspellingHint, schemaProblems } from './schema-problems.ts';
import { isLongTitle, MAX_TITLE } from './title-text.ts';
import { typeProblems } from './type-problems.ts';

/**
 * Reads, checks and upgrades a document. `name` is the file's, which may tell its syntax. Harmless oddities are logged.
 */
export async function readCheckedDocument(
  bytes: Uint8Array,
  name: string,
  log: BuildLog,
): Promise<CheckedDocument | { readonly problems: readonly BuildProblem[] }> {
  log({ level: 'info', message: `Reading ${size(bytes.length)}` });
  const read = readDocument(bytes, name);
  if ('problem' in read) return { problems: [read.problem] };
  log({ level: 'info', message: `Read ${read.syntax}` });

  log({ level: 'info', message: 'Checking the document' });
  const problems = await checkDocument(read);
  if (problems.length > 0) return { problems };
  const { value: document, syntax } = read;

  log({ level: 'info', message: `The document is ${versionText(document)}` });
  const upgraded = upgradeDocument(document);
  const plain = plainText();
  const operations = listOperations(upgraded, plain);
  log({ level: 'info', message: found(operations) });
  if (plain.unread.length > 0) log({ level: 'warning', message: withMarks(plain.unread) });
  warnInPart(ignoredMarks(upgraded), log);
  warnInPart(longTitles(upgraded), log);
  return { syntax, document, upgraded, operations };
}

function versionText({ swagger, openapi }: OpenApiDocument): string {
  return openapi === undefined ? `Swagger ${swagger}` : `OpenAPI ${openapi}`;
}

/** `212 kB`, of 1,000 bytes each. */
function size(bytes: number): string {
  if (bytes < 1_000) return count(bytes, 'byte');
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function found(operations: readonly OperationSummary[]): string {
  const tags = new Set(operations.flatMap(({ tag }) => (tag === undefined ? [] : [tag])));
  const webhooks = operations.filter(({ isWebhook }) => isWebhook).length;
  const also = webhooks > 0 ? ` and ${count(webhooks, 'webhook')}` : '';
  return `Found ${count(operations.length - webhooks, 'operation')}${also} in ${count(tags.size, 'tag')}`;
}

function withMarks(places: readonly string[]): string {
  const [first] = places;
  const marks = 'very many marks of Markdown (`*`, `_`, `[` …): the search shows';
  return places.length === 1
    ? `${first}: The description has ${marks} it as it is written`
    : `${places.length} descriptions of operations have ${marks} them as they are written. The first is at ${first}`;
}

const MAX_WARNINGS = 20;

const ignoredMarks = (document: OpenApiDocument) =>
  [...findOperations(document)].flatMap(({ method, path, operation }) =>
    ignoredFields(operation).map(
      ({ field, takes }) => `${method} ${path}: \`${field}\` is ignored, since it takes ${takes}`,
    ),
  );

/** Titles that are cut, in the document, its tags and its operations. */
function longTitles(document: OpenApiDocument): string[] {
  const { info, tags } = document;
  const cut = (place: string) =>
    `${place}: It is longer than ${MAX_TITLE} letters: titles and lists show its beginning`;
  return [
    ...(isObject(info) && isLongTitle(info.title) ? [cut('/info/title')] : []),
    ...(Array.isArray(tags) ? tags : []).flatMap((tag, at) =>
      isObject(tag) && isLongTitle(tag.name) ? [cut(toPointer(['tags', at, 'name']))] : [],
    ),
    ...[...findOperations(document)].flatMap((found) =>
      !found.isWebhook && isLongTitle(found.operation.summary)
        ? [cut(`${placeOf(found)}/summary`)]
        : [],
    ),
  ];
}

/** Nobody would read more than `MAX_WARNINGS` of a kind. */
function warnInPart(warnings: readonly string[], log: BuildLog): void {
  for (const message of warnings.slice(0, MAX_WARNINGS)) log({ level: 'warning', message });
  const more = warnings.length - MAX_WARNINGS;
  if (more > 0) log({ level: 'warning', message: `And ${more} more warnings of the same kind` });
}

/** Nobody would read more; the rest is counted, as far as it is collected. */
const MAX_PROBLEMS = 50;

/** How many are collected. */
const MAX_FINDINGS = 5_000;

/** The problems that prevent the publication of a document. */
async function checkDocument({ value, lineOf }: ReadDocument): Promise<BuildProblem[]> {
  const version = versionOf(value);
  const findings =
    typeof version === 'object'
      ? [version]
      : firstOf(
          await schemaProblems(value),
          version === '3.1' ? typeProblems(value) : [],
          referenceProblems(value),
          pathProblems(value),
        );
  const unique = [...new Map(findings.map((one) => [`${one.path} ${one.message}`, one])).values()];
  const problems = unique
    .slice(0, MAX_PROBLEMS)
    .map(({ message, path, hint }) => ({
      message: [message, hint?.(lineOf)].filter(Boolean).join(' '),
      path,
      line: lineOf(fromPointer(path)),
    }))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const more = unique.length - problems.length;
  if (more <= 0) return problems;
  const rest = findings.length < MAX_FINDINGS ? `${more} more` : 'thousands of other';
  return [...problems, problemOf(`And ${rest} problems of the same document.`)];
}

/** The first findings, in their order, up to the limit. */
function firstOf(...finders: readonly Iterable<Finding>[]): Finding[] {
  const first: Finding[] = [];
  for (const findings of finders) {
    for (const finding of findings) {
      if (first.length === MAX_FINDINGS) return first;
      first.push(finding);
    }
  }
  return first;
}

/** The upgrade would take a member of this name for a prototype: it gets another one meanwhile, which no author writes. */
const PROTO = '__proto__';
const STAND_IN = `${PROTO}\ud800`;

/** The document in OpenAPI 3.1, with every digit. The given document stays as it is. */
export function upgradeDocument(document: OpenApiDocument): OpenApiDocument {
  let isRenamed = false;
  const input = copy(document, (name) => {
    if (name !== PROTO) return name;
    isRenamed = true;
    return STAND_IN;
  });
  const upgraded = upgrade(input as Record<string, unknown>, '3.1');
  const named = isRenamed ? copy(upgraded, (name) => (name === STAND_IN ? PROTO : name)) : upgraded;
  return named as OpenApiDocument;
}

/** A copy, since the upgrade changes it, with the members' names that `rename` gives. */
function copy(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => copy(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  // Not by assignment, which would set a prototype.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [rename(name), copy(member, rename)]),
  );
}

type Version = '2.0' | '3.0' | '3.1';

const SUPPORTED = 'Swagger 2.0, OpenAPI 3.0 and OpenAPI 3.1 can be published';

/** The OpenAPI version of a document, or the problem with its version member. */
export function versionOf(document: OpenApiDocument): Version | Finding {
  const { swagger, openapi } = document;
  if (openapi === undefined && swagger === undefined) {
    return {
      message: `The document doesn't say its version. ${SUPPORTED}: begin with \`openapi: 3.1.0\`, for one.`,
      path: '',
      hint: (lineOf) => {
        for (const name of Object.keys(document)) {
          const meant = nearest(name, ['openapi', 'swagger']);
          if (meant !== undefined) return misspellingHint(name, [name], lineOf, meant);
        }
        return undefined;
      },
    };
  }
  const [name, value] = openapi === undefined ? ['swagger', swagger] : ['openapi', openapi];
  const path = `/${name}`;
  if (typeof value !== 'string') {
    return {
      message: `\`${name}\` must be text; it is ${typeNameOf(value)}. Put it in quotes.`,
      path,
    };
  }
  if (name === 'swagger' && value === '2.0') return '2.0';
  const [, minor] =
    /^3\.([01])(?:\.\d+)?(?:-\w[\w.]*)?$/.exec(name === 'openapi' ? value : '') ?? [];
  if (minor !== undefined) return minor === '0' ? '3.0' : '3.1';
  return { message: `\`${name}\` is ${value}. ${SUPPORTED}.`, path };
}

/** Parameters of a path. Each ends before the next one begins, or many braces would take quadratic time. */
const PARAMETERS = /\{([^{}]*)\}/g;

/** Finds operations with the same id, paths that no request can tell apart, and missing path parameters. */
function* pathProblems(document: OpenApiDocument): Generator<Finding> {
  const shapes = new Map<string, string>();
  const ids = new Map<string, string>();
  const { paths, webhooks } = document;
  for (const [part, items] of Object.entries({ paths, webhooks })) {
    if (!isObject(items)) continue;
    for (const [path, value] of Object.entries(items)) {
      if (part === 'paths') {
        const shape = path.replace(PARAMETERS, '{}');
        const before = shapes.get(shape);
        shapes.set(shape, before ?? path);
        if (before !== undefined) {
          yield {
            message: `No request can tell \`${path}\` from \`${before}\`, which is here too. Keep one of the two.`,
            path: toPointer([part, path]),
          };
        }
      }
      const item = resolveReference(document, value);
      if (!isObject(item)) continue;
      for (const method of METHODS) {
        const operation = item[method];
        if (!isObject(operation)) continue;
        const location = [part, path, method];
        const { operationId } = operation;
        if (typeof operationId === 'string') {
          const first = ids.get(operationId);
          ids.set(operationId, first ?? `${method.toUpperCase()} ${path}`);
          if (first !== undefined) {
            yield {
              message: `\`operationId\` must be unique; ${first} has \`${operationId}\` too.`,
              path: toPointer([...location, 'operationId']),
            };
          }
        }
        if (part !== 'paths') continue;
        const described = parameterNames(document, item, operation);
        for (const [, name = ''] of path.matchAll(PARAMETERS)) {
          if (described.has(name)) continue;
          yield {
            message: `\`${path}\` has the parameter \`{${name}}\`, which must be described in \`parameters\` with \`in: path\` and \`name: ${name}\`.`,
            path: toPointer(location),
          };
        }
      }
    }
  }
}

function parameterNames(
  document: OpenApiDocument,
  ...holders: readonly Record<string, unknown>[]
): Set<unknown> {
  return new Set(
    holders
      .flatMap(({ parameters }) => (Array.isArray(parameters) ? parameters : []))
      .map((parameter) => resolveReference(document, parameter))
      .filter(isObject)
      .filter((parameter) => parameter.in === 'path')
      .map(({ name }) => name),
  );
}
