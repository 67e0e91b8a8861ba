import type { Deps } from '../../deps.ts';
import {
  countUsers,
  listGroupsOfUsers,
  listScimUsers,
  type ScimUserRow,
  type ScimUsersOf,
} from '../../store/scim.ts';
import { matching } from '../filter/match-filter.ts';
import { demandsOf, type ListQuery, sorted } from '../list.ts';
import { isWanted, project } from '../projection.ts';
import type { Resource } from '../resource.ts';
import { USER } from '../schema.ts';
import { presentUser, userNameKey } from './user-resource.ts';

interface Found {
  readonly resources: Resource[];
  readonly total: number;
}

/** The users that a query asks for: one page of them, and how many there are. */
export async function listUsers(
  { db }: Pick<Deps, 'db'>,
  query: ListQuery,
  address: string,
): Promise<Found> {
  const { filter, sortBy, startIndex, count, projection } = query;
  if (!filter && sortBy === undefined) {
    const total = await countUsers(db);
    if (count === 0) return { resources: [], total };
    const rows = await listScimUsers(db, { offset: startIndex - 1, limit: count });
    const shown = isWanted(projection, 'groups')
      ? await withGroups(db, rows, address)
      : rows.map((row) => presentUser(row, [], address));
    return { resources: shown.map((each) => project(each, projection)), total };
  }
  const rows = await listScimUsers(db, candidatesOf(query));
  const all = matching(USER, filter, await withGroups(db, rows, address));
  const page = sorted(USER, all, query).slice(startIndex - 1, startIndex - 1 + count);
  return { resources: page.map((each) => project(each, projection)), total: all.length };
}

/** Which accounts can match at all, by what the store can look up. */
function candidatesOf({ filter }: ListQuery): ScimUsersOf {
  const demands = demandsOf(filter);
  const [id, userName, externalId] = ['id', 'username', 'externalid'].map((name) =>
    demands.get(name),
  );
  if (typeof id === 'string') return { id };
  if (typeof userName === 'string') return { userName: userNameKey(userName) };
  if (typeof externalId === 'string') return { externalId };
  const email = demands.get('emails.value') ?? demands.get('emails');
  if (typeof email === 'string' && /^[!#-[\]-~]+$/.test(email))
    return { email: email.toLowerCase() };
  return {};
}

async function withGroups(
  db: Deps['db'],
  rows: readonly ScimUserRow[],
  address: string,
): Promise<Resource[]> {
  const groups = new Map<string, { id: string; name: string }[]>();
  const ids = rows.map(({ id }) => id);
  for (let start = 0; start < ids.length; start += 500) {
    for (const { user_id, ...group } of await listGroupsOfUsers(db, ids.slice(start, start + 500)))
      groups.set(user_id, [...(groups.get(user_id) ?? []), group]);
  }
  return rows.map((row) => presentUser(row, groups.get(row.id) ?? [], address));
}
