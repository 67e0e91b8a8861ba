import type { Selectable, Transaction } from 'kysely';
import type { Db } from './open-database.ts';
import type { Database } from './schema.ts';

export type ChallengeRow = Selectable<Database['acme_challenges']>;

/** Has every edge answer a challenge. */
export async function putChallenge(trx: Transaction<Database>, row: ChallengeRow): Promise<void> {
  await trx
    .insertInto('acme_challenges')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['hostname', 'type', 'token'])
        .doUpdateSet({ key_authorization: row.key_authorization }),
    )
    .execute();
}

export function listChallenges(db: Db, hostname: string): Promise<ChallengeRow[]> {
  return db
    .selectFrom('acme_challenges')
    .selectAll()
    .where('hostname', '=', hostname)
    .orderBy('created_at', 'desc')
    .execute();
}

export async function deleteChallenges(
  trx: Transaction<Database>,
  hostname: string,
): Promise<void> {
  await trx.deleteFrom('acme_challenges').where('hostname', '=', hostname).execute();
}
