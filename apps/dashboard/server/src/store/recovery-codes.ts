import type { Db, Trx } from './schema.ts';

/** Replaces all recovery codes of a user. */
export async function replaceRecoveryCodes(
  trx: Trx,
  userId: string,
  hashes: readonly string[],
  at: number,
): Promise<void> {
  await deleteRecoveryCodes(trx, userId);
  const rows = hashes.map((code_hash) => ({
    user_id: userId,
    code_hash,
    created_at: at,
    used_at: null,
  }));
  await trx.insertInto('recovery_codes').values(rows).execute();
}

/** How many codes of a user are not used, and when they were made; undefined where none were. */
export async function countRecoveryCodes(
  db: Db,
  userId: string,
): Promise<{ left: number; createdAt: number } | undefined> {
  const rows = await db
    .selectFrom('recovery_codes')
    .select(['created_at', 'used_at'])
    .where('user_id', '=', userId)
    .execute();
  const [first] = rows;
  if (!first) return undefined;
  const left = rows.filter(({ used_at }) => used_at === null).length;
  return { left, createdAt: first.created_at };
}

/** Takes a code, once: false where there is no such code, or it was used. */
export async function takeRecoveryCode(
  trx: Trx,
  userId: string,
  hash: string,
  at: number,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('recovery_codes')
    .set({ used_at: at })
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteRecoveryCodes(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
}
