import { sql } from 'kysely';
import type { Db, SecondFactorPolicy, Trx } from './schema.ts';

const ID = 1;

export interface SecurityPolicyRow {
  readonly second_factor: SecondFactorPolicy;
  readonly after_provider: number;
}

/** What the installation asks of those who sign in. */
export async function readSecurityPolicy(db: Db): Promise<SecurityPolicyRow> {
  const row = await db
    .selectFrom('security_policy')
    .select(['second_factor', 'after_provider'])
    .where('id', '=', ID)
    .executeTakeFirst();
  return row ?? { second_factor: 'optional', after_provider: 0 };
}

export async function saveSecurityPolicy(trx: Trx, policy: SecurityPolicyRow): Promise<void> {
  await trx
    .insertInto('security_policy')
    .values({ id: ID, ...policy })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(policy))
    .execute();
}

/** The accounts without a second factor of their own, by address. `owners`: of those who own a project alone. */
export function listUsersWithoutFactor(db: Db, whom: 'owners' | 'everyone') {
  const query = db
    .selectFrom('users')
    .select(['users.id', 'users.email', 'users.name'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('passkeys')
            .select('passkeys.id')
            .whereRef('passkeys.user_id', '=', 'users.id'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('authenticator_apps')
            .select('authenticator_apps.user_id')
            .whereRef('authenticator_apps.user_id', '=', 'users.id'),
        ),
      ),
    )
    .orderBy('users.email');
  return (whom === 'everyone' ? query : query.where(isOwner)).execute();
}

/** Whether a user owns the installation, or a project. */
export async function ownsSomething(db: Db, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('users.id')
    .where('users.id', '=', userId)
    .where(isOwner)
    .executeTakeFirst();
  return row !== undefined;
}

/** The installation's owner, and whoever owns a project. */
const isOwner = sql<boolean>`(users.role = 'owner' OR EXISTS (
  SELECT 1 FROM members WHERE members.user_id = users.id AND members.role = 'owner'))`;
