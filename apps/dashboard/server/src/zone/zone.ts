import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { DnsRecord } from '../domains/verdict.ts';
import { Instant, Nullable, OneOf, ref } from '../schema-types.ts';

/** A certificate of the installation's own names. */
const OwnCertificate = Type.Object({
  hostname: Type.String({ description: 'Such as `*.docs.example.com`.' }),
  names: Type.Array(Type.String(), { description: 'All that it is for.' }),
  record: Nullable(ref(DnsRecord)),
  isLed: Nullable(
    Type.Boolean({ description: 'Whether the record is there; null: not looked at yet.' }),
  ),
  certificate: Nullable(Type.Object({ issuer: Type.String(), notAfter: Instant })),
  problem: Nullable(Type.String({ description: 'Why the last attempt brought none.' })),
  nextAttemptAt: Nullable(Instant),
});

/** `GET /api/zone` */
export const InstallationZone = Type.Object(
  {
    name: Nullable(Type.String({ description: 'DNS_ZONE; null: there is none.' })),
    serial: Nullable(Type.Integer({ description: 'Of its SOA record.' })),
    records: Type.Array(ref(DnsRecord), {
      description: 'What delegates the zone: to be created in the zone above.',
    }),
    addresses: Type.Array(ref(DnsRecord), {
      description:
        'The address records of the dashboard, its sites and the API, where the installation is served at names of its own.',
    }),
    wildcard: Nullable(OwnCertificate),
    petstore: Nullable(OwnCertificate),
  },
  { $id: 'InstallationZone' },
);
export type InstallationZone = Static<typeof InstallationZone>;

const Answered = OneOf(['yes', 'no', 'other']);

/** `GET /api/zone/check` */
export const ZoneCheck = Type.Object(
  {
    code: OneOf([
      'delegated',
      'not_delegated',
      'wrong_delegation',
      'address_missing',
      'wrong_address',
      'unreachable',
      'not_resolved',
      'dns_error',
    ]),
    message: Type.String({ description: 'What is the matter, in one sentence.' }),
    remedy: Type.String({ description: 'What to do; empty where all is right.' }),
    records: Type.Array(
      Type.Object({
        type: Type.String(),
        name: Type.String(),
        value: Type.String(),
        status: OneOf(['right', 'other', 'missing', 'unknown']),
      }),
    ),
    addresses: Type.Array(Type.Object({ address: Type.String(), udp: Answered, tcp: Answered }), {
      description: 'Each of DNS_ADDRESSES, and whether this installation answers there.',
    }),
  },
  { $id: 'ZoneCheck' },
);
export type ZoneCheck = Static<typeof ZoneCheck>;
