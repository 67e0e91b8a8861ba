import type { Location } from '../syntax/source.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import { isObject } from './openapi-types.ts';

/** Members whose objects have names of the author's choice: those names are not keywords. */
const MAPS = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'schemas'],
  ...['dependentRequired', 'dependencies'],
  ...['responses', 'parameters', 'requestBodies', 'headers', 'securitySchemes', 'links'],
  ...['securityDefinitions', 'callbacks', 'pathItems', 'paths', 'webhooks', 'content', 'encoding'],
  ...['variables', 'mapping', 'scopes'],
]);

/** Members that hold data, in which nothing is a keyword. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const']);

/** Whether the names in a keyword's object are the author's choice. */
export const isNameMap = (keyword: string): boolean => MAPS.has(keyword);

/** Whether a keyword holds data, in which nothing is a keyword. */
export const isData = (keyword: string): boolean => DATA.has(keyword) || keyword.startsWith('x-');

/** Visits each member whose name is a keyword of OpenAPI or JSON Schema, but none in data. */
export function forEachKeyword(
  document: OpenApiDocument,
  tell: (name: string, member: unknown, location: Location, isInSchema: boolean) => void,
): void {
  const visit = (value: unknown, location: Location, isMap: boolean, isInSchema: boolean): void => {
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) visit(item, [...location, at], false, isInSchema);
      return;
    }
    if (!isObject(value)) return;
    for (const [name, member] of Object.entries(value)) {
      const here = [...location, name];
      if (isMap) {
        visit(member, here, false, isInSchema);
        continue;
      }
      tell(name, member, here, isInSchema);
      if (isData(name)) continue;
      visit(member, here, isNameMap(name), isInSchema || name === 'schema' || name === 'schemas');
    }
  };
  visit(document, [], false, false);
}
