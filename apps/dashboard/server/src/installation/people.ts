import { type EndedAccess as Ended, TOKENS_USED_WITHIN_MS } from '../accounts/account-life.ts';
import type { HandedOver } from '../accounts/hand-over.ts';
import { notFound } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import { readPage } from '../http/pagination.ts';
import { instant, instantOrNull, type Page } from '../schema-types.ts';
import { listMembers, listMemberships } from '../store/members.ts';
import { findPerson, listPeople, type PersonRow, type SearchedAccount } from '../store/people.ts';
import { hasOwner } from '../store/role-grants.ts';
import { listUsedTokens, type UsedToken as UsedTokenRow } from '../store/tokens.ts';
import { findInstallationOwner, findUser, type UserRow } from '../store/users.ts';
import type { EndedAccess, Person, PersonDetails, UsedToken } from './person.ts';

type PeopleDeps = Pick<Deps, 'db' | 'now'>;

export interface PeopleQuery {
  readonly limit?: number;
  readonly cursor?: string;
  /** Part of a name or an address. */
  readonly search?: string;
  readonly state?: 'active' | 'disabled';
}

/** A page of the installation's accounts, in the order of their addresses. `callerId`: who asks. */
export async function readPeople(
  { db, now }: PeopleDeps,
  query: PeopleQuery,
  callerId: string,
): Promise<Page<Person>> {
  return readPage(
    query,
    (after, limit) => listPeople(db, { isWanted: wantedBy(query), after, limit, now: now() }),
    ({ email }) => email,
    (row) => presentPerson(row, callerId),
  );
}

/** Whether a query means an account; undefined: it means all. */
function wantedBy({ search, state }: PeopleQuery): ((a: SearchedAccount) => boolean) | undefined {
  const wanted = plain(search ?? '');
  if (wanted === '' && state === undefined) return undefined;
  return ({ email, name, disabled_at }) =>
    plain(`${name} ${email}`).includes(wanted) &&
    (!state || (disabled_at !== null) === (state === 'disabled'));
}

/** Without case and accents. */
const plain = (text: string) => text.trim().normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** An account, its projects, and the tokens that programs use. Throws ApiError where it is gone. */
export async function readPerson(
  { db, now }: PeopleDeps,
  id: string,
  callerId: string,
): Promise<PersonDetails> {
  const person = await personById({ db, now }, id, callerId);
  const owner = await findInstallationOwner(db);
  const usedTokens = await listUsedTokens(db, id, now() - TOKENS_USED_WITHIN_MS, now());
  return {
    ...person,
    memberships: await Promise.all(
      (await listMemberships(db, id)).map(async ({ project_id, slug, name, role }) => ({
        project: slug,
        name,
        role,
        isOnlyOwner: role === 'owner' && !(await hasOwner(db, project_id, id)),
        heirs: await heirsOf(db, project_id, [id], owner),
      })),
    ),
    usedTokens: usedTokens.map(presentUsedToken),
  };
}

type Heir = PersonDetails['memberships'][number]['heirs'][number];

/**
 * Who could take a project over, whoever suggests itself first: its owners, its editors, the owner of the installation,
 * its viewers. All of them can sign in.
 */
async function heirsOf(
  db: Deps['db'],
  projectId: string,
  except: readonly string[],
  owner: UserRow | undefined,
): Promise<Heir[]> {
  const members = await listMembers(db, projectId);
  const heirs = members
    .filter(({ disabled_at }) => disabled_at === null)
    .map(({ user_id, email, name, role }): Heir => ({ userId: user_id, email, name, role }));
  const isMember = owner && heirs.some(({ userId }) => userId === owner.id);
  const all =
    !owner || isMember
      ? heirs
      : [...heirs, { userId: owner.id, email: owner.email, name: owner.name, role: null }];
  const rank = ({ userId, role }: Heir) =>
    role === 'owner' ? 0 : role === 'editor' ? 1 : userId === owner?.id ? 2 : 3;
  return all
    .filter(({ userId }) => !except.includes(userId))
    .sort((one, other) => rank(one) - rank(other));
}

/** The account with this id. Throws ApiError where it is gone. */
export async function accountById({ db }: Pick<Deps, 'db'>, id: string): Promise<UserRow> {
  const user = await findUser(db, id);
  if (!user) throw notFound('account');
  return user;
}

/** The same as the installation's owner sees it. */
export async function personById(
  { db, now }: PeopleDeps,
  id: string,
  callerId: string,
): Promise<Person> {
  const row = await findPerson(db, id, now());
  if (!row) throw notFound('account');
  return presentPerson(row, callerId);
}

function presentPerson(row: PersonRow, callerId: string): Person {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    isInstallationOwner: row.role === 'owner',
    isYou: row.id === callerId,
    createdAt: instant(row.created_at),
    disabledAt: instantOrNull(row.disabled_at),
    lastSeenAt: instantOrNull(row.last_seen_at),
    projects: row.projects,
    tokens: row.tokens,
  };
}

/** What ended with an account, in the form of responses. */
export function presentEndedAccess({
  sessions,
  tokens,
  ownerless = [],
  handedOver = [],
}: Ended & { ownerless?: readonly string[]; handedOver?: readonly HandedOver[] }): EndedAccess {
  return {
    sessions,
    usedTokens: tokens.map(presentUsedToken),
    ownerless: [...ownerless],
    handedOver: [...handedOver],
  };
}

function presentUsedToken({ id, name, isForAll, projects, lastUsedAt }: UsedTokenRow): UsedToken {
  return { id, name, isForAll, projects: [...projects], lastUsedAt: instant(lastUsedAt) };
}
