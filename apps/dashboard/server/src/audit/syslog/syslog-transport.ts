import { createSocket } from 'node:dgram';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { SyslogConfig } from './syslog-config.ts';

/** How long a receiver may take to accept a connection, to read, and to close it. */
const CONNECT_MS = 10_000;
const READ_MS = 20_000;
const CLOSE_MS = 5_000;

/** How long what was written is on its way, at most. */
const ARRIVE_MS = 300;

/**
 * Sends messages to a receiver, in order. Over TCP and TLS it resolves when the receiver has closed the connection after
 * the last message, and so has read them all; rejects where they may not have arrived. UDP tells little: it rejects only
 * where the machine says that nobody listens.
 */
export async function sendSyslog(
  config: SyslogConfig,
  messages: readonly string[],
  { roots, signal }: { roots: string[] | undefined; signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted();
  if (config.transport === 'udp') return sendDatagrams(config, messages, signal);
  // Octet counting (RFC 6587, section 3.4.1, and RFC 5425, section 4.3): a text may have line breaks.
  const frames = messages.map((message) => `${Buffer.byteLength(message)} ${message}`).join('');
  return sendStream(connect(config, roots), frames, config.transport === 'tls', signal);
}

function connect({ transport, host, port }: SyslogConfig, roots: string[] | undefined): Socket {
  return transport === 'tls'
    ? connectTls({ host, port, minVersion: 'TLSv1.2', ...(roots && { ca: roots }) })
    : connectTcp({ host, port });
}

/**
 * Writes all frames, waits until they must have arrived, ends this side of the connection, and waits for the receiver
 * to end its own. A receiver never ends first: one that does has failed, and one that closes with unread bytes resets
 * the connection. Where it keeps its side open, the frames count as read once its system has acknowledged them.
 */
function sendStream(
  socket: Socket,
  frames: string,
  isTls: boolean,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let turn: NodeJS.Immediate | undefined;
    const stopWaiting = () => {
      clearTimeout(timer);
      clearImmediate(turn);
    };
    const within = (ms: number, then: () => void) => {
      stopWaiting();
      // If this process stood still itself, it first reads what arrived meanwhile.
      timer = setTimeout(() => {
        turn = setImmediate(then);
      }, ms);
    };
    const end = (error?: Error) => {
      stopWaiting();
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    const onAbort = () => end(new Error('the service stops'));
    let isEnding = false;
    within(CONNECT_MS, () => end(new Error(`no connection within ${CONNECT_MS / 1_000} s`)));
    socket.on(isTls ? 'secureConnect' : 'connect', () => {
      within(READ_MS, () => end(new Error('the receiver does not read')));
      socket.write(frames, () =>
        within(ARRIVE_MS, () => {
          isEnding = true;
          within(CLOSE_MS, () => end());
          socket.end();
        }),
      );
    });
    socket.on('error', end);
    const onEnd = () =>
      end(isEnding ? undefined : new Error('the receiver closed the connection first'));
    socket.on('end', onEnd);
    socket.on('close', onEnd);
    // Receivers have nothing to say.
    socket.resume();
    signal.addEventListener('abort', onAbort);
  });
}

async function sendDatagrams(
  { host, port }: SyslogConfig,
  messages: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  // What the network says of a message comes after it was sent, at any time.
  const failed = new Promise<never>((_resolve, reject) => socket.on('error', reject));
  failed.catch(() => {});
  const done = (work: (callback: (error?: Error | null) => void) => void) =>
    Promise.race([
      failed,
      new Promise<void>((resolve, reject) => work((error) => (error ? reject(error) : resolve()))),
    ]);
  try {
    await done((callback) => socket.connect(port, host, () => callback()));
    for (const message of messages) {
      signal.throwIfAborted();
      await done((callback) => socket.send(message, callback));
      // A turn, in which such an error is told.
      await done((callback) => setImmediate(callback));
    }
  } finally {
    socket.close();
  }
}
