import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import { headerEntries, type ServiceResponse } from '../http/service-response.ts';

/** A response that is ready to be sent. */
export interface FinishedResponse {
  readonly status: number;
  /** By names in lower case; without what every response of the service has. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** Called with the headers of a response that is written piece by piece, which it may change. What each piece becomes. */
type OnStream = (headers: Map<string, string>) => ((text: string) => string) | undefined;

type Given = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * Holds a response back when it is finished, and gives it to `send` once, whichever way it is written. A response that
 * is written piece by piece is not held back: it may never end; `onStream` is called then.
 */
export function holdBack(
  response: ServiceResponse,
  send: (finished: FinishedResponse) => void,
  onStream: OnStream,
): void {
  let head: { status: number; headers: Map<string, string> } | undefined;
  // Others that look on may have put methods of their own there.
  const before = new Map(
    METHODS.map((name) => [name, Object.getOwnPropertyDescriptor(response, name)]),
  );
  const release = () => {
    for (const [name, own] of before) {
      if (own) Object.defineProperty(response, name, own);
      else delete (response as unknown as Record<string, unknown>)[name];
    }
  };
  const stream = () => {
    release();
    if (!head) return;
    const change = onStream(head.headers);
    response.writeHead(head.status, Object.fromEntries(head.headers));
    if (!change) return;
    const write = response.write.bind(response) as (text: unknown) => boolean;
    response.write = (text: unknown) => write(typeof text === 'string' ? change(text) : text);
  };
  const own: Partial<ServiceResponse> = {
    respond(status, lines, body, encoding) {
      release();
      send({ status, headers: new Map(headerEntries(lines)), body: Buffer.from(body, encoding) });
    },
    writeHead(status: number, first?: string | Given, second?: Given) {
      const given = (typeof first === 'string' ? second : first) ?? {};
      head = { status, headers: headersOf(given) };
      return response;
    },
    write(...parts: unknown[]) {
      stream();
      return (response.write as (...parts: unknown[]) => boolean)(...parts);
    },
    flushHeaders() {
      stream();
      response.flushHeaders();
    },
    end(...parts: unknown[]) {
      release();
      const [chunk, encoding] = parts;
      const body =
        typeof chunk === 'string' ? Buffer.from(chunk, encoding as BufferEncoding) : chunk;
      const { status, headers } = head ?? { status: response.statusCode, headers: new Map() };
      send({ status, headers, body: body instanceof Uint8Array ? Buffer.from(body) : EMPTY });
      const done = parts.find((part) => typeof part === 'function');
      if (done) response.once('finish', done as () => void);
      return response;
    },
  };
  Object.assign(response, own);
}

const METHODS = ['respond', 'writeHead', 'write', 'end', 'flushHeaders'];

const EMPTY = Buffer.alloc(0);

function headersOf(given: Given): Map<string, string> {
  const entries: [string, OutgoingHttpHeader | undefined][] = Array.isArray(given)
    ? pairs(given)
    : Object.entries(given);
  return new Map(
    entries.flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), String(value)]],
    ),
  );
}

function pairs(flat: readonly OutgoingHttpHeader[]): [string, OutgoingHttpHeader | undefined][] {
  return Array.from({ length: flat.length / 2 }, (_, at) => [
    String(flat[2 * at]),
    flat[2 * at + 1],
  ]);
}
