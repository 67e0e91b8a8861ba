import { prefix, truncate } from '@petstore/service/text.ts';
import { isObject, textOf } from '../openapi/openapi-types.ts';
import { serversOf } from '../openapi/servers.ts';
import { titleText } from '../openapi/title-text.ts';
import type { ServerData, VariableData } from '../request/operation-data.ts';
import type { ReferenceContext } from './reference-context.ts';

const MAX_SERVERS = 20;
const MAX_VARIABLES = 10;
const MAX_VALUES = 100;
const MAX_DESCRIPTION = 120;

/** The servers of the first holder that has any; without one the site itself (OpenAPI 3.1.1, “OpenAPI Object”). */
export function serverData(
  { descriptions }: ReferenceContext,
  holders: readonly Record<string, unknown>[],
): readonly ServerData[] {
  const described = (value: unknown) => {
    const text = descriptions.plain(prefix(textOf(value), 4 * MAX_DESCRIPTION));
    return text === '' ? {} : { description: truncate(text, MAX_DESCRIPTION) };
  };
  const variablesOf = ({ url, variables }: Record<string, unknown>): VariableData[] =>
    Object.entries(isObject(variables) ? variables : {})
      .filter(([name]) => textOf(url).includes(`{${name}}`))
      .slice(0, MAX_VARIABLES)
      .map(([name, value]) => {
        const variable = isObject(value) ? value : {};
        const values = Array.isArray(variable.enum) ? variable.enum.slice(0, MAX_VALUES) : [];
        return {
          name,
          default: String(variable.default ?? ''),
          ...(values.length > 0 && { enum: values.map(String) }),
          ...described(variable.description),
        };
      });
  const servers = serversOf(...holders);
  return (servers.length > 0 ? servers : [{ url: '/' }]).slice(0, MAX_SERVERS).map((server) => {
    const variables = variablesOf(server);
    return {
      url: textOf(server.url),
      ...(titleText(server.name) && { name: titleText(server.name) }),
      ...described(server.description),
      ...(variables.length > 0 && { variables }),
    };
  });
}
