import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Answer, type DecodedPacket, decode, encode, RECURSION_DESIRED } from 'dns-packet';
import type { Reply } from './answer.ts';
import { isAtOrBelow, plainName } from './zone-record.ts';

/** Zones that other servers answer for. */
export type Forwards = ReadonlyMap<string, Forward>;

interface Forward {
  /** `ip:port`. */
  readonly server: string;
  /** How long it may take, in milliseconds. */
  readonly timeoutMs: number;
}

const RCODES: Readonly<Record<string, Reply['rcode']>> = {
  NOERROR: 'NOERROR',
  NXDOMAIN: 'NXDOMAIN',
  REFUSED: 'REFUSED',
};

/**
 * What a resolver says to a question whose answer ends, after the CNAME records that are known here, in a zone of another
 * server: that server is asked for the rest. undefined where it does not end there.
 */
export function forwarded(
  forwards: Forwards,
  question: { readonly name: string; readonly type: string },
  known: Reply,
): Promise<Reply> | undefined {
  if (forwards.size === 0) return undefined;
  const last = known.answers.at(-1);
  if (last && last.type !== 'CNAME') return undefined;
  if (last && question.type === 'CNAME') return undefined;
  const name = plainName(last?.type === 'CNAME' ? String(last.data) : question.name);
  const [, forward] = [...forwards].find(([zone]) => isAtOrBelow(name, zone)) ?? [];
  if (forward === undefined) return undefined;
  return ask(forward, name, question.type).then(
    (rest) => ({ ...rest, answers: [...known.answers, ...rest.answers] }),
    () => ({ ...NOTHING, rcode: 'SERVFAIL' }),
  );
}

const NOTHING = { isAuthoritative: false, answers: [], authorities: [], additionals: [] } as const;

async function ask({ server, timeoutMs }: Forward, name: string, type: string): Promise<Reply> {
  const socket = createSocket('udp4').unref();
  try {
    const [address = '', port = ''] = server.split(':');
    const received = once(socket, 'message', { signal: AbortSignal.timeout(timeoutMs) });
    const id = Math.floor(Math.random() * 65_536);
    const questions = [{ name, type: type as Answer['type'] }];
    const query = encode({ type: 'query', id, flags: RECURSION_DESIRED, questions } as never);
    socket.send(query, Number(port), address);
    const [message] = await received;
    const packet: DecodedPacket & { rcode?: string } = decode(message);
    return {
      ...NOTHING,
      rcode: RCODES[packet.rcode ?? ''] ?? 'SERVFAIL',
      answers: packet.answers ?? [],
      authorities: packet.authorities ?? [],
    };
  } finally {
    socket.close();
  }
}
