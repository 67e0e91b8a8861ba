import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AUTHORITATIVE_ANSWER,
  type DecodedPacket,
  decode,
  encode,
  type Packet,
  type Question,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from 'dns-packet';
import { anyPort } from '../ports.ts';
import { answer, type Reply } from './answer.ts';
import { faultyReply, isInScope, type Scope, type ServerFault } from './faults.ts';
import { forwarded } from './forward.ts';
import { createZone, type Zone } from './zone.ts';
import type { ZoneRecord } from './zone-record.ts';

export interface NameServer {
  readonly address: string;
  readonly port: number;
  /** `ip:port`, as DNS_SERVERS has it. */
  readonly server: string;
  /** A zone of this server. Throws a RangeError where there is none of that name. */
  zone(origin: string): Zone;
  /** Adds a zone, or replaces the one of that name. */
  addZone(origin: string, records?: readonly ZoneRecord[]): Zone;
  removeZone(origin: string): void;
  /** Has the resolver find a zone at another server, `ip:port`, which may take so long to respond. */
  forward(origin: string, server: string, timeoutMs?: number): void;
  /** Adds a fault. Of several for a query the last one is used. */
  injectFault(how: ServerFault, scope?: Scope): void;
  /** Removes all faults. */
  clearFaults(): void;
  /** The queries so far, such as `docs.example.test CNAME`. */
  readonly queries: readonly string[];
  close(): Promise<void>;
}

export interface NameServerOptions {
  /** An address of this machine. Linux has all of 127.0.0.0/8, so that several servers can use the same port. */
  readonly address?: string;
  /** By default a free one that the system gives to nobody, so that others can have it at other addresses. */
  readonly port?: number;
  /** Records by the name of their zone. */
  readonly zones?: Readonly<Record<string, readonly ZoneRecord[]>>;
}

/** What the handling of a query gives: the bytes of the response, soon or now; undefined: none. */
type Response = Buffer | Promise<Buffer> | undefined;

/** How long another server may take by default, in milliseconds. */
const FORWARD_MS = 1_000;

/** How many queries are kept. */
const MAX_QUERIES = 10_000;

/**
 * A name server on UDP and TCP, for a laptop and for tests. It is the resolver of a DNS that consists of its zones, and
 * at the same time the authoritative server of these zones. Rejects where the port is taken.
 */
export async function startNameServer({
  address = '127.0.0.1',
  port,
  zones: initial = {},
}: NameServerOptions = {}): Promise<NameServer> {
  const zones = new Map<string, Zone>();
  const forwards = new Map<string, { server: string; timeoutMs: number }>();
  const faults: { how: ServerFault; scope: Scope }[] = [];
  const queries: string[] = [];

  function addZone(origin: string, records?: readonly ZoneRecord[]): Zone {
    const zone = createZone(origin, records);
    zones.set(zone.origin, zone);
    return zone;
  }
  for (const [origin, records] of Object.entries(initial)) addZone(origin, records);

  function reply(query: Query, how: ServerFault | undefined, isUdp: boolean): Response {
    const { question } = query;
    if (how === 'drop' || (how === 'truncate_drop' && !isUdp)) return undefined;
    if (how === 'no_edns' && query.hasEdns) return writeFormatError(query);
    if (how === 'malformed') return Buffer.from('no message at all');
    if (isUdp && (how === 'truncate' || how === 'truncate_drop')) return writeTruncated(query);
    const right = () =>
      answer([...zones.values()], { ...question, isRecursive: query.isRecursive });
    const write = (said: Reply) => {
      const bytes = writeReply(how === 'wrong_id' ? { ...query, id: query.id ^ 1 } : query, said);
      return isUdp && bytes.length > query.maxBytes ? writeTruncated(query) : bytes;
    };
    const faulty = how && faultyReply(how, question);
    if (faulty) return write(faulty);
    const known = right();
    const rest = query.isRecursive ? forwarded(forwards, question, known) : undefined;
    return rest ? rest.then(write) : write(known);
  }

  const sockets = await listen(address, port, (message, isUdp, send) => {
    const query = readQuery(message);
    if (!query) return;
    if (queries.length < MAX_QUERIES) queries.push(`${query.question.name} ${query.question.type}`);
    const how = faults.findLast(({ scope }) => isInScope(scope, query.question))?.how;
    const response = reply(query, how, isUdp);
    if (!response) return;
    const late = lateness(how);
    if (late === undefined && !(response instanceof Promise)) send(response);
    else void Promise.all([response, late]).then(([bytes]) => send(bytes));
  });

  return {
    address,
    port: sockets.port,
    server: `${address}:${sockets.port}`,
    queries,
    zone(origin) {
      const zone = zones.get(origin);
      if (!zone) throw new RangeError(`There is no zone ${origin} here.`);
      return zone;
    },
    addZone,
    removeZone: (origin) => void zones.delete(origin),
    forward: (origin, server, timeoutMs = FORWARD_MS) =>
      void forwards.set(origin, { server, timeoutMs }),
    injectFault: (how, scope = {}) => void faults.push({ how, scope }),
    clearFaults: () => void faults.splice(0),
    close: sockets.close,
  };
}

