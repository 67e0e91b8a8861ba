import { answer } from './answer.ts';
import { createCookies } from './cookies.ts';
import { type Query, RCODES, readQuery } from './read-query.ts';
import { type Allowance, limitResponses, type Rate } from './response-rate.ts';
import { type Transport, writeAnswer, writeError, writeTruncated } from './write-response.ts';
import { indexZone, type ZoneIndex } from './zone.ts';
import type { Zone } from './zone-record.ts';

/** Answers messages from a zone. */
export interface Responder {
  /**
   * The response to a message from an address; undefined: there is none. Never throws, whatever the bytes are. Over TCP
   * a client's address is its own, and so its responses are not counted.
   */
  respond(message: Buffer, client: string, tcp?: { idleMs: number }): Buffer | undefined;
  /** Changes what it answers, from now on. Throws RangeError for a zone that nobody may answer from. */
  setZone(zone: Zone): void;
  /** Since the start. */
  readonly counts: Counts;
}

export interface Counts {
  queries: number;
  /** Over UDP, truncated or dropped for their number. */
  limited: number;
}

export interface ResponderOptions {
  readonly rate: Rate;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Until it has a zone, it answers with SERVFAIL. */
export function createResponder({ rate, now = Date.now }: ResponderOptions): Responder {
  const cookies = createCookies(now);
  const allowanceOf = limitResponses(rate, now);
  const counts: Counts = { queries: 0, limited: 0 };
  let zone: ZoneIndex | undefined;

  function allowanceFor({ edns }: Query, client: string): Allowance {
    if (edns?.cookie && cookies.isValid(edns.cookie, client)) return 'answer';
    return allowanceOf(client);
  }

  function respondTo(query: Query, transport: Transport): Buffer {
    const { question, edns, error } = query;
    if (error !== undefined) return writeError(query, error, transport);
    if (edns && edns.version !== 0) return writeError(query, RCODES.BADVERS, transport);
    if (!question) return writeError(query, RCODES.NOERROR, transport);
    if (!zone) return writeError(query, RCODES.SERVFAIL, transport);
    return writeAnswer(query, answer(zone, question), transport);
  }

  return {
    counts,
    setZone(next) {
      zone = indexZone(next);
    },
    respond(message, client, tcp) {
      const query = readQuery(message);
      if (!query) return undefined;
      counts.queries += 1;
      const allowance = tcp ? 'answer' : allowanceFor(query, client);
      if (allowance !== 'answer') counts.limited += 1;
      if (allowance === 'drop') return undefined;
      const cookie = query.edns?.cookie && cookies.make(query.edns.cookie, client);
      const keepAliveMs = query.edns?.wantsKeepAlive ? tcp?.idleMs : undefined;
      const transport = { isTcp: tcp !== undefined, cookie, keepAliveMs };
      if (allowance === 'slip') return writeTruncated(query, transport);
      return respondTo(query, transport);
    },
  };
}
