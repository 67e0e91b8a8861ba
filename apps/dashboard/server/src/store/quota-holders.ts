import { sql } from 'kysely';
import { sumOf } from './project-contents.ts';
import type { Plan } from './schema/projects.ts';
import type { Db } from './schema.ts';

// Accounts and projects by what they hold, the most first, for whoever bounds them.

export interface HolderQuery {
  /** After this one. */
  readonly after: { readonly bytes: number; readonly id: string } | undefined;
  readonly limit: number;
  /** Whether one is meant, by its names; undefined: all are. Asked here, since SQLite knows the case of ASCII alone. */
  readonly isWanted: ((names: string) => boolean) | undefined;
  /** Those alone for which a quota is set. */
  readonly isExceptional: boolean;
}

export interface AccountHolder {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** Of all projects that it owns. */
  readonly bytes: number;
}

export interface ProjectHolder {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly plan: Plan;
  readonly stored_bytes: number;
  readonly bytes: number;
}

export async function listAccountHolders(db: Db, query: HolderQuery): Promise<AccountHolder[]> {
  const holders = db
    .selectFrom('users')
    .select(({ selectFrom, fn, val }) => [
      'users.id',
      'users.email',
      'users.name',
      fn
        .coalesce(
          selectFrom('members')
            .innerJoin('projects', 'projects.id', 'members.project_id')
            .select(sumOf('projects.stored_bytes').as('sum'))
            .whereRef('members.user_id', '=', 'users.id')
            .where('members.role', '=', 'owner'),
          val(0),
        )
        .as('bytes'),
    ])
    .as('holders');
  let rows = db.selectFrom(holders).selectAll().orderBy('bytes', 'desc').orderBy('id');
  if (query.after) rows = rows.where(isAfter('bytes', query.after));
  if (query.isExceptional) rows = rows.where('id', 'in', targets(db));
  if (!query.isWanted) rows = rows.limit(query.limit);
  return chosen(await rows.execute(), query, ({ email, name }) => `${name} ${email}`);
}

export async function listProjectHolders(db: Db, query: HolderQuery): Promise<ProjectHolder[]> {
  let rows = db
    .selectFrom('projects')
    .select(['id', 'slug', 'name', 'plan', 'stored_bytes', 'stored_bytes as bytes'])
    .orderBy('stored_bytes', 'desc')
    .orderBy('id');
  if (query.after) rows = rows.where(isAfter('stored_bytes', query.after));
  if (query.isExceptional) rows = rows.where('id', 'in', targets(db));
  if (!query.isWanted) rows = rows.limit(query.limit);
  return chosen(await rows.execute(), query, ({ slug, name }) => `${name} ${slug}`);
}

const targets = (db: Db) => db.selectFrom('quotas').select('target');

function isAfter(column: 'bytes' | 'stored_bytes', { bytes, id }: { bytes: number; id: string }) {
  const held = sql.ref(column);
  return sql<boolean>`(${held} < ${bytes} OR (${held} = ${bytes} AND id > ${id}))`;
}

function chosen<T>(rows: T[], { isWanted, limit }: HolderQuery, names: (row: T) => string): T[] {
  return isWanted ? rows.filter((row) => isWanted(names(row))).slice(0, limit) : rows;
}
