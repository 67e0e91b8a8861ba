import { validateHeaderName, validateHeaderValue } from '@petstore/http/node-http.ts';
import {
  type Frame,
  frameValue,
  type HeaderPair,
  readFrame,
} from '@petstore/site/request/proxy-format.ts';
import { ProxyError } from './proxy-error.ts';

/** A request that the proxy is to send. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly HeaderPair[];
  readonly body: Buffer;
}

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,50}$/;

/** Which no script may send either: https://fetch.spec.whatwg.org/#methods. */
const FORBIDDEN_METHOD = /^(?:CONNECT|TRACE|TRACK)$/i;

/** Reads what the panel sent: a frame with the head, and one with the body where there is any. Throws ProxyError. */
export function readRequest(
  content: Buffer,
  { headBytes, bodyBytes }: { readonly headBytes: number; readonly bodyBytes: number },
): OutgoingRequest {
  const head = frameAt(content, 'head');
  if (head.bytes.length > headBytes)
    throw new ProxyError(
      'payload_too_large',
      `The address and the headers of a request have at most ${headBytes} bytes.`,
    );
  const rest = content.subarray(head.size);
  const body = rest.length > 0 ? frameAt(rest, 'data') : undefined;
  if (body && body.size !== rest.length) throw invalid('it goes on after the body');
  if (body && body.bytes.length > bodyBytes)
    throw new ProxyError('payload_too_large', `A body has at most ${bodyBytes} bytes.`);
  return {
    ...readHead(head),
    body: body ? Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.length) : EMPTY,
  };
}

const EMPTY = Buffer.alloc(0);

function frameAt(bytes: Uint8Array, kind: Frame['kind']) {
  try {
    const frame = readFrame(bytes);
    if (frame?.kind === kind) return frame;
  } catch {
    // Said below.
  }
  throw invalid(`there is no frame of the kind ${kind}`);
}

function readHead(frame: Frame): Omit<OutgoingRequest, 'body'> {
  let value: unknown;
  try {
    value = frameValue(frame);
  } catch {
    throw invalid('its head is not JSON');
  }
  const { method, url, headers } = (value ?? {}) as Record<string, unknown>;
  if (typeof method !== 'string' || !TOKEN.test(method)) throw invalid('method is not one of HTTP');
  if (FORBIDDEN_METHOD.test(method)) throw invalid(`${method} is a method that no page may send`);
  return { method, url: readUrl(url), headers: readHeaders(headers) };
}

/** Throws ProxyError for anything but the address of an http or https server. Its fragment is dropped. */
function readUrl(text: unknown): URL {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw invalid('url is not an http or https address');
  if (url.username !== '' || url.password !== '')
    throw invalid('url has a user or a password: send them in the header Authorization');
  url.hash = '';
  return url;
}

function readHeaders(value: unknown): HeaderPair[] {
  if (!Array.isArray(value)) throw invalid('headers is not a list of pairs');
  return value.map((pair: unknown) => {
    const [name, text] = Array.isArray(pair) && pair.length === 2 ? pair : [];
    if (typeof name !== 'string' || typeof text !== 'string')
      throw invalid('headers is not a list of pairs');
    try {
      validateHeaderName(name);
      validateHeaderValue(name, text);
    } catch {
      throw invalid(`the header ${JSON.stringify(name.slice(0, 100))} cannot be sent`);
    }
    return [name, text];
  });
}

const invalid = (why: string) =>
  new ProxyError('invalid_request', `The request is not valid: ${why}.`);
