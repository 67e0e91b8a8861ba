import { isMethod } from './methods.ts';
import { isObject, type OpenApiDocument } from './openapi-types.ts';

/**
 * Gives responses the media types of their operation's `produces`, which replace the document's (Swagger 2.0, “Operation
 * Object”): `upgraded`, which is changed, has those of the document in their place. `original` is the same in Swagger 2.0.
 */
export function keepProducedTypes(original: OpenApiDocument, upgraded: OpenApiDocument): void {
  const usual = typesOf(original.produces);
  if (original.swagger === undefined || usual.length === 0) return;
  for (const [path, item] of membersOf(original.paths)) {
    for (const [method, operation] of membersOf(item)) {
      const own = isObject(operation) ? typesOf(operation.produces) : [];
      if (!isMethod(method) || !isObject(operation) || own.length === 0) continue;
      const made = [path, method, 'responses'].reduce(memberOf, upgraded.paths);
      for (const [status, given] of membersOf(operation.responses)) {
        const response = memberOf(made, status);
        // A shared response has the document's.
        if (!isObject(given) || given.$ref !== undefined || !isObject(response)) continue;
        if (isObject(response.content)) response.content = withTypes(response.content, usual, own);
      }
    }
  }
}

/** The content with the media types `own`, and those that have an example, in place of `usual`. */
function withTypes(
  content: Record<string, unknown>,
  usual: readonly string[],
  own: readonly string[],
): Record<string, unknown> {
  const [first = ''] = usual;
  const media = memberOf(content, first);
  if (!isObject(media) || media.schema === undefined) return content;
  const { schema, examples } = media;
  const made = own.map((type, at): [string, unknown] => {
    const same = memberOf(content, type);
    const named = at === 0 && examples !== undefined ? { examples } : {};
    return [type, { schema, ...named, ...(isObject(same) && same) }];
  });
  const others = Object.entries(content).filter(
    ([type, one]) => !own.includes(type) && (!usual.includes(type) || memberOf(one, 'example')),
  );
  return Object.fromEntries([...made, ...others]);
}

const typesOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

const membersOf = (value: unknown) => Object.entries(isObject(value) ? value : {});

const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
