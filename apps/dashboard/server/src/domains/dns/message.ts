import { randomInt } from 'node:crypto';
import {
  type Answer,
  type DecodedPacket,
  decode,
  encode,
  type Packet,
  RECURSION_DESIRED,
} from 'dns-packet';
import type { Outcome, RecordType, Resource } from './outcome.ts';

export interface Question {
  readonly name: string;
  readonly type: RecordType;
  /** For a resolver, and not for a zone's own server. */
  readonly isRecursive: boolean;
}

/** What passes everywhere in one piece. */
const UDP_BYTES = 1_232;

/** More records than this at a name are nobody's intention; the rest is not looked at. */
const MAX_RECORDS = 200;

const RCODE_MASK = 15;

export interface Query {
  readonly id: number;
  readonly question: Question;
  readonly bytes: Buffer;
}

/** A question in bytes, with an id that cannot be guessed. `edns`: old servers stumble over it. */
export function writeQuery(question: Question, { edns }: { edns: boolean }): Query {
  const id = randomInt(65_536);
  const packet: Packet = {
    type: 'query',
    id,
    flags: question.isRecursive ? RECURSION_DESIRED : 0,
    questions: [{ name: question.name, type: question.type }],
    additionals: edns ? [OPT] : [],
  };
  return { id, question, bytes: encode(packet) };
}

const OPT: Answer = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: UDP_BYTES,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

/**
 * What a message says to a query: `foreign` where it answers another one, `truncated` where the
 * whole is to be had over TCP.
 */
export function readAnswer(query: Query, message: Buffer): Outcome | 'foreign' | 'truncated' {
  let packet: DecodedPacket;
  try {
    packet = decode(message);
  } catch {
    return { kind: 'malformed' };
  }
  const asked = packet.questions?.[0];
  const isAnswer = packet.flag_qr && packet.id === query.id;
  const { name, type } = query.question;
  if (!isAnswer || plainName(asked?.name) !== name || asked?.type !== type) return 'foreign';
  return packet.flag_tc ? 'truncated' : outcome(packet, type);
}

function outcome(packet: DecodedPacket, type: RecordType): Outcome {
  const rcode = (packet.flags ?? 0) & RCODE_MASK;
  if (rcode === 1) return { kind: 'malformed' };
  if (rcode === 2) return { kind: 'servfail' };
  if (rcode !== 0 && rcode !== 3) return { kind: 'refused' };
  const records = (packet.answers ?? []).slice(0, MAX_RECORDS).flatMap(resource);
  if (records.some((record) => record.type === type)) return { kind: 'found', records };
  return {
    kind: rcode === 3 ? 'nxdomain' : 'nodata',
    records,
    negativeTtl: negativeTtl(packet.authorities ?? []),
  };
}

/** RFC 2308, section 5: the lesser of the SOA record's own TTL and its last field. */
function negativeTtl(authorities: readonly Answer[]): number | undefined {
  const soa = authorities.find((record) => record.type === 'SOA');
  return soa && Math.min(soa.ttl ?? 0, soa.data.minimum ?? 0);
}

/** None for types that are not asked for here. */
function resource(answer: Answer): Resource[] {
  if (answer.type === 'OPT') return [];
  const { name, ttl = 0 } = answer;
  const of = (type: RecordType, value: string) => [{ name: plainName(name), type, ttl, value }];
  switch (answer.type) {
    case 'A':
    case 'AAAA':
      return of(answer.type, answer.data);
    case 'CNAME':
    case 'NS':
      return of(answer.type, plainName(answer.data));
    case 'MX':
      return of('MX', `${answer.data.preference ?? 0} ${plainName(answer.data.exchange)}`);
    case 'SOA':
      return of('SOA', `${answer.data.serial ?? 0}`);
    case 'TXT':
      return of(
        'TXT',
        Buffer.concat([answer.data].flat().map((part) => Buffer.from(part))).toString(),
      );
    case 'CAA':
      return of('CAA', `${answer.data.flags ?? 0} ${answer.data.tag} "${answer.data.value}"`);
    default:
      return [];
  }
}

function plainName(name: string | undefined): string {
  return (name ?? '').toLowerCase().replace(/\.$/, '');
}
