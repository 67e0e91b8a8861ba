import { findRow } from './rows.ts';
import type { Db, Row, Trx } from './schema.ts';

export type DeployChangesRow = Row<'deploy_changes'>;

/** Stores the changes of a deploy in place of those that are there. */
export async function putDeployChanges(trx: Trx, row: DeployChangesRow): Promise<void> {
  const { changes, left_out } = row;
  await trx
    .insertInto('deploy_changes')
    .values(row)
    .onConflict((conflict) => conflict.column('deploy_id').doUpdateSet({ changes, left_out }))
    .execute();
}

/** undefined where nothing was compared. */
export const findDeployChanges = (db: Db, deployId: string) =>
  findRow(db, 'deploy_changes', { deploy_id: deployId });
