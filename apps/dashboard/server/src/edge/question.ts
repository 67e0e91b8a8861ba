import type { IncomingHttpHeaders } from 'node:http';

/** What a client asks, over whichever version of HTTP. */
export interface Question {
  readonly method: string;
  /** As it arrived. */
  readonly target: string;
  /** Of the one Host header or `:authority`; undefined where there is none, or more than one. */
  readonly authority: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The canonical name by which the TLS connection was made; undefined: there is no TLS. */
  readonly serverName: string | undefined;
}
