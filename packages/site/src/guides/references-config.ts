import { isMap, isScalar, type Node } from 'yaml';
import type { SourceFiles } from '../build-log.ts';
import { segment } from '../reference/addresses.ts';
import { type ConfigReader, fileOf } from './config-reader.ts';
import { overlaysOf } from './overlays-config.ts';

/** An OpenAPI document that a configuration names. */
export interface ConfigReference {
  /** Its path in the archive. */
  readonly file: string;
  /** The overlays that are applied to it, by their paths in the archive, in their order. */
  readonly overlays: readonly string[];
  /** `payments`, of `/reference/payments`; undefined for the only document, by `openapi`. */
  readonly address: string | undefined;
  /** What the API is called; undefined for the document's own title. */
  readonly title: string | undefined;
  /** What the list of APIs says of it; undefined for what the document says. */
  readonly description: string | undefined;
}

/** Each is read whole, and stands in the list of each page. */
const MAX_REFERENCES = 50;

const MAX_TITLE = 100;
const MAX_DESCRIPTION = 300;

/** The documents of a configuration: `references`, or `openapi` with its `overlays`, or the one with the usual name. */
export function referencesOf(
  reader: ConfigReader,
  files: SourceFiles,
  at: ReadonlyMap<string, Node>,
): readonly ConfigReference[] {
  const [references, openapi, overlays] = ['references', 'openapi', 'overlays'].map((key) =>
    at.get(key),
  );
  if (!references) {
    const file = openapiOf(reader, files, openapi);
    const applied = overlaysOf(reader, files, overlays, file);
    return file === undefined ? [] : [only(file, applied)];
  }
  if (openapi) {
    const message =
      '`openapi` names the only document of a site, and this one has `references`: list the document there, and remove `openapi`.';
    reader.problem(message, openapi);
  }
  if (overlays) {
    const message =
      '`overlays` belong to one document: write them below its `openapi` in `references`.';
    reader.problem(message, overlays);
  }
  return listed(reader, files, references);
}

const only = (file: string, overlays: readonly string[] = []): ConfigReference => ({
  ...{ file, overlays },
  ...{ address: undefined, title: undefined, description: undefined },
});

const USUAL_FILE = /^openapi\.(?:yaml|yml|json)$/;

/** The only OpenAPI document at the archive's root with a usual name. */
export function defaultDocument(files: SourceFiles): string | undefined {
  const found = [...files.keys()].filter((path) => USUAL_FILE.test(path));
  return found.length === 1 ? found[0] : undefined;
}

/** The document of an archive whose configuration cannot be read. */
export function usualReferences(files: SourceFiles): readonly ConfigReference[] {
  const file = defaultDocument(files);
  return file === undefined ? [] : [only(file)];
}

const DOCUMENT = /\.(?:ya?ml|json)$/i;

function openapiOf(reader: ConfigReader, files: SourceFiles, node: Node | undefined) {
  if (node) return fileOf(reader, files, node, '`openapi`', DOCUMENT, 'a YAML or JSON file');
  const usual = [...files.keys()].filter((path) => USUAL_FILE.test(path));
  if (usual.length > 1) {
    reader.problem(
      `\`openapi\` must say which document is meant: the archive has ${usual.join(' and ')}.`,
      reader.root,
    );
  }
  return usual[0];
}

const KEYS = ['openapi', 'overlays', 'title', 'address', 'description'];

function listed(reader: ConfigReader, files: SourceFiles, node: Node): ConfigReference[] {
  const items = reader.items(node, '`references`');
  if (items.length > MAX_REFERENCES)
    reader.problem(
      `\`references\` has ${items.length} documents; it may have ${MAX_REFERENCES}.`,
      items[MAX_REFERENCES],
    );
  /** The lines of the addresses that were found so far. */
  const seen = new Map<string, number>();
  return items.slice(0, MAX_REFERENCES).flatMap((item) => referenceOf(reader, files, item, seen));
}

function referenceOf(
  reader: ConfigReader,
  files: SourceFiles,
  item: Node,
  seen: Map<string, number>,
): ConfigReference[] {
  const at = reader.members(item, KEYS, 'An entry of `references`');
  const [openapi, overlays, title, description] = [
    'openapi',
    'overlays',
    'title',
    'description',
  ].map((key) => at.get(key));
  if (!openapi) {
    if (isMap(item))
      reader.problem('An entry of `references` needs `openapi`: the file of its document.', item);
    return [];
  }
  const file = fileOf(reader, files, openapi, '`openapi`', DOCUMENT, 'a YAML or JSON file');
  const applied = overlaysOf(reader, files, overlays, file);
  const address = addressOf(reader, at.get('address'), file);
  const texts = {
    title: title && (reader.text(title, "A reference's `title`", MAX_TITLE) || undefined),
    description:
      description &&
      (reader.text(description, "A reference's `description`", MAX_DESCRIPTION) || undefined),
  };
  if (file === undefined || address === undefined) return [];
  const place = at.get('address') ?? openapi;
  const other = seen.get(address.toLowerCase());
  if (other !== undefined)
    reader.problem(
      `The address \`${address}\` is taken by the reference on line ${other}: give this one an \`address\` of its own.`,
      place,
    );
  else seen.set(address.toLowerCase(), reader.line(place));
  return [{ file, overlays: applied, address, ...texts }];
}

/** Letters of any script, digits, `-` and `_`: never a file's ending, nor a segment with a meaning. */
const ADDRESS = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]{0,59}$/u;

function addressOf(
  reader: ConfigReader,
  node: Node | undefined,
  file: string | undefined,
): string | undefined {
  if (!node) return file === undefined ? undefined : derivedAddress(file);
  // YAML reads `2024` as a number.
  const value = isScalar(node) ? node.value : undefined;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text === 'string' && ADDRESS.test(text.normalize('NFC'))) return text.normalize('NFC');
  reader.problem(
    "A reference's `address` must be one segment of a path, such as `payments`: up to 60 letters, digits, `-` and `_`.",
    node,
  );
  return undefined;
}

/** Names that say nothing of the API: their folder's does. */
const USUAL_NAME = /^(?:openapi|swagger|index|api|spec)$/i;

/** What files of documents are called besides. */
const USUAL_PART = /^(?:openapi|swagger)[-_.]|[-_.](?:openapi|swagger)$/gi;

/** `payments` for `openapi/payments.yaml`, `payments.openapi.yaml` and `payments/openapi.yaml`. */
export function derivedAddress(file: string): string {
  const [name = '', folder = ''] = file
    .replace(/\.(?:ya?ml|json)$/i, '')
    .split('/')
    .reverse();
  const told = USUAL_NAME.test(name) && folder !== '' ? folder : name;
  const safe = segment(told.replace(USUAL_PART, ''))
    .toLowerCase()
    .replace(/[.~]+/g, '-')
    .slice(0, 60);
  return safe.replace(/^[\p{M}_-]+|[_-]+$/gu, '') || 'api';
}
