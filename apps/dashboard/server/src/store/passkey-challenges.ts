import type { Db, Row } from './schema.ts';

type PasskeyChallengeRow = Row<'passkey_challenges'>;

/** Also deletes expired ones. */
export async function insertPasskeyChallenge(
  db: Db,
  row: PasskeyChallengeRow,
  now: number,
): Promise<void> {
  await db.deleteFrom('passkey_challenges').where('expires_at', '<=', now).execute();
  await db.insertInto('passkey_challenges').values(row).execute();
}

/** Takes a challenge, once: false where it was not given out for this, to this browser, or has expired. */
export async function takePasskeyChallenge(
  db: Db,
  { challenge, purpose, bound_to }: Omit<PasskeyChallengeRow, 'expires_at'>,
  now: number,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('passkey_challenges')
    .where('challenge', '=', challenge)
    .where('purpose', '=', purpose)
    .where('bound_to', '=', bound_to)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
