import type { Certificate, DomainEvent, Issuance } from '../../../server/src/domains/domain.ts';
import type { StepStatus } from '../ui/steps.tsx';

/** In the order of RFC 8555, section 7.1. */
const NAMES = ['Requested', 'Ordered', 'Challenge', 'Validated', 'Issued'] as const;

/** Which of the names is under way while this step is what comes next. */
const UNDER_WAY: Record<string, number> = {
  account: 1,
  order: 1,
  challenge: 2,
  validate: 3,
  finalize: 4,
  download: 4,
};

export interface CertificateStep {
  readonly name: (typeof NAMES)[number];
  readonly status: StepStatus;
  /** When it was done, or begun; undefined where that is not known. */
  readonly at: string | undefined;
}

/** Whether nothing more is tried by itself. */
export function isGivenUp({ nextAttemptAt, problem }: Issuance): boolean {
  return nextAttemptAt === null && problem !== null;
}

/** Whether an attempt failed and the next one is not due yet. */
export function isWaiting({ nextAttemptAt, problem }: Issuance): boolean {
  return problem !== null && nextAttemptAt !== null && Date.parse(nextAttemptAt) > Date.now();
}

/** How far a certificate has come that is under way. `events`: the domain's, newest first. */
export function stepsUnderWay(
  issuance: Issuance,
  events: readonly DomainEvent[],
): CertificateStep[] {
  const current = UNDER_WAY[issuance.step] ?? 1;
  const times = timesSince(issuance.requestedAt, events);
  const status = isGivenUp(issuance) ? 'failed' : isWaiting(issuance) ? 'waiting' : 'running';
  return NAMES.map((name, index) => ({
    name,
    status: index < current ? 'done' : index === current ? status : 'ahead',
    at: index === 0 ? issuance.requestedAt : index === current ? issuance.stepAt : times[index],
  }));
}

/** The same of the certificate that is there; empty when the events do not reach back to its request. */
export function stepsDone(
  { issuedAt }: Certificate,
  events: readonly DomainEvent[],
): CertificateStep[] {
  const request = events.find(({ kind, at }) => kind === 'certificate.requested' && at <= issuedAt);
  if (!request) return [];
  const times = timesSince(request.at, events);
  return NAMES.map((name, index) => ({
    name,
    status: 'done',
    at: index === 0 ? request.at : index === NAMES.length - 1 ? issuedAt : times[index],
  }));
}

/** When each of the names was done: a step that is reached ends the one before. */
function timesSince(requestedAt: string, events: readonly DomainEvent[]) {
  const times: (string | undefined)[] = [];
  for (const { kind, at, details } of events) {
    const reached = kind === 'certificate.step' && UNDER_WAY[String(details.step)];
    // Newest first: the latest attempt is the one that counts.
    if (reached && at >= requestedAt) times[reached - 1] ??= at;
  }
  return times;
}
