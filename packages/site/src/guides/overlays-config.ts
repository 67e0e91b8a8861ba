import type { Node } from 'yaml';
import type { SourceFiles } from '../build-log.ts';
import { type ConfigReader, fileOf } from './config-reader.ts';

/** More than anyone keeps apart. */
const MAX_OVERLAYS = 20;

/** `overlays`: files of the archive that are applied to the document, in their order. */
export function overlaysOf(
  reader: ConfigReader,
  files: SourceFiles,
  node: Node | undefined,
  openapi: string | undefined,
): readonly string[] {
  if (!node) return [];
  const items = reader.items(node, '`overlays`');
  if (items.length > MAX_OVERLAYS) {
    reader.problem(`\`overlays\` has ${items.length} files; it may have ${MAX_OVERLAYS}.`, node);
  }
  if (items.length > 0 && openapi === undefined) {
    const message =
      '`overlays` change an OpenAPI document, and there is none: name it with `openapi`.';
    reader.problem(message, node);
  }
  return items.slice(0, MAX_OVERLAYS).flatMap((item) => {
    const file = fileOf(
      reader,
      files,
      item,
      'An overlay',
      /\.(?:ya?ml|json)$/i,
      'a YAML or JSON file',
    );
    return file === undefined ? [] : [file];
  });
}
