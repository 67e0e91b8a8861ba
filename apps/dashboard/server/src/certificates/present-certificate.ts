import type { AcmeConfig } from '../config.ts';
import type { Certificate, Issuance } from '../domains/domain.ts';
import type { CertificateRow } from '../store/certificates.ts';
import type { IssuanceRow } from '../store/issuances.ts';
import type { Db } from '../store/open-database.ts';
import { budgetOf } from './budget.ts';
import { explainProblem } from './explain-problem.ts';
import { type Problem, parseProblem } from './problem.ts';

/** After so long without a certificate people are told that something is the matter, in milliseconds. */
const OVERDUE_MS = 30 * 60_000;

const instant = (ms: number) => new Date(ms).toISOString();

/** A certificate as the API shows it: never its key. */
export function presentCertificate(row: CertificateRow): Certificate {
  return {
    issuer: row.issuer,
    serial: row.serial,
    notBefore: instant(row.not_before),
    notAfter: instant(row.not_after),
    issuedAt: instant(row.issued_at),
    renewAt: instant(row.renew_at),
  };
}

/** A certificate under way as the API shows it. */
export async function presentIssuance(
  row: IssuanceRow,
  { db, acme, now }: { db: Db; acme: AcmeConfig; now: number },
): Promise<Issuance> {
  const problem = parseProblem(row.last_problem);
  // It has no directory before the issuer has seen it.
  const directoryUrl = row.directory_url || acme.directoryUrl;
  const budget = await budgetOf(db, directoryUrl, row.hostname, now);
  return {
    kind: row.kind,
    step: row.step,
    stepAt: instant(row.step_at),
    requestedAt: instant(row.requested_at),
    failures: row.failures,
    nextAttemptAt: row.next_attempt_at === null ? null : instant(row.next_attempt_at),
    isStaging: directoryUrl === acme.stagingDirectoryUrl,
    problem: problem ? presentProblem(problem, row.hostname) : null,
    budget: {
      limit: budget.limit,
      left: budget.left,
      // The authority's own word, or a limit of many names, may be later than what this name allows.
      nextSafeAt: instant(Math.max(budget.nextSafeAt, problem?.retryAt ?? 0)),
    },
    isOverdue: row.kind === 'first' && now - row.requested_at > OVERDUE_MS,
  };
}

function presentProblem(problem: Problem, hostname: string): Issuance['problem'] {
  const { type, detail, at } = problem;
  return { type, detail, explanation: explainProblem(problem, hostname), at: instant(at) };
}
