import { count } from '@petstore/service/text.ts';
import { type BuildLog, type BuildProblem, boundedLog } from '../build-log.ts';
import { toPointer } from '../syntax/source.ts';
import { checkDocument } from './check-document.ts';
import type { DocumentFinding } from './document-finding.ts';
import type {
  CheckedDocument,
  OpenApiDocument,
  OperationSummary,
  PlaceOf,
} from './openapi-types.ts';
import { listOperations } from './operations.ts';
import { plainText } from './plain-text.ts';
import { readingFindings } from './reading-findings.ts';
import { markMissing } from './references.ts';
import { upgradeDocument } from './upgrade-document.ts';
import { type ReadingOptions, readWholeDocument } from './whole-document.ts';

/** What else a document is read and checked with. */
interface CheckingOptions extends ReadingOptions {
  /** Gets the document before it is checked, which takes a while, to begin what needs no more. */
  readonly onRead?: (document: OpenApiDocument) => void;
}

/**
 * Reads, checks and upgrades a document. `name` is the file's, which may tell its syntax; among `files` it is the path.
 * What is against the specification, and what readers do not see as it was written, is logged.
 */
export async function readCheckedDocument(
  bytes: Uint8Array,
  name: string,
  log: BuildLog,
  { files, onRead = () => {}, overlays = [] }: CheckingOptions = {},
): Promise<CheckedDocument | { readonly problems: readonly BuildProblem[] }> {
  const whole = await readWholeDocument(bytes, name, log, { files, overlays });
  if ('problems' in whole) return whole;
  log({ message: 'Checking the document' });
  const { syntax, document, own, placeOf, parts } = whole;
  onRead(document);
  const { canBeShown, findings: others } = await checkDocument(own, whole.told);
  const findings = [...whole.findings, ...others];
  const saysFile = files !== undefined || overlays.length > 0;
  if (!canBeShown) return { problems: problemsOf(findings, placeOf, saysFile) };

  log({ message: `The document is ${versionText(document)}` });
  const upgraded = upgradeDocument(own);
  markMissing(upgraded);
  const plain = plainText();
  const operations = listOperations(upgraded, plain);
  log({ message: found(operations) });
  const warn = findingLog(placeOf, log);
  for (const finding of findings) warn(finding);
  for (const path of plain.unread) warn({ rule: 'markdown', message: WITH_MARKS, path });
  for (const finding of readingFindings(upgraded)) warn(finding);
  return { syntax, document, upgraded, operations, placeOf, parts };
}

/** Of a document that cannot be shown what is wrong with it, as far as somebody reads it, by file and line. */
function problemsOf(
  findings: readonly DocumentFinding[],
  placeOf: PlaceOf,
  saysFile: boolean,
): BuildProblem[] {
  const problems: (BuildProblem & { readonly file: string })[] = [];
  const { log, end } = boundedLog((line) => {
    if (!('rule' in line)) return;
    const { message, file, path, line: at } = line;
    problems.push({ message, file, path, line: at });
  });
  const add = findingLog(placeOf, log);
  for (const finding of findings) add(finding);
  problems.sort((a, b) => compare(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0));
  end();
  return saysFile ? problems : problems.map(({ file: _, ...problem }) => problem);
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

/** Logs findings as warnings, with their places. */
function findingLog(placeOf: PlaceOf, log: BuildLog) {
  return ({ rule, message, path, place = placeOf(path), hint }: DocumentFinding) =>
    log({
      ...{ rule, message, file: place.file, path: place.pointer },
      get line() {
        return place.line;
      },
      get hint() {
        return hint?.((location) => placeOf(toPointer(location)).line);
      },
    });
}

function versionText({ swagger, openapi }: OpenApiDocument): string {
  return openapi === undefined ? `Swagger ${swagger}` : `OpenAPI ${openapi}`;
}

function found(operations: readonly OperationSummary[]): string {
  const tags = new Set(operations.flatMap(({ tag }) => (tag === undefined ? [] : [tag])));
  const webhooks = operations.filter(({ isWebhook }) => isWebhook).length;
  const also = webhooks > 0 ? ` and ${count(webhooks, 'webhook')}` : '';
  return `Found ${count(operations.length - webhooks, 'operation')}${also} in ${count(tags.size, 'tag')}`;
}

const WITH_MARKS =
  'The description has very many marks of Markdown (`*`, `_`, `[` …): the search shows it as it is written.';
