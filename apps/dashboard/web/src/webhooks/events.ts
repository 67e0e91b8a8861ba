import type { EventType } from '../../../server/src/notices/event-types.ts';
import { count } from '../ui/format.ts';

/** When each event is sent, to be read after its type. */
export const EVENTS: Record<EventType, string> = {
  'deploy.succeeded': 'A deploy was built, also one of a branch.',
  'deploy.failed': 'A deploy could not be built.',
  'deploy.live': 'Readers find another deploy than before, or a version does.',
  'api.changed': 'What goes live changes the API, with the list of changes.',
  'domain.verified': 'The DNS of a domain is right.',
  'domain.certificate_issued': 'A domain has its certificate.',
  'domain.certificate_failed': 'A domain gets no certificate for now.',
  'domain.certificate_expiring': 'A certificate ends soon and could not be renewed.',
  'domain.challenge_gone': 'The challenge record of a prepared domain is gone.',
  'domain.certificate_unexpected': 'A certificate for the name was issued elsewhere.',
  'domain.moved_away': 'The DNS of a verified domain leads elsewhere.',
  'domain.traffic_ended': 'A domain that moved away had no request for a week.',
  'domain.claimed_elsewhere': 'Another project has added the name.',
  'domain.lost': 'Another project has proved that it owns the name.',
  'domain.removed': 'A domain was removed.',
  'quota.reached': 'The project has used 90 % of the storage that it may, or has no room.',
};

export const ALL_EVENTS = Object.keys(EVENTS) as EventType[];

/** The events by what they are about. */
export const EVENT_GROUPS = [
  { title: 'Deploys', events: ALL_EVENTS.filter((type) => /^(deploy|api)\./.test(type)) },
  { title: 'Domains', events: ALL_EVENTS.filter((type) => type.startsWith('domain.')) },
  { title: 'Quotas', events: ALL_EVENTS.filter((type) => type.startsWith('quota.')) },
] as const;

/** `Every event`, `All events of domains`, `deploy.live`, `4 events`. */
export function eventsInWords(events: readonly EventType[]): string {
  if (events.length === ALL_EVENTS.length) return 'Every event';
  const group = EVENT_GROUPS.find(
    (one) =>
      one.events.length === events.length && one.events.every((type) => events.includes(type)),
  );
  if (group && events.length > 1) return `All events of ${group.title.toLowerCase()}`;
  return events.length <= 2 ? events.join(' and ') : count(events.length, 'event');
}
