import type { Deps } from '../../deps.ts';
import { groupNameKey } from '../../groups/group-name.ts';
import { listScimGroups, listScimMembers } from '../../store/scim.ts';
import { matching } from '../filter/match-filter.ts';
import { demandsOf, type ListQuery, sorted } from '../list.ts';
import { isWanted, project } from '../projection.ts';
import type { Resource } from '../resource.ts';
import { GROUP } from '../schema.ts';
import { presentGroup, type ScimMember } from './group-resource.ts';

/** The groups that a query asks for: one page of them, and how many there are. */
export async function listGroups(
  { db }: Pick<Deps, 'db'>,
  query: ListQuery,
  address: string,
): Promise<{ resources: Resource[]; total: number }> {
  const { filter, startIndex, count, projection } = query;
  const rows = await listScimGroups(db, candidatesOf(query));
  const asksForMembers = /"name":"members"/i.test(JSON.stringify(filter ?? null));
  const members = asksForMembers ? await membersOf(db, undefined) : undefined;
  const shownGroups = rows.map((row) =>
    presentGroup(row, members ? (members.get(row.id) ?? []) : undefined, address),
  );
  const all = matching(GROUP, filter, shownGroups);
  const page = sorted(GROUP, all, query).slice(startIndex - 1, startIndex - 1 + count);
  if (!isWanted(projection, 'members')) {
    return { resources: page.map((each) => project(each, projection)), total: all.length };
  }
  const shown = new Set(page.map(({ id }) => `${id}`));
  const theirs = members ?? (await membersOf(db, [...shown]));
  const whole = rows
    .filter(({ id }) => shown.has(id))
    .map((row) => presentGroup(row, theirs.get(row.id) ?? [], address));
  const byId = new Map(whole.map((each) => [`${each.id}`, project(each, projection)]));
  return { resources: page.map(({ id }) => byId.get(`${id}`) ?? {}), total: all.length };
}

/** Which groups can match at all, by what the store can look up. */
function candidatesOf({ filter }: ListQuery): Parameters<typeof listScimGroups>[1] {
  const demands = demandsOf(filter);
  const text = (name: string) => {
    const value = demands.get(name);
    return typeof value === 'string' ? value : undefined;
  };
  const [id, name, externalId] = [text('id'), text('displayname'), text('externalid')];
  const member = text('members.value') ?? text('members');
  return {
    ...(id !== undefined && { id }),
    ...(name !== undefined && { nameKey: groupNameKey(name) }),
    ...(externalId !== undefined && { externalId }),
    ...(member !== undefined && { member }),
  };
}

async function membersOf(
  db: Deps['db'],
  groupIds: readonly string[] | undefined,
): Promise<Map<string, ScimMember[]>> {
  const members = new Map<string, ScimMember[]>();
  for (const { group_id, ...member } of await listScimMembers(db, groupIds)) {
    const theirs = members.get(group_id);
    if (theirs) theirs.push(member);
    else members.set(group_id, [member]);
  }
  return members;
}
