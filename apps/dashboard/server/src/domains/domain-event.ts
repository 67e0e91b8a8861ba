/** What a domain's timeline tells, by code. One that is retired is never reused. */
export const DOMAIN_EVENTS = [
  'added',
  'verdict',
  'verified',
  'certificate.requested',
  'certificate.step',
  'certificate.issued',
  'certificate.renewed',
  'certificate.failed',
  'certificate.expiring',
  'moved_away',
  'returned',
  'lost',
  'claimed_elsewhere',
  'primary',
  'hsts',
  'removed',
  'link.renewed',
] as const;

export type DomainEventKind = (typeof DOMAIN_EVENTS)[number];
