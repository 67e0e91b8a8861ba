import type { CallToolResult } from '@modelcontextprotocol/server';
import { ERROR_GUIDE } from '../http/error-guide.ts';
import type { OperationTool } from './operation-tool.ts';

/** A response of the API. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/**
 * The result of a call. Its first text is the body as it came, byte for byte, and not structured content: clients would
 * parse that, and round the digits of 64-bit integers. What else a caller needs to go on is a text behind it.
 */
export function callResult(tool: OperationTool, { status, headers, body }: ApiResponse) {
  const isDone = status >= 200 && status < 300;
  const isBroken = isDone && body !== '' && !isJson(body);
  const notes = [
    ...(isDone ? notesOnSuccess(tool, headers) : notesOnError(body, headers)),
    ...(isBroken ? [`The response has the status ${status}, but its body is not JSON.`] : []),
    ...noteOf(headers, 'petstore-fault-applied', (fault) => `Applied fault: ${fault}.`),
  ];
  const result = body === '' ? `${isDone ? 'Done' : 'Not done'}: ${status}.` : body;
  return textResult([result, ...notes], !isDone || isBroken);
}

/** A result for whoever called the tool: what is wrong, and what to do. */
export function errorResult(message: string): CallToolResult {
  return textResult([message], true);
}

function textResult(texts: readonly string[], isError: boolean): CallToolResult {
  const content = texts.map((text) => ({ type: 'text' as const, text }));
  return { content, ...(isError && { isError }) };
}

type Headers = ApiResponse['headers'];

function notesOnSuccess(tool: OperationTool, headers: Headers): string[] {
  const cursor = nextCursor(String(headers.link ?? ''));
  const hasTag = tool.path.endsWith('}');
  return [
    ...(cursor === undefined ? [] : [goOn(tool, cursor)]),
    ...(hasTag ? noteOf(headers, 'etag', (tag) => `ETag, for If-Match: ${tag}`) : []),
  ];
}

function goOn({ listing, arguments: all }: OperationTool, cursor: string): string {
  return all.some(({ name }) => name === 'cursor')
    ? `There is more. Call ${listing.name} again with "cursor": ${JSON.stringify(cursor)}.`
    : 'There is more. Ask again for what comes behind the last one here.';
}

/** The guide to errors says what to do about each. */
function notesOnError(body: string, headers: Headers): string[] {
  const code = codeOf(body);
  const guide = code === undefined ? [] : ERROR_GUIDE[code];
  return [
    ...noteOf(headers, 'retry-after', (wait) => `Retry after: ${wait} seconds.`),
    ...(guide.length > 0 ? [guide.join('\n\n')] : []),
  ];
}

function noteOf(headers: Headers, name: string, write: (value: string) => string): string[] {
  const value = headers[name];
  return value === undefined ? [] : [write(String(value))];
}

function codeOf(body: string): keyof typeof ERROR_GUIDE | undefined {
  try {
    const { code } = JSON.parse(body) as { code?: unknown };
    const isKnown = typeof code === 'string' && Object.hasOwn(ERROR_GUIDE, code);
    return isKnown ? (code as keyof typeof ERROR_GUIDE) : undefined;
  } catch {
    return undefined;
  }
}

function isJson(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

/** Where the next page starts, of a list that goes on (RFC 8288). */
function nextCursor(link: string): string | undefined {
  const address = /<([^>]*)>\s*;\s*rel="next"/.exec(link)?.[1];
  const url = address === undefined ? null : URL.parse(address);
  return url?.searchParams.get('cursor') ?? undefined;
}
