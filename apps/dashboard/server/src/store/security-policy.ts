import { sql } from 'kysely';
import type { SecondFactorPolicy } from './schema/factors.ts';
import type { Db, Trx } from './schema.ts';

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

/** The second factors of all users, by their ids. Who has none is left out. */
export async function listFactorsOfUsers(
  db: Db,
): Promise<Map<string, readonly ('passkey' | 'authenticator_app')[]>> {
  const passkeys = await db.selectFrom('passkeys').select('user_id').distinct().execute();
  const apps = await db.selectFrom('authenticator_apps').select('user_id').execute();
  const found = new Map<string, ('passkey' | 'authenticator_app')[]>();
  for (const { user_id } of passkeys) found.set(user_id, ['passkey']);
  for (const { user_id } of apps) {
    found.set(user_id, [...(found.get(user_id) ?? []), 'authenticator_app']);
  }
  return found;
}

/** The accounts without a second factor of their own, by address. `owners`: of those who own a project alone. */
export function listUsersWithoutFactor(db: Db, whom: 'owners' | 'everyone') {
  const query = db
    .selectFrom('users')
    .select(['users.id', 'users.email', 'users.name'])
    .where('users.disabled_at', 'is', null)
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

/** The installation's owner, and whoever owns a project: by a membership of their own, or by that of a group. */
const isOwner = sql<boolean>`(users.role = 'owner'
  OR EXISTS (SELECT 1 FROM role_grants
    WHERE role_grants.user_id = users.id AND role_grants.role = 'owner'))`;
