import { expressionBuilder, sql } from 'kysely';
import { randomId } from '../accounts/secrets.ts';
import { type Addresses, PREVIEW_MARK } from '../addresses.ts';
import { certificateKeyContext, type Sealer } from '../certificates/sealing.ts';
import type { Manifest } from '../deploys/artifact.ts';
import type { CanonicalHost } from '../edge/host.ts';
import type { HostCertificate, Site, SiteSource, SiteVersion } from '../edge/sites/site-source.ts';
import { wildcardOf } from '../zone/zone-records.ts';
import { PLATFORM } from './acme-orders.ts';
import { readBlob } from './artifacts.ts';
import { assertLockOrder } from './lock-order.ts';
import { findPlatformCertificate } from './platform-certificates.ts';
import type { ProjectRow } from './projects.ts';
import type { Database, Db, Trx } from './schema.ts';
import { listSiteVersions } from './site-versions.ts';

/** Changes older than this are deleted, in milliseconds: an edge that missed more invalidates all. */
const KEPT_CHANGES_MS = 3_600_000;

/** Tells the edges that a project's hosts changed, in the transaction of the change. */
export async function recordSiteChange(trx: Trx, projectId: string, now: number): Promise<void> {
  assertLockOrder(trx, 'sites');
  const mark = randomId(12);
  const { seq } = await trx
    .updateTable('site_clock')
    .set((set) => ({ seq: set('seq', '+', 1), mark }))
    .where('id', '=', 1)
    .returning('seq')
    .executeTakeFirstOrThrow();
  await trx
    .insertInto('site_changes')
    .values({ seq, mark, project_id: projectId, at: now })
    .execute();
  await trx
    .deleteFrom('site_changes')
    .where('at', '<', now - KEPT_CHANGES_MS)
    // The change before stays: edges that know it invalidate only what changed since.
    .where('seq', '<', seq - 1)
    .execute();
}

/**
 * Lets one transaction at a time change what hosts serve, until it ends. It is needed for decisions that depend on who
 * serves a name now.
 */
export async function lockSites(trx: Trx): Promise<void> {
  assertLockOrder(trx, 'sites');
  await trx
    .updateTable('site_clock')
    .set((set) => ({ seq: set.ref('seq') }))
    .where('id', '=', 1)
    .execute();
}

