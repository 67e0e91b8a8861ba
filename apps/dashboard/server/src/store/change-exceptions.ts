import type { Db, Row, Trx } from './schema.ts';

export type ChangeExceptionRow = Row<'change_exceptions'>;

/** Those of a project that hold on a day, `2026-11-30`, in the order in which they were added. */
export function listChangeExceptions(db: Db, projectId: string, day: string) {
  return db
    .selectFrom('change_exceptions')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('until', '>=', day)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export async function insertChangeException(trx: Trx, row: ChangeExceptionRow): Promise<void> {
  await trx.insertInto('change_exceptions').values(row).execute();
}

/** Returns it; undefined where there is none. */
export function deleteChangeException(trx: Trx, projectId: string, id: string) {
  return trx
    .deleteFrom('change_exceptions')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Deletes those of a project whose last day was before a day. */
export async function deletePastChangeExceptions(
  trx: Trx,
  projectId: string,
  day: string,
): Promise<void> {
  await trx
    .deleteFrom('change_exceptions')
    .where('project_id', '=', projectId)
    .where('until', '<', day)
    .execute();
}
