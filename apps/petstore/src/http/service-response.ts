import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import { keepAliveLines } from '@petstore/http/keep-alive-lines.ts';
import {
  ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} from '@petstore/http/node-http.ts';
import type { FastifyReply } from 'fastify';
import type { RequestIds } from './request-id.ts';

type Headers = Readonly<Record<string, string>>;

/** The encoding of a body: UTF-8, or the faster latin1 for ASCII, where both give the same bytes. */
export type TextEncoding = 'utf8' | 'latin1';

/** A response of this service. */
export interface ServiceResponse extends ServerResponse<IncomingMessage> {
  /** When a stream began, by `performance.now()`. From then on it takes the time of its client, not of the service. */
  streamsSince?: number;

  /** A sandbox asked for a fault of this response, which therefore says nothing about the service. */
  hasFault?: true;

  /** Adds lines, as headerLines makes them, to the head of this response, whoever sends it. */
  addLines(lines: string): void;

  /**
   * Sends a response with a finished body, at the end of this turn. `lines` are the lines of its head beyond the added
   * ones, as headerLines makes them, `Content-Length` among them.
   */
  respond(status: number, lines: string, body: string, encoding: TextEncoding): void;
}

export type Handler = (request: IncomingMessage, response: ServiceResponse) => void;

/** Node keeps the head of a response here, from when it is written until it is sent with the start of the body. */
interface WithHead {
  _header: string | null;
}

/**
 * The class of all responses. Each has the headers `always` and the request's id, whether the router writes it or
 * something in front of the router. All of Node's ways to begin a response lead through `writeHead`.
 *
 * Node checks and joins each header of each response anew, which is a tenth of what a response costs. So `respond`
 * writes a head of ready lines into the field where Node itself keeps it, unless there is anything about the connection
 * to decide. That field is not part of Node's interface, but it has been there as long as Node's servers have, and a
 * test compares the bytes sent with those of `writeHead`.
 */
export function responseClass(
  always: Headers,
  requestId: RequestIds,
  keepAliveTimeoutMs: number,
): typeof ServerResponse<IncomingMessage> & (new (request: IncomingMessage) => ServiceResponse) {
  const connectionLines = keepAliveLines(keepAliveTimeoutMs);
  const alwaysLines = headerLines(Object.entries(always).flat());

  return class extends ServerResponse<IncomingMessage> implements ServiceResponse {
    #added = alwaysLines;

    addLines(lines: string): void {
      this.#added += lines;
    }

    override writeHead(
      status: number,
      first?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
      second?: OutgoingHttpHeaders | OutgoingHttpHeader[],
    ): this {
      const reason = typeof first === 'string' ? first : undefined;
      const given = typeof first === 'string' ? second : first;
      const own = headerEntries(this.#ownLines());
      const headers = Array.isArray(given)
        ? [...own.flat(), ...given]
        : { ...Object.fromEntries(own), ...given };
      return super.writeHead(status, reason, headers);
    }

    respond(status: number, lines: string, body: string, encoding: TextEncoding): void {
      if (this.#staysOpen()) {
        let set = '';
        for (const name of this.getHeaderNames()) set += `${name}: ${this.getHeader(name)}\r\n`;
        this.statusCode = status;
        (this as unknown as WithHead)._header =
          `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}${this.#ownLines()}${set}${connectionLines()}`;
      } else {
        this.writeHead(status, Object.fromEntries(headerEntries(lines)));
      }
      endSoon({ response: this, body, encoding });
    }

    #ownLines(): string {
      return `${this.#added}x-request-id: ${requestId(this.req)}\r\n`;
    }

    /** Whether the connection certainly stays open after this response. */
    #staysOpen(): boolean {
      const { method, httpVersion, headers } = this.req;
      return (
        this.shouldKeepAlive &&
        // The framework sets it while it closes.
        !this.hasHeader('connection') &&
        httpVersion === '1.1' &&
        method !== 'HEAD' &&
        headers.expect === undefined
      );
    }
  };
}

interface Ending {
  readonly response: ServerResponse;
  readonly body: string;
  readonly encoding: TextEncoding;
}

const endings: Ending[] = [];

/**
 * Ends a response together with all others that are due now, such as those to the writes of one commit. The kernel has
 * to wake a client that sleeps. If the next response were built in between, that client would be asleep again.
 */
function endSoon(ending: Ending): void {
  if (endings.push(ending) === 1) process.nextTick(endAll);
}

function endAll(): void {
  for (const { response, body, encoding } of endings.splice(0)) response.end(body, encoding);
}

/** The response behind a reply of the framework. */
export function responseOf({ raw }: FastifyReply): ServiceResponse {
  return raw as ServiceResponse;
}

/** Headers, given as names and values in turn, as lines of a head. Throws TypeError for one that a head cannot have. */
export function headerLines(headers: readonly string[]): string {
  let lines = '';
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string;
    const value = headers[at + 1] as string;
    validateHeaderName(name);
    validateHeaderValue(name, value);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

/** The names and values in the lines of headerLines. */
export function headerEntries(lines: string): [name: string, value: string][] {
  return lines
    .split('\r\n')
    .slice(0, -1)
    .map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)];
    });
}
