import { answer } from './answer.ts';
import { faultyReply, isInScope, type Scope, type ServerFault } from './faults.ts';
import { listen } from './listen.ts';
import { type Query, readQuery, writeFormatError, writeReply, writeTruncated } from './message.ts';
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
  /** By default 0, which lets the system pick a free port. */
  readonly port?: number;
  /** Records by the name of their zone. */
  readonly zones?: Readonly<Record<string, readonly ZoneRecord[]>>;
}

/** How many queries are kept. */
const MAX_QUERIES = 10_000;

/**
 * A name server on UDP and TCP, for a laptop and for tests. It is the resolver of a DNS that consists of its zones, and
 * at the same time the authoritative server of these zones. Rejects where the port is taken.
 */
export async function startNameServer({
  address = '127.0.0.1',
  port = 0,
  zones: initial = {},
}: NameServerOptions = {}): Promise<NameServer> {
  const zones = new Map<string, Zone>();
  const faults: { how: ServerFault; scope: Scope }[] = [];
  const queries: string[] = [];

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
    if (queries.length < MAX_QUERIES) queries.push(`${query.question.name} ${query.question.type}`);
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
    queries,
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
