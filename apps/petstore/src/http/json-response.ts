import type { ApiError } from '@petstore/http/errors.ts';
import type { IdempotentResult } from '../store/contract/idempotency.ts';
import { headerLines, type ServiceResponse, type TextEncoding } from './service-response.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

const TYPE_LINE = headerLines(['content-type', JSON_TYPE]);

/** How JSON text is encoded, and the header lines that describe it. */
export function describeJson(json: string): { encoding: TextEncoding; lines: string } {
  const bytes = Buffer.byteLength(json);
  const encoding = bytes === json.length ? 'latin1' : 'utf8';
  return { encoding, lines: `${TYPE_LINE}content-length: ${bytes}\r\n` };
}

/** Responds with JSON text. `headers`: names and values in turn. */
function respondJson(
  response: ServiceResponse,
  status: number,
  json: string,
  headers: readonly string[],
): void {
  const { encoding, lines } = describeJson(json);
  response.respond(status, lines + headerLines(headers), json, encoding);
}

/** Responds with the Error body. */
export function respondError(response: ServiceResponse, error: ApiError): void {
  const headers = { 'cache-control': 'no-store', ...error.headers };
  respondJson(response, error.status, errorBody(error), Object.entries(headers).flat());
}

/** The Error body as text. */
export function errorBody({ body }: ApiError): string {
  return JSON.stringify(body);
}

/** Responds with 201 and what was just created. */
export function respondCreated(
  response: ServiceResponse,
  { id, json, collectionUrl }: IdempotentResult,
): void {
  respondJson(response, 201, json, ['location', `${collectionUrl}/${id}`]);
}
