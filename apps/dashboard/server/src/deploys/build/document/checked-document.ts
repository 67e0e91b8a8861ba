import { ignoredFields } from '@petstore/reference/extension-fields.ts';
import { upgrade } from '@scalar/openapi-upgrader';
import type { BuildLog, DeployProblem } from '../../artifact.ts';
import { fromPointer } from '../syntax/json-pointer.ts';
import type { CheckedDocument, OpenApiDocument, OperationSummary } from './openapi-types.ts';
import { findOperations, listOperations } from './operations.ts';
import { pathProblems } from './path-problems.ts';
import { plainText } from './plain-text.ts';
import { type ReadDocument, readDocument } from './read-document.ts';
import { referenceProblems } from './references.ts';
import { type Finding, schemaProblems } from './schema-problems.ts';
import { typeProblems } from './type-problems.ts';
import { versionOf } from './version.ts';

/**
 * Reads, checks and upgrades a document. `name` is the file's, which may tell its syntax. Harmless oddities are logged.
 */
export async function readCheckedDocument(
  bytes: Uint8Array,
  name: string,
  log: BuildLog,
): Promise<CheckedDocument | { readonly problems: readonly DeployProblem[] }> {
  log({ level: 'info', step: 'parse', message: `Reading ${size(bytes.length)}` });
  const read = readDocument(bytes, name);
  if ('problem' in read) return { problems: [read.problem] };
  log({ level: 'info', message: `Read ${read.syntax}` });

  log({ level: 'info', step: 'check', message: 'Checking the document' });
  const problems = await checkDocument(read);
  if (problems.length > 0) return { problems };
  const { value: document, syntax } = read;

  log({ level: 'info', step: 'upgrade', message: `The document is ${versionText(document)}` });
  const upgraded = upgradeDocument(document);
  const plain = plainText();
  const operations = listOperations(upgraded, plain);
  log({ level: 'info', message: found(operations) });
  if (plain.unread > 0) log({ level: 'warning', message: withMarks(plain.unread) });
  warnOfMarks(upgraded, log);
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

function withMarks(unread: number): string {
  return `${count(unread, 'description')} of operations have very many marks of Markdown (\`*\`, \`_\`, \`[\` …): the search shows them as they are written`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

const MAX_WARNINGS = 20;

function warnOfMarks(document: OpenApiDocument, log: BuildLog): void {
  const warnings = [...findOperations(document)].flatMap(({ method, path, operation }) =>
    ignoredFields(operation).map(
      ({ field, takes }) => `${method} ${path}: \`${field}\` is ignored, since it takes ${takes}`,
    ),
  );
  for (const message of warnings.slice(0, MAX_WARNINGS)) log({ level: 'warning', message });
  const more = warnings.length - MAX_WARNINGS;
  if (more > 0) log({ level: 'warning', message: `And ${more} more warnings of the same kind` });
}

/** Nobody would read more; the rest is counted, as far as it is collected. */
const MAX_PROBLEMS = 50;

/** How many are collected. */
const MAX_FINDINGS = 5_000;

/** The problems that prevent the publication of a document. */
async function checkDocument({ value, lineOf }: ReadDocument): Promise<DeployProblem[]> {
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
  const count = findings.length < MAX_FINDINGS ? `${more} more` : 'thousands of other';
  return [
    ...problems,
    { message: `And ${count} problems of the same document.`, path: '', line: null },
  ];
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

/** The document in OpenAPI 3.1, with every digit. The given document stays as it is. */
export function upgradeDocument(document: OpenApiDocument): OpenApiDocument {
  return upgrade(copy(document) as Record<string, unknown>, '3.1') as unknown as OpenApiDocument;
}

/** A copy, since the upgrade changes it. The upgrade would take `__proto__` for a prototype. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== '__proto__')
      .map(([name, member]) => [name, copy(member)]),
  );
}
