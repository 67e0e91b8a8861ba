import type { ServerHttp2Session } from 'node:http2';
import type { Timeouts } from '../http-limits.ts';

/**
 * Ends a session that has had no stream for as long as HTTP/1 keeps a connection, whatever else comes on it:
 * a client may send PING for ever. Streams have a time of their own.
 */
export function endIdle(session: ServerHttp2Session, { keepAlive, headers }: Timeouts): void {
  let open = 0;
  const end = () => {
    if (open > 0) return;
    session.close();
    // It waits for the client, which may not be there.
    setTimeout(() => session.destroy(), headers).unref();
  };
  // The client's first bytes are the preface; then it asks, or why did it come?
  const idle = setTimeout(end, keepAlive).unref();
  session.on('stream', (stream) => {
    open++;
    stream.once('close', () => {
      open--;
      if (open === 0) idle.refresh();
    });
  });
  session.once('close', () => clearTimeout(idle));
}
