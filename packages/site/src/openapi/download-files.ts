import { type SiteFile, TYPES } from '../site/site-files.ts';
import { toJson } from '../syntax/exact-text.ts';
import type { OpenApiDocument } from './openapi-types.ts';

/** A document as readers of its site can have it: in JSON and in YAML, whichever it was uploaded in. */
export function downloadFiles(document: OpenApiDocument): readonly SiteFile[] {
  const json = toJson(document);
  return [
    { path: '/openapi.json', type: TYPES.json, content: json },
    { path: '/openapi.yaml', type: TYPES.yaml, content: { yamlOf: json } },
  ];
}
