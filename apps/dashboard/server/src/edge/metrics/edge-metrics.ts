import type { Socket } from 'node:net';
import type { Counter, Histogram, Metrics } from '@petstore/service/metrics/instruments.ts';
import type { FastPathResponse } from '../fast-path/responses.ts';
import type { EdgeRequest } from '../http/edge-request.ts';
import type { Respond } from '../http/respond.ts';
import type { EdgeResponse } from '../http/response.ts';
import {
  describeTally,
  RESPONSE_KINDS,
  responseKind,
  type Tally,
  tallyOf,
} from './response-kind.ts';

/** HTTP/1.1 without TLS and with it, and HTTP/2. */
export type EdgeProtocol = 'http' | 'https' | 'h2';

/** How a TLS handshake ended. */
const HANDSHAKES = [
  'done',
  /** A challenge of an authority (RFC 8737). */
  'challenge',
  /** There is no certificate for the name that the client asked for. */
  'no_certificate',
  /** The client left, or was closed because it said nothing. */
  'left',
  'timeout',
  /** Too many connections of one address, or too many handshakes. */
  'refused',
  /** No protocol in common, no name, or bytes that are no handshake. */
  'failed',
] as const;

export type HandshakeOutcome = (typeof HANDSHAKES)[number];

/** Histogram bounds of the time until there is a response, in seconds: from memory, from the database, from afar. */
const DURATION_BOUNDS = [
  ...[0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05],
  ...[0.1, 0.25, 0.5, 1, 2.5, 5, 10],
];

/** The status of a request that failed without a response of its own. */
const FAILED = 503;

/**
 * What the edge counts for the operator. No label is chosen by users: neither hosts nor paths, only what kind of thing
 * was asked for.
 */
export class EdgeMetrics {
  readonly #requests;
  readonly #durations;
  readonly #handshakes: ReadonlyMap<HandshakeOutcome, Counter>;
  readonly #open = { http: 0, https: 0 };

  constructor(metrics: Metrics) {
    this.#requests = metrics.counter(
      'dashboard_edge_requests_total',
      'Requests for sites by protocol, by kind of what was asked for, and by class of status.',
    );
    this.#durations = metrics.histogram(
      'dashboard_edge_request_duration_seconds',
      'Time from the head of a request until its response is ready, by protocol.',
      DURATION_BOUNDS,
    );
    const handshakes = metrics.counter(
      'dashboard_edge_tls_handshakes_total',
      'TLS handshakes by how they ended.',
    );
    // Created at the start: a rate needs a series that was seen before it grew.
    this.#handshakes = new Map(
      HANDSHAKES.map((outcome) => [outcome, handshakes.with({ outcome })]),
    );
    for (const protocol of ['http', 'https'] as const) {
      metrics.gauge(
        'dashboard_edge_connections',
        'Open connections, with those whose TLS handshake is under way.',
        () => this.#open[protocol],
        { protocol },
      );
    }
  }

  handshake(outcome: HandshakeOutcome): void {
    this.#handshakes.get(outcome)?.add();
  }

  /** Counts a connection for as long as it is open. */
  connection(socket: Socket, protocol: 'http' | 'https'): void {
    this.#open[protocol]++;
    socket.once('close', () => this.#open[protocol]--);
  }

  /** The counters of a protocol. */
  over(protocol: EdgeProtocol): ProtocolMetrics {
    return new ProtocolMetrics(
      (tally) => this.#requests.with({ protocol, ...describeTally(tally) }),
      this.#durations.with({ protocol }),
    );
  }
}

/** What is counted of the requests over one protocol. */
export class ProtocolMetrics {
  readonly #create: (tally: Tally) => Counter;
  readonly #durations: Histogram;
  readonly #counts: (Counter | undefined)[] = new Array(10 * RESPONSE_KINDS.length).fill(undefined);

  constructor(create: (tally: Tally) => Counter, durations: Histogram) {
    this.#create = create;
    this.#durations = durations;
    for (const tally of [tallyOf('page', 200), tallyOf('other', FAILED)]) this.#countOf(tally);
  }

  /** The responses of the fast path that were sent together. `begun`: when the first request came. */
  sent(batch: readonly { readonly response: FastPathResponse }[], begun: number): void {
    this.#durations.observeEach((performance.now() - begun) / 1_000, batch.length);
    for (const { response } of batch) this.#countOf(response.tally).value++;
  }

  /** The same `respond`, with each response counted. */
  counted(respond: Respond): Respond {
    const end = ({ target }: EdgeRequest, response: EdgeResponse, begun: number) => {
      this.#durations.observe((performance.now() - begun) / 1_000);
      const { status, tally = tallyOf(responseKind(target, status), status) } = response;
      this.#countOf(tally).value++;
      return response;
    };
    const fail = ({ target }: EdgeRequest) => {
      this.#countOf(tallyOf(responseKind(target, FAILED), FAILED)).value++;
    };
    return (request) => {
      const begun = performance.now();
      try {
        const response = respond(request);
        if (!(response instanceof Promise)) return end(request, response, begun);
        return response.then(
          (settled) => end(request, settled, begun),
          (error) => {
            fail(request);
            throw error;
          },
        );
      } catch (error) {
        fail(request);
        throw error;
      }
    };
  }

  #countOf(tally: Tally): Counter {
    const known = this.#counts[tally];
    if (known) return known;
    const count = this.#create(tally);
    this.#counts[tally] = count;
    return count;
  }
}
