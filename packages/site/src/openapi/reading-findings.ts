import { toPointer } from '../syntax/source.ts';
import type { DocumentFinding } from './document-finding.ts';
import { ignoredFields } from './extension-fields.ts';
import { isObject, type OpenApiDocument, textOf } from './openapi-types.ts';
import { findOperations, placeOf } from './operations.ts';
import { SANDBOX_FIELD, sandboxOffer } from './sandbox-offer.ts';
import { schemeNames, securityScheme } from './security.ts';
import { isLongTitle, MAX_TITLE } from './title-text.ts';

/** What readers do not see of a document in OpenAPI 3.1 as its author wrote it. */
export function* readingFindings(document: OpenApiDocument): Generator<DocumentFinding> {
  yield* ignoredExtensions(document);
  yield* unnamed(document);
  for (const path of longTitles(document)) {
    const message = `It is longer than ${MAX_TITLE} characters: titles and lists show its beginning.`;
    yield { rule: 'title', message, path };
  }
}

function* ignoredExtensions(document: OpenApiDocument): Generator<DocumentFinding> {
  for (const found of findOperations(document))
    for (const { field, takes } of ignoredFields(found.operation)) {
      const message = `\`${field}\` of ${found.method} ${found.path} is ignored, since it takes ${takes}.`;
      yield { rule: 'ignored-extension', message, path: placeOf(found) };
    }
  for (const name of schemeNames(document)) {
    const scheme = securityScheme(document, name);
    const problem = scheme && sandboxOffer(document, scheme);
    if (typeof problem !== 'string') continue;
    const message = `\`${SANDBOX_FIELD}\` of the security scheme ${name} is ignored: ${problem}.`;
    const path = toPointer(['components', 'securitySchemes', name, SANDBOX_FIELD]);
    yield { rule: 'ignored-extension', message, path };
  }
}

/** Operations that are called by something else than a name of theirs. */
function* unnamed(document: OpenApiDocument): Generator<DocumentFinding> {
  for (const found of findOperations(document)) {
    const { method, path: name, isWebhook, operation } = found;
    // A webhook is called by its event.
    if (isWebhook) continue;
    const path = placeOf(found);
    const called = `\`${method} ${name}\``;
    if (textOf(operation.summary) === '')
      yield { rule: 'no-summary', message: `${called} has no \`summary\`.`, path };
    if (textOf(operation.operationId) === '')
      yield { rule: 'no-operation-id', message: `${called} has no \`operationId\`.`, path };
  }
}

/** Titles that are cut, in the document, its tags and its operations. */
function* longTitles(document: OpenApiDocument): Generator<string> {
  const { info, tags } = document;
  if (isObject(info) && isLongTitle(info.title)) yield '/info/title';
  for (const [at, tag] of (Array.isArray(tags) ? tags : []).entries())
    if (isObject(tag) && isLongTitle(tag.name)) yield toPointer(['tags', at, 'name']);
  for (const found of findOperations(document))
    if (!found.isWebhook && isLongTitle(found.operation.summary)) yield `${placeOf(found)}/summary`;
}
