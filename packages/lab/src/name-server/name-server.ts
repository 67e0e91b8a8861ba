import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
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
import { answer, type Reply } from './answer.ts';
import { faultyReply, isInScope, type Scope, type ServerFault } from './faults.ts';
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
  /** Adds a fault. Of several for a query the last one counts. */
  injectFault(how: ServerFault, scope?: Scope): void;
  /** Ends all faults. */
  clearFaults(): void;
  /** The queries so far, such as `docs.example.test CNAME`. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

export interface NameServerOptions {
  /** An address of this machine; of 127.0.0.0/8 Linux has them all, so that servers can share a port. */
  readonly address?: string;
  /** 0, which it is where it is left out, lets the system pick a free one. */
  readonly port?: number;
  /** Records by the name of their zone. */
  readonly zones?: Readonly<Record<string, readonly ZoneRecord[]>>;
}

/** How many queries are kept. */
const MAX_ASKED = 10_000;

/**
 * A name server on UDP and TCP for a laptop and for tests: at once the resolver of a DNS that consists
 * of its zones, and these zones' own server. Rejects where the port is taken.
 */
export async function startNameServer({
  address = '127.0.0.1',
  port = 0,
  zones: initial = {},
}: NameServerOptions = {}): Promise<NameServer> {
  const zones = new Map<string, Zone>();
  const faults: { how: ServerFault; scope: Scope }[] = [];
  const asked: string[] = [];

  function addZone(origin: string, records?: readonly ZoneRecord[]): Zone {
    const zone = createZone(origin, records);
    zones.set(zone.origin, zone);
    return zone;
  }
  for (const [origin, records] of Object.entries(initial)) addZone(origin, records);

  function reply(query: Query, how: ServerFault | undefined, isUdp: boolean): Buffer | undefined {
    const { question } = query;
    if (how === 'drop' || (how === 'truncate_drop' && !isUdp)) return undefined;
    if (how === 'no_edns' && query.hasEdns) return writeFormatError(query);
    if (how === 'malformed') return Buffer.from('no message at all');
    if (isUdp && (how === 'truncate' || how === 'truncate_drop')) return writeTruncated(query);
    const right = () =>
      answer([...zones.values()], { ...question, isRecursive: query.isRecursive });
    const said = (how && faultyReply(how, question)) ?? right();
    const bytes = writeReply(how === 'wrong_id' ? { ...query, id: query.id ^ 1 } : query, said);
    return isUdp && bytes.length > query.maxBytes ? writeTruncated(query) : bytes;
  }

  const sockets = await listen(address, port, (message, isUdp, send) => {
    const query = readQuery(message);
    if (!query) return;
    if (asked.length < MAX_ASKED) asked.push(`${query.question.name} ${query.question.type}`);
    const how = faults.findLast(({ scope }) => isInScope(scope, query.question))?.how;
    const bytes = reply(query, how, isUdp);
    if (!bytes) return;
    if (typeof how === 'object' && 'slowMs' in how) setTimeout(send, how.slowMs, bytes).unref();
    else send(bytes);
  });

  return {
    address,
    port: sockets.port,
    server: `${address}:${sockets.port}`,
    asked,
    zone(origin) {
      const zone = zones.get(origin);
      if (!zone) throw new RangeError(`There is no zone ${origin} here.`);
      return zone;
    },
    addZone,
    removeZone: (origin) => void zones.delete(origin),
    injectFault: (how, scope = {}) => void faults.push({ how, scope }),
    clearFaults: () => void faults.splice(0),
    close: sockets.close,
  };
}

/** Without EDNS an answer over UDP has 512 bytes; with it no more than passes everywhere in one piece. */
const PLAIN_BYTES = 512;
const MAX_BYTES = 1_232;

const RCODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;

const FORMERR = 1;

interface Query {
  readonly id: number;
  readonly question: Question;
  readonly isRecursive: boolean;
  readonly hasEdns: boolean;
  /** How long an answer over UDP may be, in bytes. */
  readonly maxBytes: number;
}

/** The one question in a message; undefined where it is no message or asks something else. */
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

/** The answer that says: this question cannot be read. */
function writeFormatError(query: Query): Buffer {
  return encode(header(query, FORMERR));
}

/** The answer that says: ask again over TCP. */
function writeTruncated(query: Query): Buffer {
  return encode(header(query, TRUNCATED_RESPONSE));
}

function header({ id, question, isRecursive }: Query, flags: number): Packet {
  const recursion = isRecursive ? RECURSION_DESIRED | RECURSION_AVAILABLE : 0;
  return { type: 'response', id, flags: flags | recursion, questions: [question] };
}

/** Takes a message; `send` answers it, and does nothing once its sender is gone. */
type OnMessage = (message: Buffer, isUdp: boolean, send: (bytes: Buffer) => void) => void;

/** A port that is free for TCP can be taken for UDP; another one is found soon. */
const MAX_ATTEMPTS = 20;

/** Listens for DNS messages on one port, UDP and TCP. Rejects with EADDRINUSE where it is taken. */
async function listen(address: string, port: number, onMessage: OnMessage) {
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
      // Whoever asked may be gone by now: that is no error of ours.
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

async function listenOnBoth(tcp: Server, address: string, port: number): Promise<UdpSocket> {
  for (let attempt = 1; ; attempt += 1) {
    tcp.listen(port, address);
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
      if (port !== 0 || attempt === MAX_ATTEMPTS) throw error;
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
