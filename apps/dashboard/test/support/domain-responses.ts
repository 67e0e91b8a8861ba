import type { Domain, DomainEvent, Issuance } from '../../server/src/domains/domain.ts';
import type { Verdict } from '../../server/src/domains/verdict.ts';

// Answers about domains in states that need a certificate authority, or hours, to come about: for pictures alone.

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const ahead = (ms: number) => ago(-ms);

export const HOSTNAME = 'docs.example.com';
const TARGET = 'k7m2x9q4w3e8r5t6y1u0.docs.localhost';

const CNAME = {
  type: 'CNAME',
  name: HOSTNAME,
  host: 'docs',
  value: TARGET,
  ttl: 3_600,
} as const;

export const verdict = (code: Verdict['code'], more: Partial<Verdict> = {}): Verdict => ({
  code,
  reason: 'none',
  message: 'There is no record for docs.example.com yet.',
  expected: `docs.example.com CNAME ${TARGET}`,
  found: 'no such name',
  remedy: `Create the record docs.example.com CNAME ${TARGET}.`,
  add: [CNAME],
  remove: [],
  retryAfterSeconds: null,
  ...more,
});

export const VERIFIED = verdict('verified', {
  message: 'docs.example.com leads here.',
  found: `docs.example.com CNAME ${TARGET}`,
  remedy: '',
  add: [],
});

/** Just added, and not looked at. */
export const added = (more: Partial<Domain> = {}): Domain => ({
  hostname: HOSTNAME,
  unicode: HOSTNAME,
  isApex: false,
  isWildcard: false,
  version: null,
  redirect: null,
  pair: null,
  state: 'unverified',
  records: [CNAME],
  verdict: null,
  checkedAt: null,
  nextCheckAt: ahead(12_000),
  certificate: null,
  issuance: null,
  movedAwayAt: null,
  prepare: false,
  pointsHere: false,
  url: `https://${HOSTNAME}`,
  primary: false,
  needsProof: false,
  verifiedAt: null,
  createdAt: ago(3 * MINUTE),
  createdBy: 'ada-1@example.com',
  link: 'https://dashboard.example.com/d/q2w3e4r5t6z7u2i3o4p5a6s7d2f3g4h5',
  hsts: null,
  ...more,
});

export const checked = (found: Verdict, more: Partial<Domain> = {}): Domain =>
  added({ verdict: found, checkedAt: ago(20_000), ...more });

export const verified = (issuance: Issuance, more: Partial<Domain> = {}): Domain =>
  checked(VERIFIED, {
    state: 'verified',
    primary: true,
    pointsHere: true,
    verifiedAt: issuance.requestedAt,
    nextCheckAt: ahead(DAY),
    issuance,
    ...more,
  });

export const issuance = (more: Partial<Issuance> = {}): Issuance => ({
  kind: 'first',
  step: 'validate',
  stepAt: ago(2_000),
  requestedAt: ago(6_000),
  failures: 0,
  nextAttemptAt: ago(6_000),
  authority: "Let's Encrypt",
  isStaging: false,
  tried: [],
  problem: null,
  budget: { limit: 5, left: 5, nextSafeAt: ago(MINUTE) },
  isOverdue: false,
  ...more,
});

export const overdue = (): Issuance =>
  issuance({
    step: 'order',
    requestedAt: ago(41 * MINUTE),
    stepAt: ago(9 * MINUTE),
    failures: 2,
    nextAttemptAt: ahead(12 * MINUTE),
    isStaging: true,
    problem: {
      type: 'unauthorized',
      detail:
        '203.0.113.7: Invalid response from http://docs.example.com/.well-known/acme-challenge/x: 404',
      explanation:
        'The authority reached another server at docs.example.com. Look for an AAAA record that leads elsewhere, and remove it.',
      at: ago(9 * MINUTE),
    },
    budget: { limit: 5, left: 3, nextSafeAt: ahead(12 * MINUTE) },
    isOverdue: true,
  });

