import { UserError } from '@petstore/service/user-error.ts';
import { readEmail } from '../../accounts/account-input.ts';
import type { Db } from '../../store/schema.ts';
import { findUserByEmail, type UserRow } from '../../store/users.ts';

/** The option that names an account. */
export const EMAIL = ['--email <email>', 'the address of the account (required)'] as const;

/** The user with this address. Throws UserError where there is none. */
export async function userByEmail(db: Db, text: string): Promise<UserRow> {
  const email = readEmail(text);
  const user = await findUserByEmail(db, email);
  if (!user)
    throw new UserError(
      `${email} has no account. \`dashboard users list\` shows those that there are.`,
    );
  return user;
}
