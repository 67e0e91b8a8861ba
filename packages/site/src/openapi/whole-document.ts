import { count } from '@petstore/service/text.ts';
import type { BuildLog, BuildProblem } from '../build-log.ts';
import { fromPointer, type Syntax } from '../syntax/source.ts';
import { bundleDocument } from './bundle/bundle-document.ts';
import type { FileFinder } from './bundle/referenced-files.ts';
import type { DocumentFinding } from './document-finding.ts';
import type { OpenApiDocument, PlaceOf } from './openapi-types.ts';
import type { applyOverlays } from './overlays/apply-overlays.ts';
import type { OverlayFile } from './overlays/overlay-file.ts';
import { withOwnAddress } from './own-address.ts';
import { type ReadDocument, readDocument } from './read-document.ts';
import { withVersionText } from './version.ts';

/** What else a document is read with. */
export interface ReadingOptions {
  /** The files that it may refer to: it is read as one document with them. None where it was sent alone. */
  readonly files?: FileFinder | undefined;
  /** Applied to the document in their order, before anything else is done with it. */
  readonly overlays?: readonly OverlayFile[];
  /** The document, where it was parsed already. */
  readonly read?: ReadDocument | undefined;
}

/** A document in one piece, of which nothing is checked. */
export interface WholeDocument {
  readonly syntax: Syntax;
  /** With its overlays, and with its version as text. */
  readonly document: OpenApiDocument;
  /** The same, where references that name it by its own address are references within it. */
  readonly own: OpenApiDocument;
  readonly placeOf: PlaceOf;
  /** What is wrong with its version, and with references. */
  readonly findings: readonly DocumentFinding[];
  /** The pointers of references that lead to nothing, which the findings tell. */
  readonly told: ReadonlySet<string>;
  /** The paths of the other files that it was made of. */
  readonly parts: readonly string[];
}

/**
 * Reads a document with the files that it refers to, and applies its overlays. `name` is the file's, which may tell its
 * syntax; among `files` it is the path.
 */
export async function readWholeDocument(
  bytes: Uint8Array,
  name: string,
  log: BuildLog,
  { files, overlays = [], read: given }: ReadingOptions = {},
): Promise<WholeDocument | { readonly problems: readonly BuildProblem[] }> {
  log({ message: `Reading ${size(bytes.length)}` });
  const read = given ?? readDocument(bytes, name);
  if ('problem' in read) return { problems: [inFile(read.problem, name, files)] };
  log({ message: `Read ${read.syntax}` });
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

  const { document, findings } = withVersionText(laid.document);
  return {
    ...{ syntax: read.syntax, document, own: withOwnAddress(document), placeOf: laid.placeOf },
    findings: [...findings, ...(whole?.findings ?? [])],
    told: whole?.told ?? new Set(),
    parts: whole?.files ?? [],
  };
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

/** `212 kB`, of 1,000 bytes each. */
function size(bytes: number): string {
  if (bytes < 1_000) return count(bytes, 'byte');
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