/** When a fault lets a response go; undefined: it has no part in that. */
function lateness(how: ServerFault | undefined): Promise<unknown> | undefined {
  if (typeof how !== 'object') return undefined;
  if ('slowMs' in how) return sleep(how.slowMs, undefined, { ref: false });
  return 'until' in how ? how.until : undefined;
}

/** The limit of an answer over UDP: 512 bytes without EDNS; with it, a size that is fragmented nowhere. */
const PLAIN_BYTES = 512;
const MAX_BYTES = 1_232;

const RCODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;

const FORMERR = 1;

interface Query {
  readonly id: number;
  readonly question: Question;
  readonly isRecursive: boolean;
  readonly hasEdns: boolean;
  /** The longest answer over UDP, in bytes. */
  readonly maxBytes: number;
}

/** The query in a message; undefined where the bytes are not a query with exactly one question. */
export function readQuery(message: Buffer): Query | undefined {
  let packet: DecodedPacket;
  try {
    packet = decode(message);
  } catch {
    return undefined;
  }
  const [question, ...more] = packet.questions ?? [];
  if (packet.flag_qr || !question || more.length > 0) return undefined;
  const edns = packet.additionals?.find((record) => record.type === 'OPT');
  const maxBytes = Math.min(MAX_BYTES, Math.max(PLAIN_BYTES, edns?.udpPayloadSize ?? 0));
  return {
    id: packet.id ?? 0,
    question,
    isRecursive: packet.flag_rd,
    hasEdns: edns !== undefined,
    maxBytes,
  };
}

export function writeReply(query: Query, reply: Reply): Buffer {
  return encode({
    ...header(query, RCODES[reply.rcode] | (reply.isAuthoritative ? AUTHORITATIVE_ANSWER : 0)),
    answers: [...reply.answers],
    authorities: [...reply.authorities],
    additionals: [...reply.additionals],
  });
}

/** The response that says that the query cannot be read. */
function writeFormatError(query: Query): Buffer {
  return encode(header(query, FORMERR));
}

/** The response that tells the client to ask again over TCP. */
function writeTruncated(query: Query): Buffer {
  return encode(header(query, TRUNCATED_RESPONSE));
}

function header({ id, question, isRecursive }: Query, flags: number): Packet {
  const recursion = isRecursive ? RECURSION_DESIRED | RECURSION_AVAILABLE : 0;
  return { type: 'response', id, flags: flags | recursion, questions: [question] };
}

/** Handles a message. `send` sends a response, and does nothing once the sender is gone. */
type OnMessage = (message: Buffer, isUdp: boolean, send: (bytes: Buffer) => void) => void;

/** A port that is free for TCP may be taken for UDP, so it may take a few attempts. */
const MAX_ATTEMPTS = 20;

/** Listens for DNS messages on one port, UDP and TCP. Rejects with EADDRINUSE where it is taken. */
async function listen(address: string, port: number | undefined, onMessage: OnMessage) {
  const open = new Set<Socket>();
  const tcp = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    readMessages(socket, onMessage);
  });
  const udp = await listenOnBoth(tcp, address, port);
  udp.on('message', (message, sender) => {
    onMessage(message, true, (bytes) => {
      // The client may be gone by now, which is not an error of this server.
      if (tcp.listening) udp.send(bytes, sender.port, sender.address, () => undefined);
    });
  });
  return {
    port: udp.address().port,
    async close(): Promise<void> {
      for (const socket of open) socket.destroy();
      const closed = [once(udp, 'close'), once(tcp, 'close')];
      udp.close();
      tcp.close();
      await Promise.all(closed);
    },
  };
}

async function listenOnBoth(
  tcp: Server,
  address: string,
  port: number | undefined,
): Promise<UdpSocket> {
  for (let attempt = 1; ; attempt += 1) {
    tcp.listen(port ?? (await anyPort([])), address);
    await once(tcp, 'listening');
    const udp = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    try {
      udp.bind((tcp.address() as { port: number }).port, address);
      await once(udp, 'listening');
      return udp;
    } catch (error) {
      const closed = once(tcp, 'close');
      tcp.close();
      await closed;
      if (port !== undefined || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** RFC 1035, section 4.2.2: over TCP each message has its length in front, two bytes. */
function readMessages(socket: Socket, onMessage: OnMessage): void {
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      const message = received.subarray(2, end);
      received = received.subarray(end);
      onMessage(message, false, (bytes) => {
        const length = Buffer.alloc(2);
        length.writeUInt16BE(bytes.length);
        if (socket.writable) socket.write(Buffer.concat([length, bytes]));
      });
    }
  });
}
