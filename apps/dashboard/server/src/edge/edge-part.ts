import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import type { EdgeLog } from './edge-log.ts';
import type { Failures } from './failures.ts';
import type { Timeouts } from './http-limits.ts';
import type { AnswerPlainly } from './plain-answers.ts';
import type { Respond } from './respond.ts';

/** What the edge's servers have in common. */
export interface Shared {
  readonly respond: Respond;
  /** undefined: no request takes the short way. */
  readonly answerPlainly: AnswerPlainly | undefined;
  readonly failures: Failures;
  readonly log: EdgeLog;
  readonly timeouts: Timeouts;
  /** For each port; 0: without bound. */
  readonly connectionsPerAddress: number;
  readonly closing: AbortSignal;
}

/** A server of the edge, listening. */
export interface EdgePart {
  readonly port: number;
  /** Ends it, with the answers that are under way, in bounded time. */
  readonly drain: () => Promise<void>;
}

/** Listens; its port. Rejects with Node's error where it can't. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
