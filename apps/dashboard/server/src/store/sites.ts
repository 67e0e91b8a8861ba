import type { Transaction } from 'kysely';
import type { Addresses } from '../addresses.ts';
import { PREVIEW_MARK } from '../addresses.ts';
import type { Manifest } from '../deploys/artifact.ts';
import type { CanonicalHost } from '../edge/host.ts';
import type { Site, SiteSource } from '../edge/site-source.ts';
import { readBlob } from './artifacts.ts';
import type { Db } from './open-database.ts';
import type { Database } from './schema.ts';

/** Changes older than this are forgotten, in milliseconds: an edge that slept longer begins anew. */
const KEPT_CHANGES_MS = 3_600_000;

/** Tells the edges that a project's hosts show something else, in the transaction that makes it so. */
export async function noteSiteChange(
  trx: Transaction<Database>,
  projectId: string,
  now: number,
): Promise<void> {
  const { seq } = await trx
    .updateTable('site_clock')
    .set((set) => ({ seq: set('seq', '+', 1) }))
    .where('id', '=', 1)
    .returning('seq')
    .executeTakeFirstOrThrow();
  await trx.insertInto('site_changes').values({ seq, project_id: projectId, at: now }).execute();
  await trx
    .deleteFrom('site_changes')
    .where('at', '<', now - KEPT_CHANGES_MS)
    .execute();
}

/** What the edge may ask of the store. `addresses` says which origins sites go by. */
export function siteSource(db: Db, platformHost: string, addresses: () => Addresses): SiteSource {
  return {
    async findSite(host) {
      const label = platformLabel(host, platformHost);
      if (label === undefined) return undefined;
      const mark = label.lastIndexOf(PREVIEW_MARK);
      return mark === -1
        ? findLive(db, label, addresses())
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

    async changesAfter(seq) {
      const { seq: latest } = await db
        .selectFrom('site_clock')
        .select('seq')
        .where('id', '=', 1)
        .executeTakeFirstOrThrow();
      if (latest === seq) return { seq, projectIds: [] };
      const rows = await db
        .selectFrom('site_changes')
        .select(['seq', 'project_id'])
        .where('seq', '>', seq)
        .where('seq', '<=', latest)
        .execute();
      // Numbers have no gaps, so one that is missing was forgotten. A clock that went back is that of
      // another database: one that was restored.
      const isWhole = rows.length === latest - seq;
      return { seq: latest, projectIds: isWhole ? rows.map((row) => row.project_id) : undefined };
    },
  };
}

/** `petstore` of `petstore.docs.example.com`; undefined for hosts that are not directly under the platform's. */
function platformLabel(host: CanonicalHost, platformHost: string): string | undefined {
  if (!host.endsWith(`.${platformHost}`)) return undefined;
  const label = host.slice(0, -platformHost.length - 1);
  return label.includes('.') ? undefined : label;
}

async function findLive(db: Db, slug: string, addresses: Addresses): Promise<Site | undefined> {
  const row = await db
    .selectFrom('projects')
    .innerJoin('deploys', 'deploys.id', 'projects.live_deploy_id')
    .select(['projects.id', 'deploys.artifact_hash'])
    .where('projects.slug', '=', slug)
    .executeTakeFirst();
  if (!row?.artifact_hash) return undefined;
  return {
    projectId: row.id,
    artifactHash: row.artifact_hash,
    origin: addresses.site(slug),
    isPreview: false,
  };
}

async function findPreview(
  db: Db,
  slug: string,
  deployId: string,
  addresses: Addresses,
): Promise<Site | undefined> {
  const row = await db
    .selectFrom('deploys')
    .innerJoin('projects', 'projects.id', 'deploys.project_id')
    .select(['projects.id', 'deploys.artifact_hash'])
    .where('deploys.id', '=', deployId)
    .where('projects.slug', '=', slug)
    .executeTakeFirst();
  if (!row?.artifact_hash) return undefined;
  return {
    projectId: row.id,
    artifactHash: row.artifact_hash,
    origin: addresses.preview(slug, deployId),
    isPreview: true,
  };
}
