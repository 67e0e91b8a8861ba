import { excludes, type ReaderHeaders } from '../readers/visitor.ts';

/** A GET without a range, a body, or any other wish that the fast path does not know. */
export interface FastPathRequest {
  readonly target: string;
  readonly host: string;
  readonly accept: string | undefined;
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** What decides whether the response is counted, and as what. */
  readonly reader: ReaderHeaders;
}

/**
 * What a connection sends each time. The same text as the same object costs a fifth where it is looked up, since its
 * hash is known.
 */
export interface ConnectionMemory {
  userAgent: string;
}

/** A longer head leaves the fast path; it is still far below Node's limit. */
const MAX_HEAD_BYTES = 8 * 1024;

/** RFC 9112, sections 3 and 5, without line folding. White space at a value's end stays. */
const REQUEST_LINE = /GET (\/[\x21-\x7e]*) HTTP\/1\.1\r\n/y;
const HEADER = /([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)\r\n/y;

/**
 * Parses bytes that hold one whole request and nothing else. undefined for all but the simplest GET, to the letter of
 * the grammar: Node's parser and the rest of the edge decide about everything else. In doubt, return undefined.
 */
export function readFastPathRequest(
  bytes: Buffer,
  connection: ConnectionMemory = { userAgent: '' },
): FastPathRequest | undefined {
  if (bytes.length > MAX_HEAD_BYTES) return undefined;
  const head = bytes.toString('latin1');
  REQUEST_LINE.lastIndex = 0;
  const target = REQUEST_LINE.exec(head)?.[1];
  if (target === undefined) return undefined;
  HEADER.lastIndex = REQUEST_LINE.lastIndex;

  let host: string | undefined;
  let accept: string | undefined;
  let acceptEncoding: string | undefined;
  let ifNoneMatch: string | undefined;
  let userAgent: string | undefined;
  let referer: string | undefined;
  let fetchDest: string | undefined;
  let isExcluded = false;
  let end = HEADER.lastIndex;
  for (let header = HEADER.exec(head); header; header = HEADER.exec(head)) {
    end = HEADER.lastIndex;
    const value = header[2] ?? '';
    const name = header[1]?.toLowerCase() ?? '';
    switch (name) {
      case 'host':
        if (host !== undefined) return undefined;
        host = value;
        break;
      case 'accept':
        if (accept !== undefined) return undefined;
        accept = value;
        break;
      case 'accept-encoding':
        if (acceptEncoding !== undefined) return undefined;
        acceptEncoding = value;
        break;
      case 'if-none-match':
        if (ifNoneMatch !== undefined) return undefined;
        ifNoneMatch = value;
        break;
      case 'user-agent':
        if (value !== connection.userAgent) connection.userAgent = value;
        userAgent = connection.userAgent;
        break;
      case 'referer':
        referer = value;
        break;
      case 'sec-fetch-dest':
        fetchDest = value;
        break;
      case 'sec-gpc':
      case 'dnt':
      case 'sec-purpose':
      case 'purpose':
      case 'x-purpose':
      case 'x-moz':
        isExcluded ||= excludes(name, value);
        break;
      case 'connection':
        if (value.toLowerCase() !== 'keep-alive') return undefined;
        break;
      case 'if-match':
      case 'range':
      case 'content-length':
      case 'transfer-encoding':
      case 'expect':
      case 'upgrade':
        return undefined;
    }
  }
  const isWhole = end === head.length - 2 && head.endsWith('\r\n');
  if (!isWhole || host === undefined) return undefined;
  const reader = { userAgent, referer, accept, fetchDest, isExcluded };
  return { target, host, accept, acceptEncoding, ifNoneMatch, reader };
}
