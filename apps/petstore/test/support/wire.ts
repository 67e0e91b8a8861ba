import { connect } from 'node:net';

/** What came over a connection, and how it ended. */
export interface Received {
  readonly text: string;
  /** The pieces in which it came. */
  readonly pieces: number;
  /** end: the server closed it in order; reset: it broke it off; open: neither, until `until` held. */
  readonly ending: 'end' | 'reset' | 'open';
  /** From the first byte that was sent to the end, in milliseconds. */
  readonly ms: number;
}

/**
 * Sends bytes on a connection of its own, and takes down what comes back: until the server ends the connection, or until
 * `until` says that what has come is enough.
 */
export function receive(
  port: number,
  bytes: string,
  until: (text: string) => boolean = () => false,
): Promise<Received> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const chunks: Buffer[] = [];
    const startedAt = performance.now();
    const done = (ending: Received['ending']) => {
      const text = Buffer.concat(chunks).toString('latin1');
      socket.destroy();
      resolve({ text, pieces: chunks.length, ending, ms: performance.now() - startedAt });
    };
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (until(Buffer.concat(chunks).toString('latin1'))) done('open');
    });
    socket.on('end', () => done('end'));
    socket.on('error', () => done('reset'));
  });
}

/** Whether a whole response has come, by its Content-Length. */
export function isWhole(text: string): boolean {
  const at = text.indexOf('\r\n\r\n');
  return at >= 0 && text.length - at - 4 >= Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
}
