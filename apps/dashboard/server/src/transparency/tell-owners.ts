import type { Log } from '@petstore/service/log.ts';
import type { Deps } from '../deps.ts';
import { queueDomainNotice } from '../notices/queue-notice.ts';
import { mayBeUndone } from '../store/backup/settle-restored.ts';
import { isOwnCertificate } from '../store/certificate-keys.ts';
import { hasFoundOf, PLATFORM_CLAIM, recordFound } from '../store/ct-logs.ts';
import { findCheck } from '../store/domain-checks.ts';
import { cameHereAt, recordDomainEvent } from '../store/domain-events.ts';
import { findHolder, lockDomain } from '../store/domains.ts';
import { lockProject } from '../store/projects.ts';
import { whyExpected } from './expected.ts';
import { type FoundCertificate, readFound } from './found-certificate.ts';
import type { LogEntry } from './log-entry.ts';
import type { CtLog } from './log-list.ts';
import type { NameMatch } from './watched-names.ts';

export interface TellDeps extends Pick<Deps, 'db' | 'now'> {
  readonly log: Log;
}

/** Of a certificate's names, how many a notice has. */
const MAX_NAMES = 100;

/**
 * Tells of a certificate in a log that has watched names: nobody where it was asked for here or has ended, else the
 * owners of each project that has one of the names, once for each certificate. Rejects with BadCertificateError.
 */
export async function tellOfCertificate(
  deps: TellDeps,
  source: CtLog,
  entry: LogEntry,
  matches: readonly NameMatch[],
): Promise<void> {
  const found = await readFound(entry);
  if (found.notAfter <= deps.now() || (await isOwnCertificate(deps.db, found))) return;
  const details = {
    ...{ issuer: found.issuer, serial: found.serial, names: found.names.slice(0, MAX_NAMES) },
    notBefore: new Date(found.notBefore).toISOString(),
    notAfter: new Date(found.notAfter).toISOString(),
    log: source.description,
    index: entry.index,
  };
  for (const match of matches) {
    const holder = await findHolder(deps.db, match.hostname);
    if (holder) await tellOwners(deps, holder, match, found, details);
    else await logPlatformName(deps, match.hostname, found, details);
  }
}

type Details = Readonly<Record<string, unknown>>;

async function tellOwners(
  { db, now }: TellDeps,
  { id, project_id: projectId }: { readonly id: string; readonly project_id: string },
  { hostname, isByWildcard }: NameMatch,
  found: FoundCertificate,
  details: Details,
): Promise<void> {
  const at = now();
  await db.transaction().execute(async (trx) => {
    if (!(await lockProject(trx, projectId))) return;
    const domain = await lockDomain(trx, id);
    if (!domain || domain.removed_at !== null || domain.verified_at === null) return;
    const { fingerprint, issuer } = found;
    const isIssuerKnown = await hasFoundOf(trx, id, issuer);
    if (!(await recordFound(trx, { fingerprint, claim: id, issuer, at }))) return;
    const check = await findCheck(trx, id);
    const why = whyExpected(found, {
      pointsHere: check?.points_here === 1 && domain.moved_away_at === null,
      since: await cameHereAt(trx, id, domain.verified_at),
      ...{ isByWildcard, isIssuerKnown },
      mayBeUndone: await mayBeUndone(trx, found.notBefore),
    });
    const message = `${issuer} issued a certificate for ${namesInWords(hostname, found)} that was not asked for here, valid until ${String(details.notAfter).slice(0, 10)}, with the serial number ${found.serial}.`;
    if (why !== undefined) {
      const expected = `${message} That is expected: ${why}.`;
      await recordDomainEvent(trx, id, at, 'certificate.elsewhere', expected, details);
      return;
    }
    await recordDomainEvent(trx, id, at, 'certificate.unexpected', message, details);
    await queueDomainNotice(trx, at, {
      type: 'domain.certificate_unexpected',
      ...{ projectId, hostname, details },
      message: `${message} If you, or a service of yours, ordered it, nothing has to be done. If not, somebody can answer for the name: look at who may change its DNS, ask ${issuer} to revoke the certificate, and name in a CAA record who may issue.`,
    });
  });
}

function namesInWords(hostname: string, { names }: FoundCertificate): string {
  const others = names.filter((name) => name.toLowerCase() !== hostname);
  if (others.length === names.length) return `${others[0]}, which covers ${hostname},`;
  if (others.length === 0) return hostname;
  return `${hostname} and ${others.length === 1 ? others[0] : `${others.length} other names`}`;
}

/** A name of the platform belongs to no project: whoever runs it reads the log. A proxy in front has such certificates. */
async function logPlatformName(
  { db, now, log }: TellDeps,
  hostname: string,
  { fingerprint, issuer }: FoundCertificate,
  details: Details,
): Promise<void> {
  const row = { fingerprint, claim: PLATFORM_CLAIM, issuer, at: now() };
  const isNew = await db.transaction().execute((trx) => recordFound(trx, row));
  if (isNew)
    log.warn(
      { hostname, ...details },
      'a certificate for a name of the platform was not asked for here',
    );
}
