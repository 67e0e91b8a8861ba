import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable, OneOf, ref } from '../../schema-types.ts';

const RecordSeen = Type.Object({
  type: OneOf(['A', 'AAAA', 'CNAME', 'MX', 'TXT']),
  value: Type.String(),
});

/** What a name server says of a name. */
const ServerAnswer = Type.Object({
  name: Type.String({ description: 'Its name, or its address where it is a resolver.' }),
  address: Nullable(Type.String()),
  kind: OneOf(['zone', 'resolver'], {
    description: "`zone`: one of the zone's own servers. `resolver`: one that visitors may ask.",
  }),
  answer: OneOf(['new', 'old', 'none', 'error'], {
    description: '`new`: the name leads here. `old`: elsewhere. `none`: there is no record.',
  }),
  records: Type.Array(RecordSeen),
  ttlSeconds: Nullable(
    Type.Integer({
      description: 'How long the answer may be kept; from a resolver: how long it still keeps it.',
    }),
  ),
  error: Nullable(Type.String({ description: 'Why there is no answer.' })),
});
export type ServerAnswer = Static<typeof ServerAnswer>;

const ServedCertificate = Type.Object({
  address: Type.String(),
  family: OneOf(['IPv4', 'IPv6']),
  serves: OneOf(['ours', 'other', 'none', 'unknown'], {
    description:
      "`ours`: this domain's certificate. `none`: no TLS. `unknown`: nobody could be asked from here.",
  }),
  issuer: Nullable(Type.String()),
  notAfter: Nullable(Instant),
  problem: Nullable(Type.String()),
});
export type ServedCertificate = Static<typeof ServedCertificate>;

/** `GET /api/projects/{slug}/domains/{hostname}/traffic` */
export const DomainTraffic = Type.Object(
  {
    isCounted: Type.Boolean({
      description:
        'Requests are counted while the name is prepared, for 48 hours after it came, and after it moved away.',
    }),
    lastRequestAt: Nullable(Instant),
    minutes: Type.Array(Type.Object({ at: Instant, requests: Type.Integer() }), {
      description:
        'Requests at all edges together in the last 15 minutes, the oldest first; minutes without any are left out. The newest ten seconds may be missing.',
    }),
    isQuiet: Type.Boolean({
      description: 'It moved away, and nobody asked for it here for a week.',
    }),
  },
  { $id: 'DomainTraffic' },
);
export type DomainTraffic = Static<typeof DomainTraffic>;

const WayBack = Type.Object({
  records: Type.Array(
    Type.Object({ ...RecordSeen.properties, name: Type.String(), ttlSeconds: Type.Integer() }),
    { description: 'What the name had when it was first seen.' },
  ),
  seenAt: Instant,
  answers: Type.Boolean({ description: 'The host that they lead to answers now.' }),
  answer: Type.String({ description: 'What it answers, or why it does not, in words.' }),
  answeredAt: Nullable(Instant),
});

/** `GET /api/projects/{slug}/domains/{hostname}/move` */
export const DomainMove = Type.Object(
  {
    hostname: Type.String(),
    target: Type.String({ description: 'Where the name has to lead.' }),
    at: Instant,
    state: OneOf(['before', 'moving', 'done'], {
      description:
        '`before`: nobody has the new record. `done`: all that answer have it, all addresses serve the certificate, and no cache may have the old one any more.',
    }),
    servers: Type.Array(ServerAnswer),
    everyoneBy: Nullable(
      Type.String({
        format: 'date-time',
        description:
          "When the last cache that keeps to TTLs forgets the old record; null: not all of the zone's servers have the new one, or nothing is known of the old one.",
      }),
    ),
    certificates: Type.Array(ServedCertificate, {
      description: 'What is served over TLS at the addresses that the resolvers give.',
    }),
    traffic: ref(DomainTraffic),
    wayBack: Nullable(WayBack),
  },
  { $id: 'DomainMove' },
);
export type DomainMove = Static<typeof DomainMove>;
