import { NOT_LED } from '../certificates/platform-certificate.ts';
import { type PlatformCertificate, platformCertificates } from '../certificates/platform-names.ts';
import { explainProblem, type Problem, parseProblem } from '../certificates/problem.ts';
import type { Config } from '../config.ts';
import { instant } from '../schema-types.ts';
import { findPlatformCertificate } from '../store/platform-certificates.ts';
import type { Db } from '../store/schema.ts';
import { challengeRecord } from './set-up-records.ts';
import type { InstallationZone } from './zone.ts';

type PresentConfig = Pick<Config, 'platformHost' | 'dnsZone' | 'domain'>;

/** The certificates of the installation's own names, as their page shows them. */
export async function presentCertificates(
  config: PresentConfig,
  db: Db,
): Promise<Pick<InstallationZone, 'wildcard' | 'petstore'>> {
  const shown = await Promise.all(
    platformCertificates(config).map(async (certificate) => ({
      isWildcard: certificate.needsZone,
      certificate: await present(certificate, config, db),
    })),
  );
  const find = (isWildcard: boolean) =>
    shown.find((one) => one.isWildcard === isWildcard)?.certificate ?? null;
  return { wildcard: find(true), petstore: find(false) };
}

/** A certificate: the record that it needs, what there is, and what went wrong. */
async function present(
  { hostname, host, names, needsZone }: PlatformCertificate,
  config: PresentConfig,
  db: Db,
): Promise<NonNullable<InstallationZone['wildcard']>> {
  const row = await findPlatformCertificate(db, hostname);
  const problem = parseProblem(row?.last_problem ?? null);
  const { issuer = null, not_after = null } = row ?? {};
  return {
    hostname,
    names: [...names],
    record: needsZone ? challengeRecord(config) : null,
    isLed: problem || issuer !== null ? problem?.type !== NOT_LED : null,
    certificate:
      issuer === null || not_after === null ? null : { issuer, notAfter: instant(not_after) },
    problem: problem ? problemInWords(problem, host) : null,
    nextAttemptAt: row ? instant(row.next_attempt_at) : null,
  };
}

/** Why the last attempt at a certificate of the installation's own brought none. */
export function problemInWords(problem: Problem, host: string): string {
  if (problem.type !== NOT_LED) return `${explainProblem(problem, host)} (${problem.detail})`;
  const what = problem.detail.replace(/\.$/, '');
  return `${what} yet. It is looked up every minute.`;
}
