import type { Db, Row, Trx } from './schema.ts';

export type ChallengeRow = Row<'acme_challenges'>;

/** Stores a challenge, for every edge to respond to. */
export async function putChallenge(trx: Trx, row: ChallengeRow): Promise<void> {
  await trx
    .insertInto('acme_challenges')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['hostname', 'type', 'token'])
        .doUpdateSet({ key_authorization: row.key_authorization, domain_id: row.domain_id }),
    )
    .execute();
}

/** The challenges of a claim's own order, the latest first. */
export function listChallenges(db: Db, domainId: string) {
  return db
    .selectFrom('acme_challenges')
    .selectAll()
    .where('domain_id', '=', domainId)
    .orderBy('created_at', 'desc')
    .execute();
}

/** Deletes the challenges of a claim; those of other claims to the same name stay. */
export async function deleteChallenges(trx: Trx, domainId: string): Promise<void> {
  await trx.deleteFrom('acme_challenges').where('domain_id', '=', domainId).execute();
}
