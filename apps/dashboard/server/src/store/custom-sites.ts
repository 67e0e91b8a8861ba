import { sql } from 'kysely';
import { certificateKeyContext, type Sealer } from '../certificates/sealing.ts';
import type { StoredRedirect } from '../domains/stored-redirect.ts';
import { wildcardAbove } from '../domains/wildcard.ts';
import type { CanonicalHost } from '../edge/host.ts';
import {
  type HostCertificate,
  type HostRedirect,
  movedTo,
  type Site,
} from '../edge/sites/site-source.ts';
import { isMoving } from './domain-moves.ts';
import { findLabelSite } from './label-sites.ts';
import { closedIfPrivate } from './private-site.ts';
import type { Db } from './schema.ts';
import {
  activePrimary,
  hasVersions,
  type ShownContext,
  SWITCHES,
  shownBy,
  switchesOf,
} from './shown-site.ts';
import { versionSite } from './version-site.ts';

type Holder = Awaited<ReturnType<typeof listHolders>>[number];

/**
 * Who holds a host: as a name of its own, or by the wildcard above it. One query that uses indexes, however many hosts
 * there are.
 */
function listHolders(db: Db, host: string, now: number) {
  return (
    db
      .selectFrom('domains')
      .innerJoin('projects', 'projects.id', 'domains.project_id')
      .leftJoin('deploys', 'deploys.id', 'projects.live_deploy_id')
      .leftJoin('certificates', (join) =>
        join
          .onRef('certificates.domain_id', '=', 'domains.id')
          .on('certificates.not_after', '>', now),
      )
      .leftJoin('domain_moves', 'domain_moves.domain_id', 'domains.id')
      .select(['domains.id', 'domains.hostname', 'domains.project_id', 'projects.slug'])
      .select(['domains.awaits_move', 'domains.moved_away_at', 'domain_moves.arrived_at'])
      .select(['domains.verified_at', 'domains.removed_at', 'domains.version', 'domains.redirect'])
      .select(['domains.hsts_max_age', 'domains.hsts_include_subdomains', 'deploys.artifact_hash'])
      .select(SWITCHES)
      .select(['projects.default_version', hasVersions().as('has_versions')])
      .select(['certificates.domain_id as certified', activePrimary(now).as('primary')])
      .where('domains.hostname', 'in', [host, wildcardAbove(host)])
      // A literal, not a parameter: with a parameter SQLite would not use the partial index.
      .where('domains.holds', '=', sql.lit(1))
      .execute()
  );
}

/** The domain that serves a host. */
interface Serving {
  /** Of the name itself; or of the wildcard, where the name has none. */
  readonly holder: Holder;
  /** The wildcard whose certificate the host has; undefined: one of its own, or none. */
  readonly wildcard: Holder | undefined;
}

/**
 * The most specific name decides. One that another project holds is not the wildcard's, even while it serves nothing:
 * its reservation is for that project.
 */
async function findServing(db: Db, host: string, now: number): Promise<Serving | undefined> {
  const holders = await listHolders(db, host, now);
  const own = holders.find(({ hostname }) => hostname === host);
  const above = holders.find((holder) => holder !== own && isServing(holder));
  const isOthers = own !== undefined && own.project_id !== above?.project_id;
  if (own && isServing(own)) {
    // Until its own is there: the same project has one that is valid for it.
    const isCovered = own.certified === null && !isOthers && above?.certified != null;
    return { holder: own, wildcard: isCovered ? above : undefined };
  }
  return above && !isOthers ? { holder: above, wildcard: above } : undefined;
}

const isServing = ({ verified_at, removed_at }: Holder): boolean =>
  verified_at !== null && removed_at === null;

/** The site of a custom host: of the project that has it as a verified domain, if that shows something. */
export async function findCustomSite(
  db: Db,
  host: CanonicalHost,
  { addresses, now }: ShownContext,
): Promise<Site | undefined> {
  const serving = await findServing(db, host, now);
  const site = serving && (await siteOf(db, host, serving, { addresses, now }));
  return site && closedIfPrivate(db, site, { host, setting: serving.holder.private, addresses });
}

