import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http';
import { keepAliveLines } from '@petstore/service/keep-alive-lines.ts';

type Headers = Readonly<Record<string, string>>;

/** How a body of text is written: as UTF-8, or faster, of ASCII alone, where the two are the same bytes. */
export type TextEncoding = 'utf8' | 'latin1';

/** An answer of this service. */
export interface ServiceResponse extends ServerResponse<IncomingMessage> {
  /**
   * Sends a 200 after which the connection stays open. `lines` are those of its head that are its own, as
   * headerLines makes them. What was set by name is sent as well.
   */
  sendReady(lines: string, body: string, encoding: TextEncoding): void;
}

export type Handler = (request: IncomingMessage, response: ServiceResponse) => void;

/** Node keeps the head of an answer here from when it is made until it is sent with the first of the body. */
interface WithHead {
  _header: string | null;
}

/**
 * The class of answers that carry some headers whoever writes them: the router, or what turns a request
 * away before it. All of Node's ways to begin an answer lead through `writeHead`.
 *
 * `sendReady` is for the short way alone, which sends the same head over and over: Node would check and
 * put together each header of each answer again, a tenth of all that an answer costs. So the head is put
 * where Node itself puts it. The name of that field is no part of Node's interface, but Node has had it for
 * as long as it has had servers, and a test compares what is sent with what `writeHead` would have.
 */
export function answersWith(
  always: Headers,
  keepAliveTimeoutMs: number,
): typeof ServerResponse<IncomingMessage> & (new (request: IncomingMessage) => ServiceResponse) {
  const connectionLines = keepAliveLines(keepAliveTimeoutMs);
  const alwaysList = Object.entries(always).flat();
  const alwaysLines = headerLines(alwaysList);

  return class extends ServerResponse<IncomingMessage> implements ServiceResponse {
    override writeHead(
      status: number,
      first?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
      second?: OutgoingHttpHeaders | OutgoingHttpHeader[],
    ): this {
      const reason = typeof first === 'string' ? first : undefined;
      const given = typeof first === 'string' ? second : first;
      const headers = Array.isArray(given) ? [...alwaysList, ...given] : { ...always, ...given };
      return super.writeHead(status, reason, headers);
    }

    sendReady(lines: string, body: string, encoding: TextEncoding): void {
      let set = '';
      for (const name of this.getHeaderNames()) set += `${name}: ${this.getHeader(name)}\r\n`;
      (this as unknown as WithHead)._header =
        `HTTP/1.1 200 OK\r\n${lines}${alwaysLines}${set}${connectionLines()}`;
      this.end(body, encoding);
    }
  };
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
