import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';

/** A response as it came over the wire. */
export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Record<string, string>;
  readonly body: string;
}

interface Options {
  /** Waits between the pieces, in milliseconds. */
  readonly pauseMs?: number;
  /** For how long the server says nothing more before it has said all, unless it closes. */
  readonly timeoutMs?: number;
  /** Whether the server must not respond. Otherwise the first response is waited for: a busy machine takes its time. */
  readonly isSilent?: boolean;
  /** Ends the client's side after the last piece. */
  readonly end?: boolean;
}

/** How long the first bytes of a response may take, in milliseconds. */
const PATIENCE_MS = 5_000;

/**
 * Writes bytes on a bare connection, whatever they are, and reads every response until the server
 * closes or says nothing more.
 */
export async function exchange(
  port: number,
  pieces: string | Buffer | readonly (string | Buffer)[],
  { pauseMs = 0, timeoutMs = 1_000, isSilent = false, end = false }: Options = {},
): Promise<RawResponse[]> {
  const socket = connect(port, '127.0.0.1');
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  for (const piece of [pieces].flat() as (string | Buffer)[]) {
    if (socket.destroyed) break;
    socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
    await sleep(pauseMs);
    // A server in this process has read it by then, however late the pause ended.
    if (pauseMs > 0) await turn();
  }
  if (end) socket.end();
  await closedOrQuiet(socket, timeoutMs, isSilent || received.length > 0);
  socket.destroy();
  return parseResponses(Buffer.concat(received).toString('utf8'));
}

/** Waits until a connection is closed, or has said nothing for a time since it `began` to. */
function closedOrQuiet(socket: Socket, quietMs: number, began: boolean): Promise<void> {
  if (socket.closed) return Promise.resolve();
  return new Promise((resolve) => {
    let timer = setTimeout(resolve, began ? quietMs : Math.max(quietMs, PATIENCE_MS));
    socket.on('data', () => {
      clearTimeout(timer);
      timer = setTimeout(resolve, quietMs);
    });
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Reads responses with a Content-Length, one after another, out of what came over the wire. */
export function parseResponses(text: string): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = text;
  while (rest.length > 0) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) throw new Error(`not a response: ${JSON.stringify(rest.slice(0, 200))}`);
    const [statusLine = '', ...lines] = rest.slice(0, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const length = status === 100 ? 0 : Number(headers['content-length'] ?? 0);
    const bytes = Buffer.from(rest.slice(headEnd + 4), 'utf8');
    responses.push({ status, headers, body: bytes.subarray(0, length).toString('utf8') });
    rest = bytes.subarray(length).toString('utf8');
  }
  return responses;
}
