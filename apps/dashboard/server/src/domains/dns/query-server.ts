import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, isIP } from 'node:net';
import { MAX_UDP_BYTES, type Query, type Question, readAnswer, writeQuery } from './message.ts';
import type { Outcome } from './outcome.ts';

export interface ServerAddress {
  readonly address: string;
  readonly port: number;
}

/** How much one check may send and read. A name with everything wrong needs a tenth of either. */
const MAX_QUERIES = 600;
const MAX_BYTES = 524_288;

/** Bounds one check: the records of others decide how many queries it sends, and their servers how much it reads. */
export interface Quota {
  /** Counts a query; false: there were too many. */
  takeQuery(): boolean;
  /** Counts the bytes of a response; false: there were too many. */
  takeBytes(bytes: number): boolean;
}

export function createQuota(): Quota {
  let queries = 0;
  let read = 0;
  return {
    takeQuery() {
      queries += 1;
      return queries <= MAX_QUERIES;
    },
    takeBytes(bytes) {
      read += bytes;
      return read <= MAX_BYTES;
    },
  };
}

/** After these a second try may succeed. */
const WORTH_A_RETRY: readonly Outcome['kind'][] = ['timeout', 'malformed', 'servfail'];

/** How long each try may take, in milliseconds; over TCP it has the same time again. */
interface QueryLimits {
  readonly timeoutMs: number;
  /** Aborts the query, as a timeout does. */
  readonly signal: AbortSignal;
  readonly quota: Quota;
}

/** The longest response over TCP that is read. */
const MAX_TCP_BYTES = 8_192;

/** How many responses to other queries one query ignores. */
const MAX_FOREIGN = 10;

const MALFORMED: Outcome = { kind: 'malformed' };

/**
 * Sends one query to one server: over UDP, over TCP where the response is truncated, and a second time where the first
 * response was unusable. Sends nothing when the quota is used up. Never rejects.
 */
export async function queryServer(
  server: ServerAddress,
  question: Question,
  limits: QueryLimits,
): Promise<Outcome> {
  const first = await attempt(server, question, limits, true);
  if (first === 'unreachable') return { kind: 'timeout' };
  if (!WORTH_A_RETRY.includes(first.kind) || limits.signal.aborted) return first;
  const second = await attempt(server, question, limits, false);
  return second === 'unreachable' ? { kind: 'timeout' } : second;
}

/** The same over TCP alone, once. */
export async function queryServerOverTcp(
  server: ServerAddress,
  question: Question,
  { timeoutMs, signal, quota }: QueryLimits,
): Promise<Outcome> {
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const query = writeQuery(question, { edns: true });
  const outcome = await overTcp(server, query, { signal: timeout, quota }).catch(() => undefined);
  return typeof outcome === 'object' ? outcome : { kind: 'timeout' };
}

async function attempt(
  server: ServerAddress,
  question: Question,
  { timeoutMs, signal, quota }: QueryLimits,
  edns: boolean,
): Promise<Outcome | 'unreachable'> {
  for (const send of [overUdp, overTcp]) {
    if (!quota.takeQuery()) return MALFORMED;
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const outcome = await send(server, writeQuery(question, { edns }), {
        signal: timeout,
        quota,
      });
      if (outcome !== 'truncated') return outcome;
    } catch {
      return timeout.aborted ? { kind: 'timeout' } : 'unreachable';
    }
  }
  return MALFORMED;
}

type Limits = Pick<QueryLimits, 'signal' | 'quota'>;

/** Rejects on a timeout, and when the port is closed. */
async function overUdp(
  { address, port }: ServerAddress,
  query: Query,
  { signal, quota }: Limits,
): Promise<Outcome | 'truncated'> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  try {
    // On a connected socket the system picks a random port, drops what others send, and reports a closed port at once.
    socket.connect(port, address);
    await once(socket, 'connect', { signal });
    socket.send(query.bytes);
    for (let foreign = 0; foreign <= MAX_FOREIGN; foreign++) {
      const [message] = (await once(socket, 'message', { signal })) as [Buffer];
      if (message.length > MAX_UDP_BYTES || !quota.takeBytes(message.length)) return MALFORMED;
      const answer = readAnswer(query, message);
      if (answer !== 'foreign') return answer;
    }
    return MALFORMED;
  } finally {
    // Later errors do not matter.
    socket.on('error', () => undefined);
    socket.close();
  }
}

/** RFC 7766: two bytes of length come before each message. Rejects as overUdp does. */
async function overTcp(
  { address, port }: ServerAddress,
  query: Query,
  { signal, quota }: Limits,
): Promise<Outcome | 'truncated'> {
  const socket = connect({ port, host: address, signal });
  try {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(query.bytes.length);
    socket.write(Buffer.concat([length, query.bytes]));
    const message = await readMessage(socket, quota);
    const answer = message && readAnswer(query, message);
    return typeof answer === 'object' ? answer : MALFORMED;
  } finally {
    socket.destroy();
  }
}

/** The first message; undefined where it is too long or incomplete. */
async function readMessage(
  chunks: AsyncIterable<Buffer>,
  quota: Quota,
): Promise<Buffer | undefined> {
  const received = Buffer.alloc(2 + MAX_TCP_BYTES);
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.copy(received, length);
    if (length < 2) continue;
    const end = 2 + received.readUInt16BE(0);
    if (end > received.length) return undefined;
    if (length < end) continue;
    return quota.takeBytes(end) ? received.subarray(2, end) : undefined;
  }
  return undefined;
}

/** `ip`, `ip:port`, `[ip]:port`: as DNS_SERVERS has them, and as Node tells the system's. */
export function readServerAddress(text: string): ServerAddress {
  if (isIP(text)) return { address: text, port: 53 };
  const colon = text.lastIndexOf(':');
  const address = text.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return { address, port: Number(text.slice(colon + 1)) };
}
