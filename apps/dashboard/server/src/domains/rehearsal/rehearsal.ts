import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable, OneOf, ref } from '../../schema-types.ts';
import { DnsRecord } from '../verdict.ts';

/** What a rehearsal may find. The order is that of importance; a retired code is never reused. */
export const FINDING_CODES = [
  'not_proven',
  'no_certificate',
  'certificate_refused',
  'site_not_served',
  'dns_error',
  'caa_blocks',
  'mail_lost',
  'not_compared',
  'pages_missing',
  'records_lost',
  'hsts',
  'long_ttl',
  'ipv6_lost',
  'headers_lost',
  'partly_compared',
  'leads_elsewhere',
] as const;

const Finding = Type.Object({
  code: OneOf(FINDING_CODES),
  level: OneOf(['missing', 'advice'], {
    description: '`missing`: readers would notice. `advice`: good to know before the move.',
  }),
  title: Type.String({ description: 'A few words.' }),
  message: Type.String({ description: 'What is the matter.' }),
  remedy: Type.String({ description: 'What to do; empty where nothing is to be done.' }),
  add: Type.Array(ref(DnsRecord), { description: 'Records to create.' }),
  details: Type.Array(Type.String(), { description: 'Records or headers, a line each.' }),
});
export type Finding = Static<typeof Finding>;

const ComparedPage = Type.Object({
  path: Type.String({ description: 'Percent-encoded.' }),
  title: Type.String(),
  state: OneOf(['found', 'redirected', 'missing']),
  to: Nullable(Type.String({ description: 'Where it is redirected here.' })),
  suggestion: Nullable(
    Type.String({ description: 'Where a redirect should lead, if it is missing here.' }),
  ),
});
export type ComparedPage = Static<typeof ComparedPage>;

const Comparison = Type.Object({
  origin: Type.String({ description: 'The site that is there today.' }),
  found: Type.Integer(),
  redirected: Type.Integer(),
  missing: Type.Integer(),
  pages: Type.Array(ComparedPage, { description: 'The missing ones first.' }),
  cutBy: Nullable(
    OneOf(['addresses', 'time', 'bytes', 'failures'], {
      description: 'What ended the comparison before all addresses were seen.',
    }),
  ),
  excluded: Type.Integer({ description: 'Addresses that its robots.txt excludes.' }),
  redirects: Type.String({
    description: 'The suggested redirects as a part of docs.yaml; empty where there are none.',
  }),
});
export type Comparison = Static<typeof Comparison>;

const Facts = Type.Object({
  certificate: Nullable(Type.Object({ issuer: Type.String(), notAfter: Instant })),
  hsts: Nullable(
    Type.Object(
      {
        maxAgeSeconds: Type.Integer(),
        includesSubdomains: Type.Boolean(),
        isPreload: Type.Boolean(),
        until: Instant,
      },
      { description: 'As the old host sets it; `until` for who was there at the rehearsal.' },
    ),
  ),
  replaced: Nullable(
    Type.Object(
      {
        type: Type.String(),
        name: Type.String(),
        value: Type.String(),
        ttl: Type.Integer({ description: 'Seconds. Everyone sees the new record after them.' }),
      },
      { description: 'The record that the move replaces.' },
    ),
  ),
  oldAddresses: Type.Array(Type.String()),
  ourAddresses: Type.Array(Type.String()),
});
export type RehearsalFacts = Static<typeof Facts>;

/** `GET /api/projects/{slug}/domains/{hostname}/rehearsals/latest` */
export const Rehearsal = Type.Object(
  {
    state: OneOf(['waiting', 'running', 'finished', 'failed']),
    requestedAt: Instant,
    requestedBy: Type.String(),
    finishedAt: Nullable(Instant),
    pagesSeen: Type.Integer({ description: 'Pages of the old site so far.' }),
    problem: Nullable(Type.String({ description: 'Why it failed.' })),
    result: Nullable(
      Type.Object({
        verdict: OneOf(['ready', 'not_ready', 'nothing_to_move'], {
          description: '`nothing_to_move`: the name leads here already, or nowhere.',
        }),
        message: Type.String(),
        findings: Type.Array(Finding, { description: 'The most important first.' }),
        comparison: Nullable(Comparison),
        facts: Nullable(Facts),
      }),
    ),
  },
  { $id: 'Rehearsal' },
);
export type Rehearsal = Static<typeof Rehearsal>;
export type RehearsalResult = NonNullable<Rehearsal['result']>;
