import { deleteRows, findRow } from './rows.ts';
import type { Db, Row, Trx } from './schema.ts';

export type AuthenticatorAppRow = Row<'authenticator_apps'>;

export function findAuthenticatorApp(db: Db, userId: string) {
  return findRow(db, 'authenticator_apps', { user_id: userId });
}

/** Stores a user's app in place of an earlier one. Whether there was an earlier one. */
export async function putAuthenticatorApp(trx: Trx, app: AuthenticatorAppRow): Promise<boolean> {
  const isReplaced = await deleteAuthenticatorApp(trx, app.user_id);
  await trx.insertInto('authenticator_apps').values(app).execute();
  return isReplaced;
}

/** Takes the code of a time step, once: false where that code, or a later one, was taken before. */
export async function takeStep(
  trx: Trx,
  userId: string,
  step: number,
  at: number,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('authenticator_apps')
    .set({ last_step: step, last_used_at: at })
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whether there was one. */
export function deleteAuthenticatorApp(trx: Trx, userId: string): Promise<boolean> {
  return deleteRows(trx, 'authenticator_apps', { user_id: userId });
}
