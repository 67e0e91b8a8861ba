import { expressionBuilder, sql } from 'kysely';
import { randomId } from '../accounts/secrets.ts';
import { type Addresses, PREVIEW_MARK } from '../addresses.ts';
import type { PlatformCertificate } from '../certificates/platform-names.ts';
import { certificateKeyContext, type Sealer } from '../certificates/sealing.ts';
import type { Manifest } from '../deploys/artifact.ts';
import type { CanonicalHost } from '../edge/host.ts';
import {
  type HostCertificate,
  movedTo,
  type Site,
  type SiteSource,
} from '../edge/sites/site-source.ts';
import { readBlob } from './artifacts.ts';
import { findCustomSite, findServedCertificate } from './custom-sites.ts';
import { listShownDeploys } from './deploys.ts';
import { addRequests } from './domain-moves.ts';
import { assertLockOrder } from './lock-order.ts';
import { notLive, TOLD } from './not-live.ts';
import { findPlatformCertificate, platformChallenges } from './platform-certificates.ts';
import { closedIfPrivate } from './private-site.ts';
import { addReaders } from './readers.ts';
import { findMoved } from './reserved-labels.ts';
import { lockRow, updateRows } from './rows.ts';
import type { Private } from './schema/site-access.ts';
import type { Database, Db, Trx } from './schema.ts';
import { activePrimary, hasVersions, SWITCHES, shownBy, switchesOf } from './shown-site.ts';
import { emptySite } from './version-site.ts';

/** Changes older than this are deleted, in milliseconds: an edge that missed more invalidates all. */
const KEPT_CHANGES_MS = 3_600_000;

/**
 * Tells the edges that a project's hosts changed, in the transaction of the change. It belongs at the end: from then on
 * all other changes of sites wait for this transaction.
 */
export async function recordSiteChange(trx: Trx, projectId: string, now: number): Promise<void> {
  const seq = (await lockSites(trx)) + 1;
  const mark = randomId(12);
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
  // Last: see lockRow.
  await updateRows(trx, 'site_clock', { id: 1 }, { seq, mark });
}

/**
 * Lets one transaction at a time change what hosts serve, until it ends. It is needed for decisions that depend on who
 * serves a name now. Returns the number of the last change.
 */
export async function lockSites(trx: Trx): Promise<number> {
  assertLockOrder(trx, 'sites');
  const clock = await lockRow(trx, 'site_clock', { id: 1 });
  if (!clock) throw new Error('the clock of sites is gone');
  return clock.seq;
}

