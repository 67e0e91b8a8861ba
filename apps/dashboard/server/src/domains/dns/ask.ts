import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Allowance } from './allowance.ts';
import { MAX_UDP_BYTES, type Query, type Question, readAnswer, writeQuery } from './message.ts';
import type { Outcome } from './outcome.ts';
import type { ServerAddress } from './server-address.ts';

/** Of these a second try can come out better. */
const WORTH_A_RETRY: readonly Outcome['kind'][] = ['timeout', 'malformed', 'servfail'];

/** How long each try may take, in milliseconds; over TCP it has the same time again. */
interface Patience {
  readonly timeoutMs: number;
  /** Ends the question at once, as a timeout. */
  readonly signal: AbortSignal;
  readonly allowance: Allowance;
}

/** Over TCP. What is longer is for nobody whom this service has to know. */
const MAX_TCP_BYTES = 8_192;

/** Answers to other questions that one question waits through. */
const MAX_FOREIGN = 10;

const MALFORMED: Outcome = { kind: 'malformed' };

/**
 * Puts one question to one server: over UDP, over TCP where the answer is too long for that, a second
 * time where there was no answer. Nothing is asked when the allowance is used up. Never rejects.
 */
export async function ask(
  server: ServerAddress,
  question: Question,
  patience: Patience,
): Promise<Outcome> {
  const first = await attempt(server, question, patience, true);
  if (first === 'unreachable') return { kind: 'timeout' };
  if (!WORTH_A_RETRY.includes(first.kind) || patience.signal.aborted) return first;
  const second = await attempt(server, question, patience, false);
  return second === 'unreachable' ? { kind: 'timeout' } : second;
}

async function attempt(
  server: ServerAddress,
  question: Question,
  { timeoutMs, signal, allowance }: Patience,
  edns: boolean,
): Promise<Outcome | 'unreachable'> {
  for (const way of [overUdp, overTcp]) {
    if (!allowance.mayAsk()) return MALFORMED;
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const outcome = await way(server, writeQuery(question, { edns }), {
        signal: timeout,
        allowance,
      });
      if (outcome !== 'truncated') return outcome;
    } catch {
      return timeout.aborted ? { kind: 'timeout' } : 'unreachable';
    }
  }
  return MALFORMED;
}

type Limits = Pick<Patience, 'signal' | 'allowance'>;

/** Rejects when the time is up, and when nobody listens there. */
async function overUdp(
  { address, port }: ServerAddress,
  query: Query,
  { signal, allowance }: Limits,
): Promise<Outcome | 'truncated'> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  try {
    // Connected to it, the system drops what others send, picks a random port, and tells at once when nobody listens.
    socket.connect(port, address);
    await once(socket, 'connect', { signal });
    socket.send(query.bytes);
    for (let foreign = 0; foreign <= MAX_FOREIGN; foreign++) {
      const [message] = (await once(socket, 'message', { signal })) as [Buffer];
      if (message.length > MAX_UDP_BYTES || !allowance.mayRead(message.length)) return MALFORMED;
      const answer = readAnswer(query, message);
      if (answer !== 'foreign') return answer;
    }
    return MALFORMED;
  } finally {
    // What arrives from here on is nobody's concern.
    socket.on('error', () => undefined);
    socket.close();
  }
}

/** RFC 7766: each message has its length in front, two bytes. Rejects as overUdp does. */
async function overTcp(
  { address, port }: ServerAddress,
  query: Query,
  { signal, allowance }: Limits,
): Promise<Outcome | 'truncated'> {
  const socket = connect({ port, host: address, signal });
  try {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(query.bytes.length);
    socket.write(Buffer.concat([length, query.bytes]));
    const message = await readMessage(socket, allowance);
    const answer = message && readAnswer(query, message);
    return typeof answer === 'object' ? answer : MALFORMED;
  } finally {
    socket.destroy();
  }
}

/** The first message that comes; undefined where it is too long, or does not come whole. */
async function readMessage(
  chunks: AsyncIterable<Buffer>,
  allowance: Allowance,
): Promise<Buffer | undefined> {
  const received = Buffer.alloc(2 + MAX_TCP_BYTES);
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.copy(received, length);
    if (length < 2) continue;
    const end = 2 + received.readUInt16BE(0);
    if (end > received.length) return undefined;
    if (length < end) continue;
    return allowance.mayRead(end) ? received.subarray(2, end) : undefined;
  }
  return undefined;
}
