import { Type } from '@petstore/service/schema-builders.ts';
import type { Static } from 'typebox';
import { Instant, Nullable, OneOf, ref } from '../schema-types.ts';
import { DnsRecord, Verdict } from './verdict.ts';

const Hostname = Type.String({
  description: 'In lower case and in punycode, such as `docs.example.com`.',
});

const RedirectStatus = Type.Unsafe<301 | 302 | 308>({ type: 'integer', enum: [301, 302, 308] });

/** `POST /api/projects/{slug}/domains` */
export const NewDomain = Type.Object({
  hostname: Type.String({
    minLength: 1,
    maxLength: 512,
    description:
      'As people write it; or a wildcard, such as `*.docs.example.com`, which needs `DNS_ZONE`.',
  }),
  prepare: Type.Optional(
    Type.Boolean({
      description:
        'Another host serves the name now: a CNAME at `_acme-challenge.` and the name proves it and brings the certificate before the name itself leads here.',
    }),
  ),
  pair: Type.Optional(
    Type.Boolean({
      description:
        "Also adds `www.example.com` where this is `example.com`, and the other way round; both or none. The plan's limit counts both. This one becomes the primary, to which the other redirects.",
    }),
  ),
});
export type NewDomain = Static<typeof NewDomain>;

/** `PATCH /api/projects/{slug}/domains/{hostname}` */
export const DomainChange = Type.Object(
  {
    hsts: Type.Optional(
      Nullable(
        Type.Object({
          maxAgeSeconds: Type.Integer({ minimum: 300, maximum: 63_072_000 }),
          includeSubdomains: Type.Boolean(),
        }),
      ),
    ),
    prepare: Type.Optional(Type.Boolean()),
    redirectTo: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          maxLength: 2_000,
          description:
            'All requests lead there: a path of the site, such as `/v2`, or `https://` and another domain of the project with a path. null: it shows the site.',
        }),
      ),
    ),
    redirectStatus: Type.Optional(RedirectStatus),
    keepPath: Type.Optional(
      Type.Boolean({ description: 'The path of the request follows that of `redirectTo`.' }),
    ),
    version: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          maxLength: 40,
          description: 'The one version that the domain shows; null: the whole site.',
        }),
      ),
    ),
  },
  { minProperties: 1 },
);
export type DomainChange = Static<typeof DomainChange>;

/** A certificate as it is served. */
export const Certificate = Type.Object(
  {
    issuer: Type.String(),
    serial: Type.String(),
    notBefore: Instant,
    notAfter: Instant,
    issuedAt: Instant,
    renewAt: Instant,
  },
  { $id: 'Certificate' },
);
export type Certificate = Static<typeof Certificate>;

const IssuanceProblem = Type.Object({
  type: Type.String({ description: "RFC 8555's name for it, without its urn." }),
  detail: Type.String({ description: "The authority's own words." }),
  explanation: Type.String({ description: 'The same in plain words, with what to do.' }),
  at: Instant,
});

/** A certificate under way, or why there is none. */
export const Issuance = Type.Object(
  {
    kind: OneOf(['first', 'renewal']),
    step: Type.String({
      description: 'What comes next: account, order, challenge, validate, finalize, download.',
    }),
    stepAt: Instant,
    requestedAt: Instant,
    failures: Type.Integer({ description: 'Failed attempts in a row.' }),
    nextAttemptAt: Nullable(Instant),
    authority: Type.String({ description: 'The name of the authority that is asked.' }),
    /** The directory is a staging one, whose certificates are not served. */
    isStaging: Type.Boolean(),
    problem: Nullable(IssuanceProblem),
    tried: Type.Array(
      Type.Object({
        authority: Type.String(),
        problem: IssuanceProblem,
        nextAt: Nullable(Instant),
      }),
      { description: 'Other authorities, which refused or are not asked now, and until when.' },
    ),
    /** Failed orders that this installation allows itself for the name in an hour, and how many are left. */
    budget: Type.Object({ limit: Type.Integer(), left: Type.Integer(), nextSafeAt: Instant }),
    isOverdue: Type.Boolean({ description: 'More than 30 minutes without a certificate.' }),
  },
  { $id: 'Issuance' },
);
export type Issuance = Static<typeof Issuance>;

const State = OneOf(['unverified', 'verified', 'active']);

const shown = {
  hostname: Hostname,
  unicode: Type.String({ description: 'The name as people read it.' }),
  isApex: Type.Boolean(),
  isWildcard: Type.Boolean(),
  state: State,
  records: Type.Array(ref(DnsRecord), { description: 'What to create in the DNS.' }),
  verdict: Nullable(ref(Verdict)),
  checkedAt: Nullable(Instant),
  nextCheckAt: Nullable(Instant),
  certificate: Nullable(ref(Certificate)),
  issuance: Nullable(ref(Issuance)),
  movedAwayAt: Nullable(Instant),
  prepare: Type.Boolean({
    description:
      'The CNAME at `_acme-challenge.` and the name proves it and brings its certificate, also before the name itself leads here.',
  }),
  pointsHere: Type.Boolean({
    description: "The name's own record leads here, as far as the last check could tell.",
  }),
  needsProof: Type.Boolean({
    description: 'Another project holds the name: the TXT record decides.',
  }),
  url: Type.String(),
};

export const Domain = Type.Object(
  {
    ...shown,
    primary: Type.Boolean({
      description: 'The others that show the same redirect to it: the whole site, or one version.',
    }),
    version: Nullable(
      Type.String({ description: 'The one version that it shows; null: the whole site.' }),
    ),
    redirect: Nullable(
      Type.Object({
        to: Type.String(),
        status: RedirectStatus,
        keepPath: Type.Boolean(),
      }),
    ),
    pair: Nullable(
      Type.String({
        description: 'The domain of this project that is the same with, or without, `www.`',
      }),
    ),
    verifiedAt: Nullable(Instant),
    createdAt: Instant,
    createdBy: Type.String(),
    link: Nullable(
      Type.String({
        description:
          'Shows records and state without signing in, and verifies; null for a role that may not.',
      }),
    ),
    hsts: Nullable(
      Type.Object({ maxAgeSeconds: Type.Integer(), includeSubdomains: Type.Boolean() }),
    ),
  },
  { $id: 'Domain' },
);
export type Domain = Static<typeof Domain>;

/** `GET /api/domain-links/{secret}`: for whoever has the link. */
export const LinkedDomain = Type.Object(
  { ...shown, projectName: Type.String() },
  { $id: 'LinkedDomain' },
);
export type LinkedDomain = Static<typeof LinkedDomain>;

/** The kinds of events on a domain's timeline. A retired one is never reused. */
const DOMAIN_EVENTS = [
  'added',
  'verdict',
  'verified',
  'certificate.requested',
  'certificate.step',
  'certificate.issued',
  'certificate.renewed',
  'certificate.failed',
  'certificate.expiring',
  'prepare',
  'arrived',
  'challenge_gone',
  'certificate.unexpected',
  'certificate.elsewhere',
  'moved_away',
  'returned',
  'traffic_ended',
  'lost',
  'claimed_elsewhere',
  'primary',
  'hsts',
  'redirect',
  'version',
  'removed',
  'link.renewed',
] as const;

export type DomainEventKind = (typeof DOMAIN_EVENTS)[number];

export const DomainEvent = Type.Object(
  {
    id: Type.Integer(),
    at: Instant,
    kind: OneOf(DOMAIN_EVENTS),
    message: Type.String(),
    details: Type.Record(Type.Unknown()),
  },
  { $id: 'DomainEvent' },
);
export type DomainEvent = Static<typeof DomainEvent>;
