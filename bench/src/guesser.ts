import { once } from 'node:events';
import { connect } from 'node:net';
import { BenchError } from './failure.ts';

/** Requests that are sent without waiting for answers. */
const AT_ONCE = 100;

/** What begins an answer, and its status. A body here never has it. */
const STATUS = /HTTP\/1\.1 (\d{3})/g;
const STATUS_LENGTH = 'HTTP/1.1 200'.length;

/**
 * Asks for a list `count` times on one connection, each time with another key; how often it was
 * answered with which status. Throws BenchError when a key was good after all.
 */
export async function guess(
  port: number,
  count: number,
  keyOf: (n: number) => string,
): Promise<Map<string, number>> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  const statuses = new Map<string, number>();
  let unread = '';
  try {
    for (let sent = 0; sent < count; ) {
      const size = Math.min(AT_ONCE, count - sent);
      const requests = Array.from(
        { length: size },
        (_, n) =>
          `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${keyOf(sent + n)}\r\n\r\n`,
      );
      socket.write(requests.join(''));
      for (let answered = 0; answered < size; ) {
        const [chunk] = await once(socket, 'data');
        unread += chunk;
        for (const [, status = ''] of unread.matchAll(STATUS)) {
          if (status !== '401' && status !== '429') {
            throw new BenchError(`A wrong key was answered with ${status}.`);
          }
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          answered++;
        }
        // The beginning of the next answer may have come in part.
        const last = unread.lastIndexOf('HTTP/1.1 ');
        const isWhole = last >= 0 && unread.length >= last + STATUS_LENGTH;
        unread = unread.slice(isWhole ? last + STATUS_LENGTH : Math.max(last, unread.length - 12));
      }
      sent += size;
    }
  } finally {
    socket.destroy();
  }
  return statuses;
}
