import { isObject } from '@petstore/reference/operations.ts';
import type { Location } from '../syntax/json-pointer.ts';
import type { OpenApiDocument } from './openapi-types.ts';

/** Members that hold objects by names of the author's own, which are no keywords. */
const MAPS = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'schemas'],
  ...['dependentRequired', 'dependencies'],
  ...['responses', 'parameters', 'requestBodies', 'headers', 'securitySchemes', 'links'],
  ...['securityDefinitions', 'callbacks', 'pathItems', 'paths', 'webhooks', 'content', 'encoding'],
  ...['variables', 'mapping', 'scopes'],
]);

/** Members that hold data, whatever it looks like. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const']);

/** Tells each member whose name OpenAPI or JSON Schema gives it, and none that looks so in data. */
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
      if (DATA.has(name) || name.startsWith('x-')) continue;
      visit(member, here, MAPS.has(name), isInSchema || name === 'schema' || name === 'schemas');
    }
  };
  visit(document, [], false, false);
}
