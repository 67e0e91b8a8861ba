import { randomId } from '../accounts/secrets.ts';
import { type Addresses, PREVIEW_MARK } from '../addresses.ts';
import { certificateKeyContext, type Sealer } from '../certificates/sealing.ts';
import type { Manifest } from '../deploys/artifact.ts';
import type { CanonicalHost } from '../edge/host.ts';
import {
  type HostCertificate,
  movedTo,
  type Site,
  type SiteSource,
} from '../edge/sites/site-source.ts';
import { wildcardOf } from '../zone/zone-records.ts';
import { PLATFORM } from './acme-orders.ts';
import { readBlob } from './artifacts.ts';
import { findCertificate, findCustomSite } from './custom-sites.ts';
import { addRequests } from './domain-moves.ts';
import { assertLockOrder } from './lock-order.ts';
import { findPlatformCertificate } from './platform-certificates.ts';
import type { Db, Trx } from './schema.ts';
import { activePrimary, hasVersions, SWITCHES, shownBy, switchesOf } from './shown-site.ts';

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
      if (label === undefined)
        return findCustomSite(db, host, { addresses: addresses(), now: now() });
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
    findCertificate: (name) => findCertificate(db, name, sealer),

    findHttpChallenge: (host, token) => findChallenge(db, host, 'http-01', token),
    findTlsChallenge: (host) => findChallenge(db, host, 'tls-alpn-01'),

    addRequests: (counts) => addRequests(db, counts, now()),

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
  const shown = row && (await shownBy(db, row.id, row, { addresses, now }));
  if (!shown) return undefined;
  const primary = row.primary === null ? undefined : addresses.domain(row.primary);
  return {
    projectId: row.id,
    ...shown,
    origin: primary ?? addresses.site(slug),
    isPreview: false,
    ...switchesOf(row),
    leadsVersions: row.redirect_platform_host === 1,
    redirect:
      row.redirect_platform_host === 1 && primary !== undefined ? movedTo(primary) : undefined,
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
