import { isHeld, ownBytes, sumOf } from './project-contents.ts';
import type { Db } from './schema.ts';

/** A deploy whose files may be removed. */
export interface RemovableDeploy {
  readonly id: string;
  readonly number: number;
  readonly source_name: string;
  readonly created_at: number;
  readonly artifact_hash: string;
}

/** Deploys of a project whose files nobody is shown under the address of a site, a version or a branch: the oldest first. */
export async function listRemovable(
  db: Db,
  projectId: string,
  limit: number,
  after = 0,
): Promise<RemovableDeploy[]> {
  const rows = await removable(db, projectId)
    .where('number', '>', after)
    .select(['id', 'number', 'source_name', 'created_at', 'artifact_hash'])
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, artifact_hash: row.artifact_hash ?? '' }));
}

export async function countRemovable(db: Db, projectId: string): Promise<number> {
  const { count } = await removable(db, projectId)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Bytes that would be free if the files of all these deploys were removed. */
export async function removableBytes(db: Db, projectId: string): Promise<number> {
  const kept = db
    .selectFrom('deploys')
    .select('artifact_hash')
    .where('project_id', '=', projectId)
    .where('artifact_hash', 'is not', null)
    .where('id', 'not in', removable(db, projectId).select('deploys.id'));
  const { bytes } = await db
    .selectFrom('project_contents')
    .select(({ fn, val }) => fn.coalesce(sumOf('size'), val(0)).as('bytes'))
    .where('project_id', '=', projectId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('artifact_blobs')
            .select('artifact_blobs.blob_hash')
            .whereRef('artifact_blobs.blob_hash', '=', 'project_contents.blob_hash')
            .where('artifact_blobs.artifact_hash', 'in', kept),
        ),
      ),
    )
    .executeTakeFirstOrThrow();
  return bytes;
}

/** Bytes that would be free if the files of a deploy were removed: what no other deploy of its project has. */
export async function bytesToFree(
  db: Db,
  projectId: string,
  { id, artifact_hash: hash }: Pick<RemovableDeploy, 'id' | 'artifact_hash'>,
): Promise<number> {
  return (await isHeld(db, projectId, hash, [id])) ? 0 : ownBytes(db, projectId, hash);
}

/** What shows a deploy; undefined where nothing does. */
export async function whatShows(
  db: Db,
  projectId: string,
  deployId: string,
): Promise<string | undefined> {
  const project = await db
    .selectFrom('projects')
    .select('live_deploy_id')
    .where('id', '=', projectId)
    .executeTakeFirst();
  if (project?.live_deploy_id === deployId) return 'the site';
  const version = await db
    .selectFrom('site_versions')
    .select('name')
    .where('project_id', '=', projectId)
    .where('deploy_id', '=', deployId)
    .executeTakeFirst();
  if (version) return `the version ${version.name}`;
  const preview = await db
    .selectFrom('branch_previews')
    .select('branch')
    .where('project_id', '=', projectId)
    .where('deploy_id', '=', deployId)
    .executeTakeFirst();
  return preview && `the preview of the branch ${preview.branch}`;
}

function removable(db: Db, projectId: string) {
  const shown = (table: 'site_versions' | 'branch_previews') =>
    db
      .selectFrom(table)
      .select('deploy_id')
      .where('project_id', '=', projectId)
      .where('deploy_id', 'is not', null);
  return db
    .selectFrom('deploys')
    .where('project_id', '=', projectId)
    .where('state', '=', 'succeeded')
    .where('artifact_hash', 'is not', null)
    .where('id', 'not in', shown('site_versions'))
    .where('id', 'not in', shown('branch_previews'))
    .where('id', 'not in', (select) =>
      select
        .selectFrom('projects')
        .select('live_deploy_id')
        .where('projects.id', '=', projectId)
        .where('live_deploy_id', 'is not', null),
    );
}
