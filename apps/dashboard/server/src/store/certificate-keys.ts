import type { Db } from './schema.ts';

/** How long a key is remembered, in milliseconds: no certificate for it is valid any more. */
export const REMEMBERED_MS = 400 * 24 * 3_600_000;

/** Records the SHA-256 of a public key that an authority is asked to certify. */
export async function rememberKey(db: Db, hash: string, at: number): Promise<void> {
  await db
    .insertInto('certificate_keys')
    .values({ hash, at })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .execute();
}

/** Whether a certificate was asked for here, by its key; or by its serial, where it is older than the record of keys. */
export async function isOwnCertificate(
  db: Db,
  { keyHash, serial }: { readonly keyHash: string; readonly serial: string },
): Promise<boolean> {
  const found = await Promise.all([
    db.selectFrom('certificate_keys').select('hash').where('hash', '=', keyHash).executeTakeFirst(),
    db.selectFrom('certificates').select('serial').where('serial', '=', serial).executeTakeFirst(),
    db
      .selectFrom('platform_certificates')
      .select('serial')
      .where('serial', '=', serial)
      .executeTakeFirst(),
  ]);
  return found.some((row) => row !== undefined);
}

export async function forgetKeys(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('certificate_keys')
    .where('at', '<', now - REMEMBERED_MS)
    .execute();
}