/** The first authority failed, and the second one is asked; CAA records do not allow the third. */
export const elsewhere = (): Domain =>
  verified(
    issuance({
      authority: 'ZeroSSL',
      tried: [
        {
          authority: "Let's Encrypt",
          problem: {
            type: 'rateLimited',
            detail: 'too many new orders (300) from this account in the last 3h0m0s',
            explanation:
              'The certificate authority accepts no more requests for now: its rate limit is reached. You need not do anything: the dashboard retries by itself. Trying more often makes it worse.',
            at: ago(MINUTE),
          },
          nextAt: ahead(80 * MINUTE),
        },
      ],
    }),
    {
      verdict: {
        ...VERIFIED,
        authorities: [
          authority("Let's Encrypt", 'letsencrypt.org', true),
          authority('ZeroSSL', 'sectigo.com', true),
          authority('Google Trust Services', 'pki.goog', false),
        ],
      },
    },
  );

const authority = (name: string, identity: string, isAllowed: boolean) => ({
  ...{ name, identity, isAllowed, directoryUrl: `https://${identity}/directory` },
});

export const active = (more: Partial<Domain> = {}): Domain =>
  checked(VERIFIED, {
    state: 'active',
    primary: true,
    pointsHere: true,
    verifiedAt: ago(5 * MINUTE),
    nextCheckAt: ahead(DAY),
    certificate: {
      issuer: 'Let’s Encrypt, E7',
      serial: '04a1b2c3d4e5f60718293a4b5c6d7e8f9012',
      notBefore: ago(65 * MINUTE),
      notAfter: ahead(90 * DAY),
      issuedAt: ago(4 * MINUTE),
      renewAt: ahead(60 * DAY),
    },
    ...more,
  });

/** The record of its challenges, and its own. */
const PREPARED_RECORDS = [
  {
    ...CNAME,
    name: `_acme-challenge.${HOSTNAME}`,
    host: '_acme-challenge.docs',
    value: 'k7m2x9q4w3e8r5t6y1u0.acme.docs.localhost',
  },
  CNAME,
];

/** A domain that is live elsewhere, before the record of its challenges is there. */
export const prepared = (more: Partial<Domain> = {}): Domain =>
  checked(
    verdict('no_record', {
      reason: 'challenge_missing',
      message:
        'There is no CNAME record at _acme-challenge.docs.example.com yet. That record proves that the domain is yours, and brings the certificate.',
      add: PREPARED_RECORDS.slice(0, 1),
    }),
    { prepare: true, records: PREPARED_RECORDS, ...more },
  );

/** The same with its certificate, before it is moved. */
export const readyToMove = (more: Partial<Domain> = {}): Domain =>
  active({
    ...{ prepare: true, pointsHere: false, primary: false, records: PREPARED_RECORDS },
    verdict: {
      ...VERIFIED,
      reason: 'prepared',
      message:
        'docs.example.com is prepared: its _acme-challenge record is right. Its address record still leads elsewhere (docs.example.com A 203.0.113.7), which is right until you move it.',
      expected: '_acme-challenge.docs.example.com CNAME k7m2x9q4w3e8r5t6y1u0.acme.docs.localhost',
      found: '_acme-challenge.docs.example.com CNAME k7m2x9q4w3e8r5t6y1u0.acme.docs.localhost',
    },
    ...more,
  });

const event = (
  id: number,
  at: string,
  kind: DomainEvent['kind'],
  message: string,
  details: DomainEvent['details'] = {},
): DomainEvent => ({ id, at, kind, message, details });

export const EVENTS: readonly DomainEvent[] = [
  event(8, ago(4 * MINUTE), 'certificate.issued', 'Its certificate is there and served.'),
  event(7, ago(4 * MINUTE + 1_000), 'certificate.step', 'The host is proven.', {
    step: 'finalize',
  }),
  event(6, ago(4 * MINUTE + 4_000), 'certificate.step', 'The authority looks at the host.', {
    step: 'validate',
  }),
  event(
    5,
    ago(4 * MINUTE + 5_000),
    'certificate.step',
    'The certificate authority accepted the order.',
    {
      step: 'challenge',
    },
  ),
  event(4, ago(5 * MINUTE), 'certificate.requested', 'A certificate is requested.'),
  event(3, ago(5 * MINUTE), 'verified', 'Its DNS records are right: it is verified.'),
  event(2, ago(6 * MINUTE), 'verdict', 'There is no record for docs.example.com yet.'),
  event(1, ago(7 * MINUTE), 'added', 'ada-1@example.com added the domain.'),
];
