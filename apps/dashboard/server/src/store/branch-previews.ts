import { deleteRows, findRow, updateRows } from './rows.ts';
import type { Db, Row, Trx } from './schema.ts';

export type BranchPreviewRow = Row<'branch_previews'>;

/** Its project must be locked before a transaction changes it. */
export function findBranchPreview(db: Db, projectId: string, branch: string) {
  return findRow(db, 'branch_previews', { project_id: projectId, branch });
}

/** The previews of a project and the numbers of the deploys that they show, the latest deployed first. */
export function listBranchPreviews(db: Db, projectId: string) {
  return db
    .selectFrom('branch_previews')
    .leftJoin('deploys', 'deploys.id', 'branch_previews.deploy_id')
    .selectAll('branch_previews')
    .select('deploys.number')
    .where('branch_previews.project_id', '=', projectId)
    .orderBy('branch_previews.deployed_at', 'desc')
    .orderBy('branch_previews.branch')
    .execute();
}

export async function countBranchPreviews(db: Db, projectId: string): Promise<number> {
  const { count } = await db
    .selectFrom('branch_previews')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertBranchPreview(trx: Trx, row: BranchPreviewRow): Promise<void> {
  await trx.insertInto('branch_previews').values(row).execute();
}

/** Whether there is such a preview. */
export function updateBranchPreview(
  trx: Trx,
  { project_id, branch }: Pick<BranchPreviewRow, 'project_id' | 'branch'>,
  change: Partial<Pick<BranchPreviewRow, 'deploy_id' | 'deployed_at'>>,
): Promise<boolean> {
  return updateRows(trx, 'branch_previews', { project_id, branch }, change);
}

/** Whether there was such a preview. */
export function deleteBranchPreview(
  trx: Trx,
  { project_id, branch }: Pick<BranchPreviewRow, 'project_id' | 'branch'>,
): Promise<boolean> {
  return deleteRows(trx, 'branch_previews', { project_id, branch });
}

/** Some previews without a deploy since an instant. */
export function listUnusedPreviews(db: Db, since: number): Promise<BranchPreviewRow[]> {
  return db
    .selectFrom('branch_previews')
    .selectAll()
    .where('deployed_at', '<', since)
    .orderBy('deployed_at')
    .limit(100)
    .execute();
}
