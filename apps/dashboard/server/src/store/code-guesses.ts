import { deleteRows, findRow } from './rows.ts';
import type { Db, Trx } from './schema.ts';

/** When too many wrong codes were tried at an account; undefined: never, or its user has seen it. */
export async function codesGuessedAt(db: Db, userId: string): Promise<number | undefined> {
  return (await findRow(db, 'code_guesses', { user_id: userId }))?.at;
}

export async function recordGuessing(trx: Trx, userId: string, at: number): Promise<void> {
  await trx
    .insertInto('code_guesses')
    .values({ user_id: userId, at })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ at }))
    .execute();
}

export async function forgetGuessing(db: Db, userId: string): Promise<void> {
  await deleteRows(db, 'code_guesses', { user_id: userId });
}
