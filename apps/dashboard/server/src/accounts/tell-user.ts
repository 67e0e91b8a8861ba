import type { Trx } from '../store/schema.ts';
import type { UserRow } from '../store/users.ts';

/** What a user is told of their account. */
export interface AccountMessage {
  readonly subject: string;
  /** What happened, and what to do if it was somebody else. */
  readonly message: string;
  /** The page of the dashboard that is about it. */
  readonly path: string;
}

export async function tellUser(
  _trx: Trx,
  _at: number,
  _user: Pick<UserRow, 'email'>,
  _message: AccountMessage,
): Promise<void> {}