interface SourceOptions {
  readonly db: Db;
  readonly platformHost: string;
  /** Whether the installation obtains a certificate for all hosts below that one. */
  readonly hasWildcard?: boolean;
  /** The origins of sites. */
  readonly addresses: () => Addresses;
  /** Opens the private keys of certificates. */
  readonly sealer: Pick<Sealer, 'open'>;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The queries of the edge. */
export function siteSource({
  db,
  platformHost,
  hasWildcard = false,
  addresses,
  sealer,
  now,
}: SourceOptions): SiteSource {
  return {
    async findSite(host) {
      const label = platformLabel(host, platformHost);
      if (label === undefined) return findCustomSite(db, host, addresses(), now());
      const mark = label.lastIndexOf(PREVIEW_MARK);
      return mark === -1
        ? findLive(db, label, addresses(), now())
        : findPreview(
            db,
            label.slice(0, mark),
            label.slice(mark + PREVIEW_MARK.length),
            addresses(),
          );
    },

    async readManifest(artifactHash) {
      const row = await db
        .selectFrom('artifacts')
        .select('manifest')
        .where('hash', '=', artifactHash)
        .executeTakeFirst();
      return row && (JSON.parse(row.manifest) as Manifest);
    },

    readBlob: (hash) => readBlob(db, hash),

    wildcardOf: (host) =>
      hasWildcard && platformLabel(host, platformHost) !== undefined
        ? wildcardOf(platformHost)
        : undefined,
    findWildcardCertificate: (name) => readPlatformCertificate(db, name, sealer, now()),
    findCertificate: (host) => findCertificate(db, host, sealer),

    findHttpChallenge: (host, token) => findChallenge(db, host, 'http-01', token),
    findTlsChallenge: (host) => findChallenge(db, host, 'tls-alpn-01'),

    async changesAfter(position) {
      const latest = await db
        .selectFrom('site_clock')
        .select(['seq', 'mark'])
        .where('id', '=', 1)
        .executeTakeFirstOrThrow();
      const now = `${latest.seq} ${latest.mark}`;
      if (position === now) return { position: now, projectIds: [] };
      const [seq, mark] = position?.split(' ') ?? [];
      const rows = await db
        .selectFrom('site_changes')
        .select(['seq', 'mark', 'project_id'])
        .where('seq', '>=', Number(seq ?? latest.seq))
        .where('seq', '<=', latest.seq)
        .orderBy('seq')
        .execute();
      // The change that the edge knows comes first, if this history has it and has not deleted it.
      const [known, ...since] = rows;
      const isKnown = known !== undefined && `${known.seq}` === seq && known.mark === mark;
      return {
        position: now,
        projectIds: isKnown ? since.map((row) => row.project_id) : undefined,
      };
    },
  };
}

/** The certificate for all hosts below the platform's. Throws the sealer's errors. */
async function readPlatformCertificate(
  db: Db,
  name: string,
  sealer: Pick<Sealer, 'open'>,
  now: number,
): Promise<HostCertificate | undefined> {
  const row = await findPlatformCertificate(db, name);
  if (!row?.chain || !row.sealed_key || (row.not_after ?? 0) <= now) return undefined;
  const key = sealer.open(row.sealed_key, certificateKeyContext(PLATFORM));
  return { id: `${PLATFORM} ${row.serial}`, chain: row.chain, key };
}

async function findChallenge(
  db: Db,
  host: CanonicalHost,
  type: 'http-01' | 'tls-alpn-01',
  token?: string,
): Promise<string | undefined> {
  let query = db
    .selectFrom('acme_challenges')
    .select('key_authorization')
    .where('hostname', '=', host)
    .where('type', '=', type)
    .orderBy('created_at', 'desc');
  if (token !== undefined) query = query.where('token', '=', token);
  return (await query.executeTakeFirst())?.key_authorization;
}

/** `petstore` of `petstore.docs.example.com`; undefined for hosts that are not directly under the platform's. */
function platformLabel(host: CanonicalHost, platformHost: string): string | undefined {
  if (!host.endsWith(`.${platformHost}`)) return undefined;
  const label = host.slice(0, -platformHost.length - 1);
  return label.includes('.') ? undefined : label;
}

/** The columns of a project that switch parts of its sites on and off. */
const SWITCHES = ['projects.mcp', 'projects.request_proxy'] as const;

function switchesOf(row: Pick<ProjectRow, 'mcp' | 'request_proxy'>) {
  return { mcp: row.mcp === 1, requestProxy: row.request_proxy === 1 };
}

/** What decides which artifact a project's site shows. */
interface ShownRow {
  readonly artifact_hash: string | null;
  readonly default_version: string | null;
  readonly has_versions: unknown;
}

/** Whether a project has versions, as a column: most have none, and then nothing more is asked. */
function hasVersions() {
  const { exists, selectFrom } = expressionBuilder<Database, 'projects'>();
  return exists(
    selectFrom('site_versions')
      .select('site_versions.name')
      .whereRef('site_versions.project_id', '=', 'projects.id'),
  );
}

/** The artifact of a project's site, and its versions; undefined where it shows nothing. */
async function shownBy(
  db: Db,
  projectId: string,
  { artifact_hash, default_version, has_versions }: ShownRow,
): Promise<Pick<Site, 'artifactHash' | 'versions'> | undefined> {
  const rows = has_versions ? await listSiteVersions(db, projectId) : [];
  const all = rows.flatMap(({ name, artifact_hash: hash, retired_at }): SiteVersion[] => {
    if (retired_at !== null) return [{ name, artifactHash: undefined }];
    return hash === null ? [] : [{ name, artifactHash: hash }];
  });
  const standard = all.find(({ name }) => name === default_version);
  const artifactHash = standard?.artifactHash ?? artifact_hash;
  if (!artifactHash) return undefined;
  if (all.length === 0) return { artifactHash };
  return { artifactHash, versions: { standard: standard?.name, all } };
}

async function findLive(
  db: Db,
  slug: string,
  addresses: Addresses,
  now: number,
): Promise<Site | undefined> {
  const row = await db
    .selectFrom('projects')
    .leftJoin('deploys', 'deploys.id', 'projects.live_deploy_id')
    .select(['projects.id', 'projects.redirect_platform_host', 'deploys.artifact_hash'])
    .select(SWITCHES)
    .select(['projects.default_version', hasVersions().as('has_versions')])
    .select(activePrimary(now).as('primary'))
    .where('projects.slug', '=', slug)
    .executeTakeFirst();
  const shown = row && (await shownBy(db, row.id, row));
  if (!shown) return undefined;
  const primary = row.primary === null ? undefined : addresses.domain(row.primary);
  return {
    projectId: row.id,
    ...shown,
    origin: primary ?? addresses.site(slug),
    isPreview: false,
    ...switchesOf(row),
    redirectOrigin: row.redirect_platform_host === 1 ? primary : undefined,
  };
}

/** `shown`: a deploy's id, or the label of a branch, which has a dash. */
async function findPreview(
  db: Db,
  slug: string,
  shown: string,
  addresses: Addresses,
): Promise<Site | undefined> {
  const deploys = db
    .selectFrom('deploys')
    .innerJoin('projects', 'projects.id', 'deploys.project_id')
    .select(['projects.id', 'deploys.artifact_hash'])
    .select(SWITCHES)
    .where('projects.slug', '=', slug);
  const query = shown.includes('-')
    ? deploys
        .innerJoin('branch_previews', 'branch_previews.deploy_id', 'deploys.id')
        .whereRef('branch_previews.project_id', '=', 'projects.id')
        .where('branch_previews.label', '=', shown)
    : deploys.where('deploys.id', '=', shown);
  const row = await query.executeTakeFirst();
  if (!row?.artifact_hash) return undefined;
  return {
    projectId: row.id,
    artifactHash: row.artifact_hash,
    origin: addresses.preview(slug, shown),
    isPreview: true,
    ...switchesOf(row),
  };
}

/**
 * The site of a custom host: of the project that has it as a verified domain, if it has a live deploy. One query that
 * uses indexes, however many hosts there are.
 */
async function findCustomSite(
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
    .select(SWITCHES)
    .select(['projects.default_version', hasVersions().as('has_versions')])
    .select(['certificates.domain_id as certified', activePrimary(now).as('primary')])
    .executeTakeFirst();
  const shown = row && (await shownBy(db, row.project_id, row));
  if (!shown) return undefined;
  const secureOrigin = row.certified === null ? undefined : addresses.domain(host);
  const primary = row.primary === null ? undefined : addresses.domain(row.primary);
  return {
    projectId: row.project_id,
    ...shown,
    origin: primary ?? secureOrigin ?? addresses.domainWithoutTls(host),
    isPreview: false,
    ...switchesOf(row),
    redirectOrigin: row.primary === host ? undefined : primary,
    secureOrigin,
    hsts: hstsOf(row.hsts_max_age, row.hsts_include_subdomains === 1),
  };
}

/** The certificate of a custom host that is served. Throws the sealer's errors. */
async function findCertificate(
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

/** The domain of a host, with its project that shows something, and its live deploy. */
function serving(db: Db, host: CanonicalHost) {
  return (
    db
      .selectFrom('domains')
      .innerJoin('projects', 'projects.id', 'domains.project_id')
      .leftJoin('deploys', 'deploys.id', 'projects.live_deploy_id')
      .where('domains.hostname', '=', host)
      .where(({ or, eb }) =>
        or([eb('deploys.id', 'is not', null), eb('projects.default_version', 'is not', null)]),
      )
      // A literal, not a parameter: with a parameter SQLite would not use the partial index.
      .where('domains.holds', '=', sql.lit(1))
      .where('domains.verified_at', 'is not', null)
      .where('domains.removed_at', 'is', null)
  );
}

/** The host name of a project's primary domain, if it is active, which means that its certificate is valid. */
function activePrimary(now: number) {
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
