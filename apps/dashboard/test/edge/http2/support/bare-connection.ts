import { duplexPair } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { DEFAULT_TIMEOUTS } from '../../../../server/src/edge/connections/limits.ts';
import { Http2Connection } from '../../../../server/src/edge/http2/connection.ts';
import { sendBuffers } from '../../../../server/src/edge/http2/send-buffers.ts';
import type { ServerStream } from '../../../../server/src/edge/http2/stream.ts';
import { frame, framesOf, PREFACE } from '../../tls/support/frames.ts';

const SETTINGS = 4;

/** A connection without TLS, what it sent, and its own mistakes. `turn`: what was written has been read, and answered. */
export function connect(onRequest: (stream: ServerStream, connection: Http2Connection) => void) {
  const [client, socket] = duplexPair();
  const faults: unknown[] = [];
  const connection = new Http2Connection({
    socket: socket as TLSSocket,
    buffer: sendBuffers(60_000)(socket as TLSSocket),
    timeouts: DEFAULT_TIMEOUTS,
    onRequest: (stream) => onRequest(stream, connection),
    onFault: (error) => faults.push(error),
  });
  let received = Buffer.alloc(0);
  client.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
  });
  const turn = async () => {
    for (let turns = 0; turns < 4; turns++) await new Promise(setImmediate);
  };
  client.write(PREFACE);
  client.write(frame(SETTINGS, 0, 0));
  return { client, socket, turn, faults, frames: () => framesOf(received) };
}
