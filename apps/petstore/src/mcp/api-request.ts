import { nearest } from '@petstore/service/nearest.ts';
import { scalarText } from './exact-json.ts';
import type { Argument, OperationTool } from './operation-tool.ts';
import { toApiValue } from './schemas.ts';

/** A request of the API. */
export interface ApiRequest {
  readonly method: string;
  /** Behind the base address: `/pets?limit=5`. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Arguments of which no request can be made. The message is for whoever chose them. */
export class ArgumentError extends Error {}

/** Text that a header may have (RFC 9110, section 5.5): no line breaks, so no further headers. */
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The request that a call of a tool stands for. The API judges the values; refused here is only what cannot be written
 * as a request, or would become another one. Throws ArgumentError.
 */
export function apiRequest(
  tool: OperationTool,
  given: Readonly<Record<string, unknown>>,
): ApiRequest {
  refuseUnknown(tool, given);
  let { path } = tool;
  const query: string[] = [];
  const headers: Record<string, string> = { accept: 'application/json' };
  const members: [string, unknown][] = [];
  let whole: unknown;
  for (const argument of tool.arguments) {
    const { name, place, schema } = argument;
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (place === 'path') path = path.replace(`{${name}}`, () => pathSegment(argument, value));
    if (value === undefined) continue;
    if (place === 'query')
      query.push(`${encode(name, name)}=${encode(name, textOf(argument, value))}`);
    else if (place === 'header') headers[name.toLowerCase()] = headerText(argument, value);
    else if (place === 'member') members.push([name, toApiValue(value, schema)]);
    else if (place === 'body') whole = toApiValue(value, schema);
  }
  const { method, bodyType } = tool;
  if (bodyType !== undefined) headers['content-type'] = bodyType;
  const isWhole = tool.arguments.some(({ place }) => place === 'body');
  const body = isWhole ? (whole ?? null) : Object.fromEntries(members);
  return {
    method,
    target: query.length > 0 ? `${path}?${query.join('&')}` : path,
    headers,
    body: bodyType === undefined ? undefined : JSON.stringify(body),
  };
}

function refuseUnknown({ arguments: known }: OperationTool, given: object): void {
  const names = known.map(({ name }) => name);
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    const near = nearest(name, names);
    const hint = near === undefined ? '' : ` Did you mean ${near}?`;
    const there = names.length > 0 ? `It has ${names.join(', ')}.` : 'It has none.';
    throw new ArgumentError(`The tool has no argument ${JSON.stringify(name)}.${hint} ${there}`);
  }
}

/** `.` and `..` would be steps through the path, and an empty segment would be the path above. */
function pathSegment(argument: Argument, value: unknown): string {
  const { name } = argument;
  if (value === undefined) throw new ArgumentError(`${name} is required.`);
  const text = textOf(argument, value);
  if (text === '' || text === '.' || text === '..') {
    throw new ArgumentError(`${name} must not be ${JSON.stringify(text)}.`);
  }
  return encode(name, text);
}

function headerText(argument: Argument, value: unknown): string {
  const text = textOf(argument, value);
  if (HEADER_TEXT.test(text)) return text;
  throw new ArgumentError(
    `${argument.name} must be one line of visible ASCII characters: it is sent as a header.`,
  );
}

function textOf({ name }: Argument, value: unknown): string {
  const text = scalarText(value);
  if (text === undefined) {
    throw new ArgumentError(`${name} must be a text, a number, true or false.`);
  }
  return text;
}

function encode(name: string, text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new ArgumentError(`${name} has half of a surrogate pair, which no text has.`);
  }
}
