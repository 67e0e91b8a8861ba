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

/** How a body of text is written: as UTF-8, or faster, of ASCII alone, where the two are the same bytes. */
export type TextEncoding = 'utf8' | 'latin1';

/** An answer of this service. */
export interface ServiceResponse extends ServerResponse<IncomingMessage> {
  /** Adds lines, as headerLines makes them, to the head of this answer, whoever sends it. */
  addLines(lines: string): void;

  /**
   * Sends an answer with a finished body, at the end of this turn. `lines` are those of its head that nobody has added, as
   * headerLines makes them, `Content-Length` among them.
   */
  respond(status: number, lines: string, body: string, encoding: TextEncoding): void;
}

export type Handler = (request: IncomingMessage, response: ServiceResponse) => void;

/** Node keeps the head of an answer here from when it is made until it is sent with the first of the body. */
interface WithHead {
  _header: string | null;
}

/**
 * The class of answers that carry some headers whoever writes them, the request's id among them: the
 * router, or what turns a request away before it. All of Node's ways to begin an answer lead through
 * `writeHead`.
 *
 * Node checks and puts together each header of each answer anew, a tenth of all that an answer costs. So
 * `respond` puts a head of ready lines where Node itself puts it, unless there is anything about the
 * connection to decide. The name of that field is no part of Node's interface, but Node has had it for as
 * long as it has had servers, and a test compares what is sent with what `writeHead` would have.
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
      const own = entriesOf(this.#ownLines());
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
        this.writeHead(status, Object.fromEntries(entriesOf(lines)));
      }
      endSoon({ response: this, body, encoding });
    }

    #ownLines(): string {
      return `${this.#added}x-request-id: ${requestId(this.req)}\r\n`;
    }

    /** Whether it is beyond doubt that the connection stays open behind this answer and its body. */
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
 * Ends an answer when all others that are due now are made as well, such as those to the writes of one
 * commit. A client that sleeps has to be woken up for a write; were the next answer made in between, it
 * would be asleep again for that one.
 */
function endSoon(ending: Ending): void {
  if (endings.push(ending) === 1) process.nextTick(endAll);
}

function endAll(): void {
  for (const { response, body, encoding } of endings.splice(0)) response.end(body, encoding);
}

/** The answer that a reply of the framework is about. */
export function responseOf({ raw }: FastifyReply): ServiceResponse {
  return raw as ServiceResponse;
}

/** Headers, names and values in turn, as lines of a head. Throws TypeError where one cannot stand in a head. */
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

/** The names and values that lines of headerLines were made of. */
function entriesOf(lines: string): [name: string, value: string][] {
  return lines
    .split('\r\n')
    .slice(0, -1)
    .map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)];
    });
}
