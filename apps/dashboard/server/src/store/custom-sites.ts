import { expressionBuilder, sql } from 'kysely';
import type { Addresses } from '../addresses.ts';
import { certificateKeyContext, type Sealer } from '../certificates/sealing.ts';
import type { CanonicalHost } from '../edge/host.ts';
import type { HostCertificate, Site } from '../edge/sites/site-source.ts';
import type { Database, Db } from './schema.ts';

/**
 * The site of a custom host: of the project that has it as a verified domain, if it has a live deploy. One query that
 * uses indexes, however many hosts there are.
 */
export async function findCustomSite(
  db: Db,
  host: CanonicalHost,
  addresses: Addresses,
  now: number,
): Promise<Site | undefined> {
  const row = await serving(db, host)
    .leftJoin('certificates', (join) =>
      join
        .onRef('certificates.domain_id', '=', 'domains.id')
        .on('certificates.not_after', '>', now),
    )
    .select(['domains.id', 'domains.project_id', 'deploys.artifact_hash'])
    .select(['domains.hsts_max_age', 'domains.hsts_include_subdomains'])
    .select(['certificates.domain_id as certified', activePrimary(now).as('primary')])
    .executeTakeFirst();
  if (!row?.artifact_hash) return undefined;
  const secureOrigin = row.certified === null ? undefined : addresses.domain(host);
  const primary = row.primary === null ? undefined : addresses.domain(row.primary);
  return {
    projectId: row.project_id,
    artifactHash: row.artifact_hash,
    origin: primary ?? secureOrigin ?? addresses.domainWithoutTls(host),
    isPreview: false,
    redirectOrigin: row.primary === host ? undefined : primary,
    secureOrigin,
    hsts: hstsOf(row.hsts_max_age, row.hsts_include_subdomains === 1),
  };
}

/** The certificate of a custom host that is served. Throws the sealer's errors. */
export async function findCertificate(
  db: Db,
  host: CanonicalHost,
  sealer: Pick<Sealer, 'open'>,
): Promise<HostCertificate | undefined> {
  const row = await serving(db, host)
    .innerJoin('certificates', 'certificates.domain_id', 'domains.id')
    .select(['domains.id', 'certificates.serial', 'certificates.chain', 'certificates.sealed_key'])
    .executeTakeFirst();
  return (
    row && {
      id: `${row.id} ${row.serial}`,
      chain: row.chain,
      key: sealer.open(row.sealed_key, certificateKeyContext(row.id)),
    }
  );
}

/** The domain of a host, with its project and live deploy. */
function serving(db: Db, host: CanonicalHost) {
  return (
    db
      .selectFrom('domains')
      .innerJoin('projects', 'projects.id', 'domains.project_id')
      .innerJoin('deploys', 'deploys.id', 'projects.live_deploy_id')
      .where('domains.hostname', '=', host)
      // A literal, not a parameter: with a parameter SQLite would not use the partial index.
      .where('domains.holds', '=', sql.lit(1))
      .where('domains.verified_at', 'is not', null)
      .where('domains.removed_at', 'is', null)
  );
}

/** The host name of a project's primary domain, if it is active, which means that its certificate is valid. */
export function activePrimary(now: number) {
  return expressionBuilder<Database, 'projects'>()
    .selectFrom('domains as primary_domain')
    .innerJoin('certificates as primary_certificate', (join) =>
      join.onRef('primary_certificate.domain_id', '=', 'primary_domain.id'),
    )
    .whereRef('primary_domain.id', '=', 'projects.primary_domain_id')
    .where('primary_domain.verified_at', 'is not', null)
    .where('primary_domain.removed_at', 'is', null)
    .where('primary_certificate.not_after', '>', now)
    .select('primary_domain.hostname');
}

function hstsOf(maxAge: number | null, includesSubdomains: boolean): string | undefined {
  if (maxAge === null) return undefined;
  return `max-age=${maxAge}${includesSubdomains ? '; includeSubDomains' : ''}`;
}
