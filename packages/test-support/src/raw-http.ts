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
  /** How many responses are waited for at least, unless it closes: 1 where undefined. */
  readonly responses?: number;
  /** Whether the server must not respond. Otherwise the first response is waited for: a busy machine takes its time. */
  readonly isSilent?: boolean;
  /** Ends the client's side after the last piece. */
  readonly end?: boolean;
}

/** How long a response is waited for until it is whole, in milliseconds. */
const PATIENCE_MS = 60_000;

/** How often this process looks whether something came before it takes that for silence. */
const LOOKS = 10;

/**
 * Writes bytes on a bare connection, whatever they are, and reads every response until the server
 * closes or says nothing more.
 */
export async function exchange(
  port: number,
  pieces: string | Buffer | readonly (string | Buffer)[],
  { pauseMs = 0, timeoutMs = 1_000, responses = 1, isSilent = false, end = false }: Options = {},
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
  const text = () => Buffer.concat(received).toString('utf8');
  const isToHead = /^HEAD /m.test([pieces].flat().join(''));
  const mayEnd = () => {
    if (received.length === 0) return isSilent;
    const whole = countWhole(text(), isToHead);
    return whole !== undefined && whole >= responses;
  };
  await closedOrQuiet(socket, timeoutMs, mayEnd);
  socket.destroy();
  return parseResponses(text());
}

/**
 * Waits until a connection is closed, or has said nothing for a time where it `mayEnd`. The time is made of short waits,
 * after each of which this process reads what has come: where it is kept from running, it does not take that for silence.
 */
async function closedOrQuiet(
  socket: Socket,
  quietMs: number,
  mayEnd: () => boolean,
): Promise<void> {
  const begun = performance.now();
  let looks = 0;
  const restart = () => {
    looks = 0;
  };
  socket.on('data', restart);
  while (!socket.closed) {
    await closedWithin(socket, quietMs / LOOKS);
    await turn();
    looks += 1;
    if (looks < LOOKS) continue;
    if (mayEnd() || performance.now() - begun > PATIENCE_MS) return;
  }
}

/** Waits until a connection is closed, but not longer. */
function closedWithin(socket: Socket, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      socket.off('close', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    socket.once('close', end);
  });
}

/**
 * How many responses came over the wire; undefined where it does not end where one does. To `HEAD` none has a body,
 * whatever its length says.
 */
function countWhole(text: string, isToHead: boolean): number | undefined {
  let rest = text;
  let count = 0;
  while (rest.length > 0) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) return undefined;
    count++;
    const { status, headers } = parseHead(rest.slice(0, headEnd));
    const bytes = Buffer.from(rest.slice(headEnd + 4), 'utf8');
    const length = lengthOf(status, headers);
    if (bytes.length < length) return isToHead ? count : undefined;
    rest = bytes.subarray(length).toString('utf8');
  }
  return count;
}

function parseHead(head: string): Omit<RawResponse, 'body'> {
  const [statusLine = '', ...lines] = head.split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status, headers };
}

function lengthOf(status: number, headers: RawResponse['headers']): number {
  return status === 100 || status === 304 ? 0 : Number(headers['content-length'] ?? 0);
}

/** Reads responses with a Content-Length, one after another, out of what came over the wire. */
export function parseResponses(text: string): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = text;
  while (rest.length > 0) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) throw new Error(`not a response: ${JSON.stringify(rest.slice(0, 200))}`);
    const { status, headers } = parseHead(rest.slice(0, headEnd));
    const length = lengthOf(status, headers);
    const bytes = Buffer.from(rest.slice(headEnd + 4), 'utf8');
    responses.push({ status, headers, body: bytes.subarray(0, length).toString('utf8') });
    rest = bytes.subarray(length).toString('utf8');
  }
  return responses;
}
