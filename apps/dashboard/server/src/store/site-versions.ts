import { deleteRows, findRow, updateRows } from './rows.ts';
import type { Db, NewRow, Row, Trx } from './schema.ts';

export type SiteVersionRow = Row<'site_versions'>;

type Key = Pick<SiteVersionRow, 'project_id' | 'name'>;

/** Its project must be locked before a transaction changes it. */
export function findSiteVersion(db: Db, projectId: string, name: string) {
  return findRow(db, 'site_versions', { project_id: projectId, name });
}

/** The versions of a project, retired ones too, with the deploys that they show. */
export function listSiteVersions(db: Db, projectId: string) {
  return db
    .selectFrom('site_versions')
    .leftJoin('deploys', 'deploys.id', 'site_versions.deploy_id')
    .selectAll('site_versions')
    .select(['deploys.number', 'deploys.artifact_hash'])
    .where('site_versions.project_id', '=', projectId)
    .orderBy('site_versions.name')
    .execute();
}

export async function insertSiteVersion(trx: Trx, row: NewRow<'site_versions'>): Promise<void> {
  await trx.insertInto('site_versions').values(row).execute();
}

/** Whether there is such a version. */
export function updateSiteVersion(
  trx: Trx,
  { project_id, name }: Key,
  change: Partial<
    Pick<SiteVersionRow, 'deploy_id' | 'deployed_at' | 'retired_at' | 'primary_domain_id'>
  >,
): Promise<boolean> {
  return updateRows(trx, 'site_versions', { project_id, name }, change);
}

/** Whether there was such a version. */
export function deleteSiteVersion(trx: Trx, { project_id, name }: Key): Promise<boolean> {
  return deleteRows(trx, 'site_versions', { project_id, name });
}
