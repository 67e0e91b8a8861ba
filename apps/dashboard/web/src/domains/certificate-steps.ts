import type { Certificate, DomainEvent, Issuance } from '../../../server/src/domains/domain.ts';
import type { StepStatus } from '../ui/step.ts';

/** In the order of RFC 8555, section 7.1. */
const NAMES = ['Requested', 'Ordered', 'Challenge', 'Validated', 'Issued'] as const;

/** The index of the shown step that is under way while this is the next step. */
const UNDER_WAY: Record<string, number> = {
  account: 1,
  order: 1,
  challenge: 2,
  validate: 3,
  finalize: 4,
  download: 4,
};

/** The index of the shown step that is done when this step is reached. */
const DONE_BY: Record<string, number> = { challenge: 1, validate: 2, finalize: 3 };

export interface CertificateStep {
  readonly name: (typeof NAMES)[number];
  readonly status: StepStatus;
  /** When it was done, begun, or retried; undefined where that is not known. */
  readonly at: string | undefined;
}

/** Whether there are no more automatic attempts. */
export function isGivenUp({ nextAttemptAt, problem }: Issuance): boolean {
  return nextAttemptAt === null && problem !== null;
}

/** Whether an attempt failed and the next one is not due yet. */
export function isWaiting({ nextAttemptAt, problem }: Issuance): boolean {
  return problem !== null && nextAttemptAt !== null && Date.parse(nextAttemptAt) > Date.now();
}

/** The progress of a certificate. `events`: the domain's, the newest first. */
export function stepsUnderWay(
  issuance: Issuance,
  events: readonly DomainEvent[],
): CertificateStep[] {
  const current = UNDER_WAY[issuance.step] ?? 1;
  const times = timesSince(issuance.requestedAt, events);
  const status = isGivenUp(issuance) ? 'failed' : isWaiting(issuance) ? 'waiting' : 'running';
  times[0] = issuance.requestedAt;
  times[current] = (status === 'waiting' && issuance.nextAttemptAt) || issuance.stepAt;
  return NAMES.map((name, index) => ({
    name,
    status: index < current ? 'done' : index === current ? status : 'ahead',
    at: times[index],
  }));
}

const MILESTONES: readonly string[] = [
  'certificate.requested',
  'certificate.issued',
  'certificate.renewed',
];

/** The same for the current certificate; empty when the events do not show its request. */
export function stepsDone(
  { issuedAt }: Certificate,
  events: readonly DomainEvent[],
): CertificateStep[] {
  const [latest, previous] = events.filter(({ kind }) => MILESTONES.includes(kind));
  // The certificate may be known a moment before its event.
  const request = latest?.kind === 'certificate.requested' ? latest : previous;
  // A renewal begins by itself; the certificate before it is the one that it renews.
  if (request?.kind !== 'certificate.requested') return [];
  const times = timesSince(request.at, events);
  times[0] = request.at;
  times[NAMES.length - 1] = issuedAt;
  return NAMES.map((name, index) => ({ name, status: 'done', at: times[index] }));
}

/** When each shown step was done, by the events since the request. */
function timesSince(requestedAt: string, events: readonly DomainEvent[]) {
  const times: (string | undefined)[] = [];
  for (const { kind, at, details } of events) {
    const done = kind === 'certificate.step' ? DONE_BY[String(details.step)] : undefined;
    // The newest first: the latest attempt counts.
    if (done !== undefined && at >= requestedAt) times[done] ??= at;
  }
  return times;
}
