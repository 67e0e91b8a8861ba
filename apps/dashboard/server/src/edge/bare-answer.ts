import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Headers } from './file-headers.ts';

/** Answers without a site: a short text that no one keeps. */
export function answerBare(
  response: ServerResponse,
  status: number,
  text = STATUS_CODES[status] ?? '',
  headers: Headers = [],
): void {
  const body = `${text}\n`;
  response.writeHead(status, [
    ...['Content-Type', 'text/plain; charset=utf-8'],
    ...['X-Content-Type-Options', 'nosniff'],
    ...['Cache-Control', 'no-store'],
    ...headers,
    ...['Content-Length', String(Buffer.byteLength(body))],
  ]);
  response.end(body);
}
