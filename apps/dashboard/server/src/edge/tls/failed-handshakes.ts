import type { TLSSocket } from 'node:tls';
import type { EdgeMetrics, HandshakeOutcome } from '../metrics/edge-metrics.ts';

/** What the errors of handshakes mean, by Node's codes; all others are failures. */
const OUTCOMES: Readonly<Record<string, HandshakeOutcome>> = {
  ECONNRESET: 'left',
  EPIPE: 'left',
  ERR_TLS_HANDSHAKE_TIMEOUT: 'timeout',
};

/** Counts handshakes that end without a connection, each once. */
export class FailedHandshakes {
  readonly #metrics: EdgeMetrics;
  readonly #noted = new WeakMap<TLSSocket, HandshakeOutcome>();

  constructor(metrics: EdgeMetrics) {
    this.#metrics = metrics;
  }

  /** Says why a handshake is about to fail: the error that follows does not. */
  note(socket: TLSSocket, outcome: HandshakeOutcome): void {
    this.#noted.set(socket, outcome);
  }

  failed(socket: TLSSocket, error: NodeJS.ErrnoException): void {
    const outcome = this.#noted.get(socket) ?? OUTCOMES[error.code ?? ''] ?? 'failed';
    this.#metrics.handshake(outcome);
  }
}