interface SourceOptions {
  readonly db: Db;
  readonly platformHost: string;
  /** The certificates of the installation's own names; none: a proxy has them. */
  readonly certificates?: readonly PlatformCertificate[];
  /** Whether browsers come to sites over TLS without a proxy, so that plain requests are redirected. */
  readonly hasOwnHttps?: boolean;
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
  certificates = [],
  hasOwnHttps = false,
  addresses,
  sealer,
  now,
}: SourceOptions): SiteSource {
  const wildcard = certificates.find(({ needsZone }) => needsZone);
  const secured = hasOwnHttps ? wildcard?.hostname : undefined;
  /** A name whose challenges are of its own certificate. */
  const isOwn = (host: CanonicalHost) => certificates.some(({ hostname }) => hostname === host);
  return {
    async findSite(host) {
      const label = platformLabel(host, platformHost);
      const platform = { addresses: addresses(), secured, now: now() };
      if (label === undefined) return findCustomSite(db, host, platform);
      const mark = label.lastIndexOf(PREVIEW_MARK);
      const slug = mark === -1 ? label : label.slice(0, mark);
      const shown = label.slice(mark + PREVIEW_MARK.length);
      const at = (slugNow: string) =>
        mark === -1
          ? findLive(db, slugNow, platform)
          : findAnyPreview(db, slugNow, shown, platform);
      const found = (await at(slug)) ?? (await findMovedSite(db, slug, platform, at));
      return (
        found && closedIfPrivate(db, found.site, { host, setting: found.setting, ...platform })
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

    platformCertificateOf(host) {
      if (wildcard && platformLabel(host, platformHost) !== undefined) return wildcard.hostname;
      return certificates.find(({ names }) => names.includes(host))?.hostname;
    },
    async findPlatformCertificate(name) {
      const certificate = certificates.find(({ hostname }) => hostname === name);
      return certificate && readPlatformCertificate(db, certificate, sealer, now());
    },
    findServedCertificate: (name) => findServedCertificate(db, name, sealer),

    findHttpChallenge: (host, token) =>
      isOwn(host)
        ? findPlatformChallenge(db, host, token)
        : findChallenge(db, host, 'http-01', token),
    findTlsChallenge: (host) =>
      isOwn(host) ? findPlatformChallenge(db, host) : findChallenge(db, host, 'tls-alpn-01'),

    addRequests: (counts) => addRequests(db, counts, now()),
    addReaders: (counts) => addReaders(db, counts),

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

/** A certificate of the installation's own. Throws the sealer's errors. */
async function readPlatformCertificate(
  db: Db,
  { hostname, id }: PlatformCertificate,
  sealer: Pick<Sealer, 'open'>,
  now: number,
): Promise<HostCertificate | undefined> {
  const row = await findPlatformCertificate(db, hostname);
  if (!row?.chain || !row.sealed_key || (row.not_after ?? 0) <= now) return undefined;
  const key = sealer.open(row.sealed_key, certificateKeyContext(id));
  return { id: `${id} ${row.serial}`, chain: row.chain, key };
}

/** A challenge under way for the certificate of an own name. A key authorization begins with its token. */
async function findPlatformChallenge(
  db: Db,
  host: CanonicalHost,
  token?: string,
): Promise<string | undefined> {
  const shown = (await platformChallenges(db)).filter(({ hostname }) => hostname === host);
  return shown.find(
    ({ keyAuthorization }) => token === undefined || keyAuthorization.startsWith(`${token}.`),
  )?.keyAuthorization;
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

/** Where sites below the platform's host are, and how. */
interface PlatformSites {
  readonly addresses: Addresses;
  /** The name of the certificate that makes plain requests redirect once it is there; undefined: nothing does. */
  readonly secured: string | undefined;
  readonly now: number;
}

/** Whether the certificate of a name of the installation's own is there, as a column. */
function isSecured({ secured, now }: PlatformSites) {
  if (secured === undefined) return sql<null>`NULL`.as('secured');
  return expressionBuilder<Database, 'projects'>()
    .selectFrom('platform_certificates')
    .select('platform_certificates.hostname')
    .where('platform_certificates.hostname', '=', secured)
    .where('platform_certificates.not_after', '>', now)
    .as('secured');
}

interface PlatformSite {
  readonly site: Site;
  readonly setting: Private;
}

async function findLive(
  db: Db,
  slug: string,
  platform: PlatformSites,
): Promise<PlatformSite | undefined> {
  const { addresses, now } = platform;
  const row = await db
    .selectFrom('projects')
    .leftJoin('deploys', 'deploys.id', 'projects.live_deploy_id')
    .select(['projects.id', 'projects.redirect_platform_host', 'deploys.artifact_hash'])
    .select(SWITCHES)
    .select(['projects.default_version', hasVersions().as('has_versions')])
    .select([activePrimary(now).as('primary'), isSecured(platform)])
    .where('projects.slug', '=', slug)
    .executeTakeFirst();
  const shown = row && (await shownBy(db, row.id, row, { addresses, now }));
  if (!shown) return undefined;
  const primary = row.primary === null ? undefined : addresses.domain(row.primary);
  const site: Site = {
    projectId: row.id,
    ...shown,
    origin: primary ?? addresses.site(slug),
    isPreview: false,
    ...switchesOf(row),
    leadsVersions: row.redirect_platform_host === 1,
    ...(row.secured !== null && { secureOrigin: addresses.site(slug) }),
    redirect:
      row.redirect_platform_host === 1 && primary !== undefined ? movedTo(primary) : undefined,
  };
  return { site, setting: row.private };
}

/** `shown`: a deploy's id, or the label of a branch, which has a dash. */
async function findPreview(
  db: Db,
  slug: string,
  shown: string,
  platform: PlatformSites,
): Promise<PlatformSite | undefined> {
  const deploys = db
    .selectFrom('deploys')
    .innerJoin('projects', 'projects.id', 'deploys.project_id')
    .select(['projects.id as project_id', 'projects.live_deploy_id'])
    .select(['deploys.artifact_hash', isSecured(platform)])
    .select(TOLD)
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
  const { addresses } = platform;
  const origin = addresses.preview(slug, shown);
  const { project_id: id, live_deploy_id } = row;
  const isLive = (await listShownDeploys(db, { id, live_deploy_id })).has(row.id);
  const live = isLive ? undefined : await findLive(db, slug, platform);
  const site: Site = {
    projectId: id,
    artifactHash: row.artifact_hash,
    origin,
    isPreview: true,
    ...(!isLive && { notLive: notLive(row, { slug, addresses, live: live?.site }) }),
    ...switchesOf(row),
    ...(row.secured !== null && { secureOrigin: origin }),
  };
  return { site, setting: row.private };
}

/** A preview, or where previews are private its host that shows nothing. */
async function findAnyPreview(
  db: Db,
  slug: string,
  shown: string,
  platform: PlatformSites,
): Promise<PlatformSite | undefined> {
  return (
    (await findPreview(db, slug, shown, platform)) ??
    (await findMissingPreview(db, slug, shown, platform))
  );
}

/** The host of a slug that a project had before: it leads to the same of the slug that the project has now. */
async function findMovedSite(
  db: Db,
  slug: string,
  platform: PlatformSites,
  at: (slugNow: string) => Promise<PlatformSite | undefined>,
): Promise<PlatformSite | undefined> {
  const moved = await findMoved(db, slug, platform.now);
  const found = moved && (await at(moved.slug));
  if (!found) return undefined;
  const { site, setting } = found;
  const { origin, secureOrigin, redirect } = site;
  const here = (url: string) => url.replace(`://${moved.slug}`, `://${slug}`);
  return {
    setting,
    site: {
      ...site,
      // Of its own certificate below the platform's name.
      ...(secureOrigin !== undefined && { secureOrigin: here(secureOrigin) }),
      redirect: redirect ?? {
        ...{ origin: secureOrigin ?? origin, path: '', keepPath: true, status: 308 },
      },
    },
  };
}

/**
 * A preview's host that shows nothing, of a project whose previews are private: it asks who comes, as those do that show
 * something. undefined: there is no such project.
 */
async function findMissingPreview(
  db: Db,
  slug: string,
  shown: string,
  platform: PlatformSites,
): Promise<PlatformSite | undefined> {
  const row = await db
    .selectFrom('projects')
    .select(['projects.id', 'projects.private', isSecured(platform)])
    .where('projects.slug', '=', slug)
    .where('projects.private', '!=', 'nothing')
    .executeTakeFirst();
  if (!row) return undefined;
  const origin = platform.addresses.preview(slug, shown);
  const site = emptySite({
    ...{ projectId: row.id, artifactHash: '', origin, isPreview: true },
    ...{ mcp: false, requestProxy: false },
    ...(row.secured !== null && { secureOrigin: origin }),
  });
  return { site, setting: row.private };
}
