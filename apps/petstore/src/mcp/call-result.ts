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
 * parse that, and round the digits of 64-bit integers. What else a caller needs to go on is a text behind it. `tools`: all
 * that there are, among which is the one that the list goes on with.
 */
export function callResult(
  tool: OperationTool,
  tools: Tools,
  { status, headers, body }: ApiResponse,
) {
  const isDone = status >= 200 && status < 300;
  const isBroken = isDone && body !== '' && !isJson(body);
  const notes = [
    ...(isDone ? notesOnSuccess(tool, tools, headers) : notesOnError(body, headers)),
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
type Tools = readonly OperationTool[];

function notesOnSuccess(tool: OperationTool, tools: Tools, headers: Headers): string[] {
  const next = nextAddress(String(headers.link ?? ''));
  const isChangeable = tools.some(
    ({ path, arguments: all }) => path === tool.path && all.some(({ name }) => name === 'If-Match'),
  );
  return [
    ...(next ? [goOn(tool, tools, next)] : []),
    ...(isChangeable && tool.path.endsWith('}')
      ? noteOf(headers, 'etag', (tag) => `ETag, for If-Match: ${tag}`)
      : []),
  ];
}

/** With which call the list goes on whose next page is at an address. */
function goOn({ listing, arguments: all }: OperationTool, tools: Tools, next: URL): string {
  const cursor = next.searchParams.get('cursor');
  if (cursor !== null && all.some(({ name }) => name === 'cursor')) {
    return `There is more. Call ${listing.name} again with "cursor": ${JSON.stringify(cursor)}.`;
  }
  for (const { method, path, listing } of tools) {
    const [, above = '', name] = /^(.*\/)\{(\w+)\}$/.exec(path) ?? [];
    const at = next.pathname.lastIndexOf('/') + 1;
    if (method === 'GET' && name !== undefined && next.pathname.slice(0, at).endsWith(above)) {
      const value = decodeURIComponent(next.pathname.slice(at));
      return `There is more. Call ${listing.name} with ${JSON.stringify(name)}: ${JSON.stringify(value)}.`;
    }
  }
  return 'There is more. Ask again for what comes behind the last one here.';
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

/** Where the next page is, of a list that goes on (RFC 8288). */
function nextAddress(link: string): URL | null {
  const address = /<([^>]*)>\s*;\s*rel="next"/.exec(link)?.[1];
  return address === undefined ? null : URL.parse(address);
}
