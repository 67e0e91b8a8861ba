import type { Transaction } from 'kysely';
import type { Db } from './open-database.ts';
import type { Database } from './schema.ts';

type Reader = Db | Transaction<Database>;

/** The longest while that an authority's limits look back, in milliseconds. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** Notes an order that failed, and forgets those that no limit counts any more. */
export async function noteIssuanceFailure(
  trx: Transaction<Database>,
  directoryUrl: string,
  hostname: string,
  at: number,
): Promise<void> {
  await trx
    .insertInto('issuance_failures')
    .values({ directory_url: directoryUrl, hostname, at })
    .execute();
  await trx
    .deleteFrom('issuance_failures')
    .where('at', '<', at - KEPT_MS)
    .execute();
}

/** When a name's orders failed at a directory since an instant, oldest first. */
export async function listIssuanceFailures(
  db: Reader,
  directoryUrl: string,
  hostname: string,
  since: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('issuance_failures')
    .select('at')
    .where('directory_url', '=', directoryUrl)
    .where('hostname', '=', hostname)
    .where('at', '>', since)
    .orderBy('at')
    .execute();
  return rows.map(({ at }) => at);
}

/** How many orders failed at a directory since an instant. */
export async function countIssuanceFailures(
  db: Reader,
  directoryUrl: string,
  since: number,
): Promise<number> {
  const { count } = await db
    .selectFrom('issuance_failures')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('directory_url', '=', directoryUrl)
    .where('at', '>', since)
    .executeTakeFirstOrThrow();
  return Number(count);
}
