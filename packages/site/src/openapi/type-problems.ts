import type { Location } from '../syntax/source.ts';
import type { DocumentFinding } from './document-finding.ts';
import { forEachKeyword } from './keywords.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import { wrongChoice } from './schema-problems.ts';

/** JSON Schema 2020-12, validation, section 6.1.1. */
const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** Finds unknown types in schemas of OpenAPI 3.1, whose contents OpenAPI's own JSON Schema does not check. */
export function typeProblems(document: OpenApiDocument): DocumentFinding[] {
  const problems: DocumentFinding[] = [];
  const check = (type: unknown, location: Location) => {
    if (!TYPES.includes(type as string)) problems.push(wrongChoice(location, type, TYPES));
  };
  forEachKeyword(document, (name, type, location, isInSchema) => {
    if (name !== 'type' || !isInSchema) return;
    if (!Array.isArray(type)) check(type, location);
    else for (const [at, one] of type.entries()) check(one, [...location, at]);
  });
  return problems;
}
