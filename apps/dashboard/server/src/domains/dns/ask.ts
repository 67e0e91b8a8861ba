import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type Query, type Question, readAnswer, writeQuery } from './message.ts';
import type { Outcome } from './outcome.ts';
import type { ServerAddress } from './server-address.ts';

/** Of these a second try can come out better. */
const WORTH_A_RETRY: readonly Outcome['kind'][] = ['timeout', 'malformed', 'servfail'];

/** How long each try may take, in milliseconds; over TCP it has the same time again. */
interface Patience {
  readonly timeoutMs: number;
  /** Ends the question at once, as a timeout. */
  readonly signal: AbortSignal;
}

/**
 * Puts one question to one server: over UDP, over TCP where the answer is too long for that, a second
 * time where there was no answer. Never rejects.
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
  { timeoutMs, signal }: Patience,
  edns: boolean,
): Promise<Outcome | 'unreachable'> {
  for (const way of [overUdp, overTcp]) {
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const outcome = await way(server, writeQuery(question, { edns }), timeout);
      if (outcome !== 'truncated') return outcome;
    } catch {
      return timeout.aborted ? { kind: 'timeout' } : 'unreachable';
    }
  }
  return { kind: 'malformed' };
}

/** Rejects when the time is up, and when nobody listens there. */
async function overUdp(
  { address, port }: ServerAddress,
  query: Query,
  signal: AbortSignal,
): Promise<Outcome | 'truncated'> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  try {
    // Connected to it, the system drops what others send, picks a random port, and tells at once when nobody listens.
    socket.connect(port, address);
    await once(socket, 'connect', { signal });
    socket.send(query.bytes);
    for (;;) {
      const [message] = (await once(socket, 'message', { signal })) as [Buffer];
      const answer = readAnswer(query, message);
      if (answer !== 'foreign') return answer;
    }
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
  signal: AbortSignal,
): Promise<Outcome | 'truncated'> {
  const socket = connect({ port, host: address, signal });
  try {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(query.bytes.length);
    socket.write(Buffer.concat([length, query.bytes]));
    let received = Buffer.alloc(0);
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) continue;
      const answer = readAnswer(query, received.subarray(2, 2 + received.readUInt16BE(0)));
      return answer === 'foreign' || answer === 'truncated' ? { kind: 'malformed' } : answer;
    }
    return { kind: 'malformed' };
  } finally {
    socket.destroy();
  }
}
