/** The events of a project's deploys, which webhooks are told of. A retired type is never reused. */
const DEPLOY_EVENTS = ['deploy.succeeded', 'deploy.failed', 'deploy.live', 'api.changed'] as const;

/** The events of a project's domains, which webhooks and owners are told of. A retired type is never reused. */
export const DOMAIN_EVENTS = [
  'domain.verified',
  'domain.certificate_issued',
  'domain.certificate_failed',
  'domain.certificate_expiring',
  'domain.challenge_gone',
  'domain.certificate_unexpected',
  'domain.moved_away',
  'domain.traffic_ended',
  'domain.claimed_elsewhere',
  'domain.lost',
  'domain.removed',
] as const;

/** The events of what a project may use, which webhooks and owners are told of. A retired type is never reused. */
const QUOTA_EVENTS = ['quota.reached'] as const;

/** All events that a webhook can be sent. */
export const EVENT_TYPES = [...DEPLOY_EVENTS, ...DOMAIN_EVENTS, ...QUOTA_EVENTS] as const;

export type DeployEvent = (typeof DEPLOY_EVENTS)[number];
export type DomainEventType = (typeof DOMAIN_EVENTS)[number];
export type QuotaEventType = (typeof QUOTA_EVENTS)[number];
export type EventType = (typeof EVENT_TYPES)[number];

/** The events of a webhook in the database. Types that no longer exist are left out. */
export function eventsOf({ events }: { readonly events: string }): EventType[] {
  const chosen = JSON.parse(events) as string[];
  return EVENT_TYPES.filter((type) => chosen.includes(type));
}
