import type { ServerHttp2Session } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Timeouts } from '../http-limits.ts';

/**
 * Ends a session that has had no stream for as long as HTTP/1 keeps a connection, whatever else comes on it:
 * a client may send PING for ever. Streams have a time of their own.
 */
export function endIdle(
  session: ServerHttp2Session,
  socket: TLSSocket,
  { keepAlive, headers }: Timeouts,
): void {
  let open = 0;
  const end = () => {
    if (open > 0) return;
    session.close();
    // Node waits for the client to end its side, which it may never do.
    setTimeout(() => socket.destroy(), headers).unref();
  };
  const idle = setTimeout(end, keepAlive).unref();
  session.on('stream', (stream) => {
    open++;
    stream.once('close', () => {
      open--;
      if (open === 0) idle.refresh();
    });
  });
  socket.once('close', () => clearTimeout(idle));
}
