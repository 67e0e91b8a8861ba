import { PROXY_PATH } from '@petstore/site/request/proxy-format.ts';
import { FEEDBACK_PATH, READERS_PATH } from '@petstore/site/site/readers/readers-format.ts';
import { MCP_PATH } from '../mcp/mcp-path.ts';

/** What a response was about, for the operator's counts: the first four are files of a site. */
export const RESPONSE_KINDS = [
  'page',
  /** Markdown and other texts for programs. */
  'text',
  /** Documents, indexes, feeds. */
  'data',
  'asset',
  'mcp',
  'proxy',
  'readers',
  'well_known',
  'redirect',
  'other',
] as const;

export type ResponseKind = (typeof RESPONSE_KINDS)[number];
type FileKind = Extract<ResponseKind, 'page' | 'text' | 'data' | 'asset'>;

/** The index of a counter: ten times the index of the kind, plus the first digit of the status. */
export type Tally = number;

export function tallyOf(kind: ResponseKind, status: number): Tally {
  return RESPONSE_KINDS.indexOf(kind) * 10 + Math.floor(status / 100);
}

/** The same, in words. */
export function describeTally(tally: Tally): { kind: ResponseKind; status: string } {
  const kind = RESPONSE_KINDS[Math.floor(tally / 10)] ?? 'other';
  return { kind, status: `${tally % 10}xx` };
}

/** By the media type of a file. */
export function fileKind(type: string): FileKind {
  if (type.startsWith('text/html')) return 'page';
  if (type.startsWith('text/markdown') || type.startsWith('text/plain')) return 'text';
  return /^application\/(?:[\w.+-]*(?:json|yaml|xml)|linkset)/.test(type) ? 'data' : 'asset';
}

/** What the endpoints of a site are counted as, by the end of their path: a version has them below its prefix. */
const ENDPOINTS: readonly (readonly [path: string, kind: ResponseKind])[] = [
  [MCP_PATH, 'mcp'],
  [PROXY_PATH, 'proxy'],
  [READERS_PATH, 'readers'],
  [FEEDBACK_PATH, 'readers'],
];

/** Of a response that is no file. `target`: as it arrived. */
export function responseKind(target: string, status: number): ResponseKind {
  if (status >= 300 && status < 400) return 'redirect';
  if (target.startsWith('/.well-known/')) return 'well_known';
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  return ENDPOINTS.find(([end]) => path.endsWith(end))?.[1] ?? 'other';
}