async function siteOf(
  db: Db,
  host: CanonicalHost,
  serving: Serving,
  { addresses, now }: ShownContext,
): Promise<Site | undefined> {
  const { holder, wildcard } = serving;
  const shown = await shownBy(db, holder.project_id, holder, { addresses, now });
  if (!shown) return undefined;
  const isSecure = (wildcard ?? holder).certified !== null;
  const secureOrigin = isSecure ? addresses.domain(host) : undefined;
  const primary = holder.primary === null ? undefined : addresses.domain(holder.primary);
  const wholeOrigin = primary ?? addresses.site(holder.slug);
  const site: Site = {
    projectId: holder.project_id,
    artifactHash: shown.artifactHash,
    origin: secureOrigin ?? addresses.domainWithoutTls(host),
    isPreview: false,
    ...switchesOf(holder),
    redirect: undefined,
    secureOrigin,
    hsts: hstsOf(holder.hsts_max_age, holder.hsts_include_subdomains === 1),
    ...(wildcard && isSecure && { wildcard: wildcard.hostname }),
    ...(holder.hostname !== host && { isBelowWildcard: true }),
    ...(isMoving(holder, now) && { countedAs: holder.id }),
  };
  const redirect = await ownRedirect(db, holder, wholeOrigin, { addresses, now });
  if (redirect) return { ...site, redirect };
  const whole = { origin: wholeOrigin, artifactHash: shown.artifactHash };
  if (holder.hostname !== host)
    return findLabelSite(db, host, {
      ...{ slug: holder.slug, addresses, site, versions: shown.versions, whole },
    });
  if (holder.version !== null) return versionSite(site, holder.version, shown.versions, whole);
  return {
    ...site,
    ...(shown.versions && { versions: shown.versions, leadsVersions: true }),
    origin: primary ?? site.origin,
    redirect: primary === undefined || holder.primary === host ? undefined : movedTo(primary),
  };
}

/** Where the owner lets all requests to a domain lead; undefined while that name does not serve the same project. */
async function ownRedirect(
  db: Db,
  { redirect, project_id }: Holder,
  wholeOrigin: string,
  { addresses, now }: ShownContext,
): Promise<HostRedirect | undefined> {
  if (redirect === null) return undefined;
  const { hostname, path, keepPath, status } = JSON.parse(redirect) as StoredRedirect;
  if (hostname === null) return { origin: wholeOrigin, path, keepPath, status };
  const target = await findServing(db, hostname, now);
  const isOwn = target?.holder.project_id === project_id;
  if (!isOwn || (target.wildcard ?? target.holder).certified === null) return undefined;
  return { origin: addresses.domain(hostname), path, keepPath, status };
}

/** The certificate of a custom host that is served, or of a wildcard by its name. Throws the sealer's errors. */
export async function findServedCertificate(
  db: Db,
  name: string,
  sealer: Pick<Sealer, 'open'>,
): Promise<HostCertificate | undefined> {
  const row = await serving(db, name)
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

/** The domain of a host, with its project that shows something, and its live deploy. */
function serving(db: Db, name: string) {
  return (
    db
      .selectFrom('domains')
      .innerJoin('projects', 'projects.id', 'domains.project_id')
      .leftJoin('deploys', 'deploys.id', 'projects.live_deploy_id')
      .where('domains.hostname', '=', name)
      .where(({ or, eb }) =>
        or([eb('deploys.id', 'is not', null), eb('projects.default_version', 'is not', null)]),
      )
      // A literal, not a parameter: with a parameter SQLite would not use the partial index.
      .where('domains.holds', '=', sql.lit(1))
      .where('domains.verified_at', 'is not', null)
      .where('domains.removed_at', 'is', null)
  );
}

function hstsOf(maxAge: number | null, includesSubdomains: boolean): string | undefined {
  if (maxAge === null) return undefined;
  return `max-age=${maxAge}${includesSubdomains ? '; includeSubDomains' : ''}`;
}
