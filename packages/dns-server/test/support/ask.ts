import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { type DecodedPacket, decode, encode, type Packet } from 'dns-packet';
import { type NameServerOptions, startNameServer } from '../../src/name-server.ts';
import { ZONE } from './zone.ts';

/** How long a response that has to come is waited for, in milliseconds: a machine may have much else to do. */
const WAIT_MS = 20_000;

/** Starts a name server on loopback, and what asks it. */
export async function start(t: TestContext, options: Partial<NameServerOptions> = {}) {
  const server = await startNameServer({ hosts: ['127.0.0.1'], port: 0, zone: ZONE, ...options });
  cleanUp(t, server.close);
  return { server, ask: (query: Query) => ask(server.port, query) };
}

export interface Query {
  readonly name: string;
  readonly type?: string;
  readonly class?: string;
  readonly edns?: Partial<Extract<NonNullable<Packet['additionals']>[number], { type: 'OPT' }>>;
  readonly flags?: number;
  readonly isTcp?: boolean;
}

/** A query's bytes. Its id is 4660. */
export function queryBytes({ name, type = 'TXT', class: of = 'IN', edns, flags = 0 }: Query) {
  const question = { name, type, class: of } as never;
  const opt = {
    ...{ type: 'OPT', name: '.', udpPayloadSize: 1_232, extendedRcode: 0, ednsVersion: 0 },
    ...{ flags: 0, flag_do: false, options: [] },
    ...edns,
  } as never;
  const additionals = edns ? [opt] : [];
  return encode({ type: 'query', id: 4_660, flags, questions: [question], additionals });
}

/** Asks once; rejects where there is no response. */
export async function ask(port: number, query: Query): Promise<Response> {
  const bytes = queryBytes(query);
  const [response] = query.isTcp ? await askOverTcp(port, [bytes]) : [await sendUdp(port, bytes)];
  if (!response) throw new Error('There was no response.');
  return readResponse(response);
}

export type Response = Omit<DecodedPacket, 'rcode'> & {
  readonly bytes: Buffer;
  readonly rcode: number;
  readonly edns: Extract<NonNullable<Packet['additionals']>[number], { type: 'OPT' }> | undefined;
};

export function readResponse(bytes: Buffer): Response {
  const packet = decode(bytes);
  const edns = packet.additionals?.find((record) => record.type === 'OPT');
  const rcode = bytes.readUInt16BE(2) & 0xf;
  return { ...packet, bytes, rcode, edns };
}

/** The response to any bytes over UDP; undefined: none came. */
export async function sendUdp(
  port: number,
  bytes: Buffer,
  waitMs = WAIT_MS,
): Promise<Buffer | undefined> {
  const socket = createSocket('udp4');
  try {
    socket.send(bytes, port, '127.0.0.1');
    const [message] = await once(socket, 'message', { signal: AbortSignal.timeout(waitMs) });
    return message;
  } catch {
    return undefined;
  } finally {
    socket.close();
  }
}

/** The responses to several queries, sent at once over one connection, until it has them all or the server ends it. */
export async function askOverTcp(port: number, queries: readonly Buffer[]): Promise<Buffer[]> {
  const socket = connect(port, '127.0.0.1');
  const framed = queries.flatMap((query) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(query.length);
    return [length, query];
  });
  socket.write(Buffer.concat(framed));
  const responses: Buffer[] = [];
  let received = Buffer.alloc(0);
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      responses.push(received.subarray(2, end));
      received = received.subarray(end);
    }
    if (responses.length === queries.length) break;
  }
  return responses;
}
