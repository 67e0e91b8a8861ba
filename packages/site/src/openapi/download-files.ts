import { downloadPaths } from '../reference/addresses.ts';
import { type SiteFile, TYPES } from '../site/site-files.ts';
import { toJson } from '../syntax/exact-text.ts';
import type { OpenApiDocument } from './openapi-types.ts';

/** A document as readers of its site can have it: in JSON and in YAML, whichever it was uploaded in. */
export function downloadFiles(
  document: OpenApiDocument,
  paths = downloadPaths(undefined),
): readonly SiteFile[] {
  const json = toJson(document);
  return [
    { path: paths.json, type: TYPES.json, content: json },
    { path: paths.yaml, type: TYPES.yaml, content: { yamlOf: json } },
  ];
}
