import { NOT_LED } from '../certificates/platform-certificate.ts';
import { explainProblem, type Problem, parseProblem } from '../certificates/problem.ts';
import type { Config } from '../config.ts';
import { dnsRecord } from '../domains/dns/expectation.ts';
import { instant } from '../schema-types.ts';
import { findPlatformCertificate } from '../store/platform-certificates.ts';
import type { Db } from '../store/schema.ts';
import type { InstallationZone } from './zone.ts';
import type { ZoneConfig } from './zone-config.ts';
import { challengeName, hasPlatform, PLATFORM_LABEL, wildcardOf } from './zone-records.ts';

/** The wildcard certificate as its page shows it: the record that it needs, what there is, and what went wrong. */
export async function presentWildcard(
  zone: ZoneConfig,
  config: Pick<Config, 'platformHost'>,
  db: Db,
): Promise<InstallationZone['wildcard']> {
  const { platformHost } = config;
  const hostname = wildcardOf(platformHost);
  const row = await findPlatformCertificate(db, hostname);
  const problem = parseProblem(row?.last_problem ?? null);
  const { issuer = null, not_after = null } = row ?? {};
  const target = challengeName(PLATFORM_LABEL, zone, config);
  return {
    hostname,
    record: hasPlatform(zone, platformHost)
      ? null
      : dnsRecord('CNAME', `_acme-challenge.${platformHost}`, target),
    isLed: problem || issuer !== null ? problem?.type !== NOT_LED : null,
    certificate:
      issuer === null || not_after === null ? null : { issuer, notAfter: instant(not_after) },
    problem: problem ? inWords(problem, platformHost) : null,
    nextAttemptAt: row ? instant(row.next_attempt_at) : null,
  };
}

function inWords(problem: Problem, platformHost: string): string {
  return problem.type === NOT_LED
    ? `_acme-challenge.${platformHost} does not lead into the zone yet. It is looked up every minute.`
    : `${explainProblem(problem, platformHost)} (${problem.detail})`;
}
