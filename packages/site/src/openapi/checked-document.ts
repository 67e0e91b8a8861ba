import { count } from '@petstore/service/text.ts';
import { upgrade } from '@scalar/openapi-upgrader';
import { type BuildLog, type BuildProblem, boundedLog } from '../build-log.ts';
import { fromPointer } from '../syntax/source.ts';
import { checkDocument } from './check-document.ts';
import type { CheckedDocument, OpenApiDocument, OperationSummary } from './openapi-types.ts';
import { listOperations } from './operations.ts';
import { withOwnAddress } from './own-address.ts';
import { plainText } from './plain-text.ts';
import { keepProducedTypes } from './produced-types.ts';
import { type ReadDocument, readDocument } from './read-document.ts';
import { readingFindings } from './reading-findings.ts';
import { markMissing } from './references.ts';
import type { DocumentFinding } from './schema-problems.ts';
import { withVersionText } from './version.ts';

/**
 * Reads, checks and upgrades a document. `name` is the file's, which may tell its syntax. What is against the
 * specification, and what readers do not see as it was written, is logged. `onRead` gets the document before it is
 * checked, which takes a while, to begin what needs no more.
 */
export async function readCheckedDocument(
  bytes: Uint8Array,
  name: string,
  log: BuildLog,
  onRead: (document: OpenApiDocument) => void = () => {},
): Promise<CheckedDocument | { readonly problems: readonly BuildProblem[] }> {
  log({ message: `Reading ${size(bytes.length)}` });
  const read = readDocument(bytes, name);
  if ('problem' in read) return { problems: [read.problem] };
  log({ message: `Read ${read.syntax}` });

  log({ message: 'Checking the document' });
  const { document, findings: ofVersion } = withVersionText(read.value);
  onRead(document);
  const own = withOwnAddress(document);
  const { canBeShown, findings: others } = await checkDocument(own);
  const findings = [...ofVersion, ...others];
  if (!canBeShown) return { problems: problemsOf(read, findings) };
  const { syntax, lineOf } = read;

  log({ message: `The document is ${versionText(document)}` });
  const upgraded = upgradeDocument(own);
  markMissing(upgraded);
  const plain = plainText();
  const operations = listOperations(upgraded, plain);
  log({ message: found(operations) });
  const warn = findingLog(read, name, log);
  for (const finding of findings) warn(finding);
  for (const path of plain.unread) warn({ rule: 'markdown', message: WITH_MARKS, path });
  for (const finding of readingFindings(upgraded)) warn(finding);
  return { syntax, document, upgraded, operations, file: name, lineOf };
}

/** Of a document that cannot be shown what is wrong with it, as far as somebody reads it, by line. */
function problemsOf(read: ReadDocument, findings: readonly DocumentFinding[]): BuildProblem[] {
  const problems: BuildProblem[] = [];
  const { log, end } = boundedLog((line) => {
    if ('rule' in line) problems.push({ message: line.message, path: line.path, line: line.line });
  });
  const add = findingLog(read, '', log);
  for (const finding of findings) add(finding);
  problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  end();
  return problems;
}

/** Logs findings as warnings, with their lines. */
function findingLog({ lineOf }: ReadDocument, file: string, log: BuildLog) {
  return ({ rule, message, path, hint }: DocumentFinding) =>
    log({
      ...{ rule, message, file, path },
      get line() {
        return lineOf(fromPointer(path));
      },
      get hint() {
        return hint?.(lineOf);
      },
    });
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

const WITH_MARKS =
  'The description has very many marks of Markdown (`*`, `_`, `[` …): the search shows it as it is written.';

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
  keepProducedTypes(document, named as OpenApiDocument);
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
