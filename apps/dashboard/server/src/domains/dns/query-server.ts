import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, isIP } from 'node:net';
import { saysBogus } from './dnssec/extended-errors.ts';
import { MAX_UDP_BYTES, type Query, type Question, readAnswer, writeQuery } from './message.ts';
import { type FailedQuery, isFailure, type Outcome } from './outcome.ts';

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

const MALFORMED = { kind: 'malformed' } as const;

/**
 * Sends one query to one server: over UDP, over TCP where the response is truncated, and a second time where the first
 * response was unusable. A resolver that fails twice is asked once more for what it has without validation: where it
 * has an answer then, or says so, that is `dnssec_bogus`. Sends nothing when the quota is used up. Never rejects.
 */
export async function queryServer(
  server: ServerAddress,
  question: Question,
  limits: QueryLimits,
): Promise<Outcome> {
  const first = await attempt(server, question, limits, { edns: true, read: readAnswer });
  if (first === 'unreachable') return { kind: 'timeout' };
  if (!WORTH_A_RETRY.includes(first.kind) || limits.signal.aborted) return first;
  const second = await attempt(server, question, limits, { edns: false, read: readAnswer });
  if (second === 'unreachable') return { kind: 'timeout' };
  if (second.kind !== 'servfail') return second;
  const failed: FailedQuery = first.kind === 'servfail' ? first : second;
  if (!question.isRecursive || limits.signal.aborted) return failed;
  const unchecked = { ...question, isUnchecked: true };
  const third = await attempt(server, unchecked, limits, { edns: true, read: readAnswer });
  const isRefused = third === 'unreachable' || isFailure(third);
  const isBogus = !isRefused || failed.extended?.some(({ code }) => saysBogus(code));
  return isBogus ? { ...failed, kind: 'dnssec_bogus' } : failed;
}

/** Sends one query to one server, once, and reads the response with `read`; undefined: there is none to be read. */
export async function queryServerOnce<Response extends object>(
  server: ServerAddress,
  question: Question,
  limits: QueryLimits,
  read: ReadResponse<Response | NoResponse>,
): Promise<Response | undefined> {
  const response = await attempt(server, question, limits, { edns: true, read });
  return response === 'unreachable' || 'kind' in response ? undefined : response;
}

/** Reads a response, as readAnswer does. */
export type ReadResponse<Response> = (
  query: Query,
  message: Buffer,
) => Response | 'foreign' | 'truncated';

interface AttemptOptions<Response> {
  readonly edns: boolean;
  readonly read: ReadResponse<Response>;
}

/** Nothing that can be read came. */
export type NoResponse = { readonly kind: 'malformed' | 'timeout' };

/** The same over TCP alone, once. */
export async function queryServerOverTcp(
  server: ServerAddress,
  question: Question,
  { timeoutMs, signal, quota }: QueryLimits,
): Promise<Outcome> {
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const query = writeQuery(question, { edns: true });
  const outcome = await overTcp(server, query, readAnswer, { signal: timeout, quota }).catch(
    () => undefined,
  );
  return typeof outcome === 'object' ? outcome : { kind: 'timeout' };
}

async function attempt<Response extends object>(
  server: ServerAddress,
  question: Question,
  { timeoutMs, signal, quota }: QueryLimits,
  { edns, read }: AttemptOptions<Response>,
): Promise<Response | NoResponse | 'unreachable'> {
  for (const send of [overUdp, overTcp]) {
    if (!quota.takeQuery()) return MALFORMED;
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const outcome = await send(server, writeQuery(question, { edns }), read, {
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
async function overUdp<Response extends object>(
  { address, port }: ServerAddress,
  query: Query,
  read: ReadResponse<Response>,
  { signal, quota }: Limits,
): Promise<Response | NoResponse | 'truncated'> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  try {
    // On a connected socket the system picks a random port, drops what others send, and reports a closed port at once.
    socket.connect(port, address);
    await once(socket, 'connect', { signal });
    socket.send(query.bytes);
    for (let foreign = 0; foreign <= MAX_FOREIGN; foreign++) {
      const [message] = (await once(socket, 'message', { signal })) as [Buffer];
      if (message.length > MAX_UDP_BYTES || !quota.takeBytes(message.length)) return MALFORMED;
      const answer = read(query, message);
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
async function overTcp<Response extends object>(
  { address, port }: ServerAddress,
  query: Query,
  read: ReadResponse<Response>,
  { signal, quota }: Limits,
): Promise<Response | NoResponse | 'truncated'> {
  const socket = connect({ port, host: address, signal });
  try {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(query.bytes.length);
    socket.write(Buffer.concat([length, query.bytes]));
    const message = await readMessage(socket, quota);
    const answer = message && read(query, message);
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
