import { deleteRows } from './rows.ts';
import type { Db, NewRow, Row, Trx } from './schema.ts';

export type AccountLinkRow = Row<'account_links'>;

/** Stores a link; an earlier one of the same kind for the same user ends. */
export async function putAccountLink(trx: Trx, link: NewRow<'account_links'>): Promise<void> {
  await deleteRows(trx, 'account_links', { user_id: link.user_id, kind: link.kind });
  await trx.insertInto('account_links').values(link).execute();
}

/** The link with this secret that has not ended. */
export function findAccountLink(
  db: Db,
  tokenHash: string,
  now: number,
): Promise<AccountLinkRow | undefined> {
  return db
    .selectFrom('account_links')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** The link of a kind that a user has and that has not ended. */
export function findAccountLinkOf(
  db: Db,
  userId: string,
  kind: AccountLinkRow['kind'],
  now: number,
): Promise<AccountLinkRow | undefined> {
  return db
    .selectFrom('account_links')
    .selectAll()
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Ends a link by its secret. Whether it had not ended: of two who use it at the same time, one succeeds. */
export function deleteAccountLink(trx: Trx, tokenHash: string): Promise<boolean> {
  return deleteRows(trx, 'account_links', { token_hash: tokenHash });
}

/** Ends the links of a user: of one kind, or all. */
export async function deleteAccountLinks(
  trx: Trx,
  userId: string,
  kind?: AccountLinkRow['kind'],
): Promise<void> {
  await deleteRows(trx, 'account_links', { user_id: userId, ...(kind && { kind }) });
}
