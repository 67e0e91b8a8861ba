import { count } from '@petstore/service/text.ts';
import { upgrade } from '@scalar/openapi-upgrader';
import { type BuildLog, type BuildProblem, boundedLog } from '../build-log.ts';
import { fromPointer, toPointer } from '../syntax/source.ts';
import { bundleDocument } from './bundle/bundle-document.ts';
import type { FileFinder } from './bundle/referenced-files.ts';
import { checkDocument } from './check-document.ts';
import type {
  CheckedDocument,
  OpenApiDocument,
  OperationSummary,
  PlaceOf,
} from './openapi-types.ts';
import { listOperations } from './operations.ts';
import type { applyOverlays } from './overlays/apply-overlays.ts';
import type { OverlayFile } from './overlays/overlay-file.ts';
import { withOwnAddress } from './own-address.ts';
import { plainText } from './plain-text.ts';
import { keepProducedTypes } from './produced-types.ts';
import { type ReadDocument, readDocument } from './read-document.ts';
import { readingFindings } from './reading-findings.ts';
import { markMissing } from './references.ts';
import type { DocumentFinding } from './schema-problems.ts';
import { withVersionText } from './version.ts';

/** What else a document is read with. */
interface ReadingOptions {
  /** The files that it may refer to: it is read as one document with them. None where it was sent alone. */
  readonly files?: FileFinder;
  /** Gets the document before it is checked, which takes a while, to begin what needs no more. */
  readonly onRead?: (document: OpenApiDocument) => void;
  /** Applied to the document in their order, before anything else is done with it. */
  readonly overlays?: readonly OverlayFile[];
}

/**
 * Reads, checks and upgrades a document. `name` is the file's, which may tell its syntax; among `files` it is the path.
 * What is against the specification, and what readers do not see as it was written, is logged.
 */
export async function readCheckedDocument(
  bytes: Uint8Array,
  name: string,
  log: BuildLog,
  { files, onRead = () => {}, overlays = [] }: ReadingOptions = {},
): Promise<CheckedDocument | { readonly problems: readonly BuildProblem[] }> {
  log({ message: `Reading ${size(bytes.length)}` });
  const read = readDocument(bytes, name);
  if ('problem' in read) return { problems: [inFile(read.problem, name, files)] };
  const { syntax } = read;
  log({ message: `Read ${syntax}` });
  const whole = files
    ? bundleDocument(read, { file: name, bytes: bytes.length }, files)
    : undefined;
  if (whole && 'problem' in whole) return { problems: [inFile(whole.problem, name, files)] };
  if (whole && whole.files.length > 0)
    log({
      message: `Read ${count(whole.files.length, 'file')} that it refers to: ${size(whole.bytes)} in all`,
    });

  const first = {
    document: whole?.document ?? read.value,
    placeOf: whole?.placeOf ?? placesIn(read, name),
  };
  const laid = overlays.length === 0 ? first : await withOverlays(first, overlays, log);
  if ('problems' in laid) return laid;

  log({ message: 'Checking the document' });
  const { document, findings: ofVersion } = withVersionText(laid.document);
  onRead(document);
  const own = withOwnAddress(document);
  const { canBeShown, findings: others } = await checkDocument(own, whole?.told);
  const findings = [...ofVersion, ...(whole?.findings ?? []), ...others];
  const { placeOf } = laid;
  const saysFile = whole !== undefined || overlays.length > 0;
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
  return { syntax, document, upgraded, operations, placeOf, parts: whole?.files ?? [] };
}

/** Loaded where there are overlays: most documents have none. */
async function withOverlays(...given: Parameters<typeof applyOverlays>) {
  const { applyOverlays } = await import('./overlays/apply-overlays.ts');
  return applyOverlays(...given);
}

/** A problem of one of several files says which. */
const inFile = (
  problem: BuildProblem,
  file: string,
  files: FileFinder | undefined,
): BuildProblem => (files ? { ...problem, file } : problem);

/** The places of a document in a file of its own. */
function placesIn({ lineOf }: ReadDocument, file: string): PlaceOf {
  return (pointer) => ({
    ...{ file, pointer },
    get line() {
      return lineOf(fromPointer(pointer));
    },
  });
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
