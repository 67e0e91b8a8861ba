import type { FirstStep } from '../home/first-steps.ts';
import { projectsOf } from './role-grants.ts';
import { updateRows } from './rows.ts';
import type { Plan } from './schema/projects.ts';
import type { Db } from './schema.ts';

export interface DoneSteps {
  readonly done: ReadonlySet<FirstStep>;
  /** The projects that the user owns, the newest first; the first hundred. */
  readonly owned: readonly { readonly slug: string; readonly plan: Plan }[];
  /** Whether the user is in any project. */
  readonly isMember: boolean;
}

/** What there is in the projects that a user owns, as far as it is a first step. */
export async function readFirstSteps(db: Db, userId: string): Promise<DoneSteps> {
  const memberships = projectsOf(db, userId);
  const own = memberships.where('role', '=', 'owner');
  const owned = await db
    .selectFrom('projects')
    .select(['slug', 'plan'])
    .where('id', 'in', own)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(100)
    .execute();
  const facts = [
    ['project', owned[0]],
    [
      'deploy',
      await db
        .selectFrom('deploys')
        .select('id')
        .where('project_id', 'in', own)
        .where('state', '=', 'succeeded')
        .limit(1)
        .executeTakeFirst(),
    ],
    [
      'domain',
      await db
        .selectFrom('domains')
        .select('id')
        .where('project_id', 'in', own)
        .where('removed_at', 'is', null)
        .limit(1)
        .executeTakeFirst(),
    ],
    [
      'invite',
      (await db
        .selectFrom('invitations')
        .select('id')
        .where('project_id', 'in', own)
        .where('revoked_at', 'is', null)
        .limit(1)
        .executeTakeFirst()) ??
        (await db
          .selectFrom('role_grants')
          .select('user_id')
          .where('project_id', 'in', own)
          .where('user_id', '!=', userId)
          .limit(1)
          .executeTakeFirst()),
    ],
  ] as const;
  return {
    done: new Set(facts.filter(([, row]) => row !== undefined).map(([name]) => name)),
    owned,
    isMember: (await memberships.limit(1).executeTakeFirst()) !== undefined,
  };
}

export async function hideFirstSteps(db: Db, userId: string, at: number): Promise<void> {
  await updateRows(db, 'users', { id: userId }, { first_steps_hidden_at: at });
}
