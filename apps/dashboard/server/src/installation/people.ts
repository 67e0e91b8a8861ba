import type { Deps } from '../deps.ts';
import { readPage } from '../http/pagination.ts';
import { instant, instantOrNull, type Page } from '../schema-types.ts';
import { listNames, listPeople, type PersonRow } from '../store/people.ts';
import type { Person } from './person.ts';

export interface PeopleQuery {
  readonly limit?: number;
  readonly cursor?: string;
  /** Part of a name or an address. */
  readonly search?: string;
  readonly state?: 'active' | 'disabled';
}

/** A page of the installation's accounts, in the order of their addresses. `callerId`: who asks. */
export async function readPeople(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  query: PeopleQuery,
  callerId: string,
): Promise<Page<Person>> {
  const ids = await idsOf(db, query);
  return readPage(
    query,
    (after, limit) => listPeople(db, { ids, after, limit, now: now() }),
    ({ email }) => email,
    (row) => presentPerson(row, callerId),
  );
}

/**
 * The accounts that a query names; undefined: all. Compared here, since SQLite knows upper and lower case of ASCII alone.
 */
async function idsOf(
  db: Deps['db'],
  { search, state }: PeopleQuery,
): Promise<string[] | undefined> {
  const wanted = plain(search ?? '');
  if (wanted === '' && state === undefined) return undefined;
  const rows = await listNames(db);
  return rows
    .filter(({ email, name }) => plain(`${name} ${email}`).includes(wanted))
    .filter(
      ({ disabled_at }) => state === undefined || (disabled_at !== null) === (state === 'disabled'),
    )
    .map(({ id }) => id);
}

const plain = (text: string) => text.trim().normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

export function presentPerson(row: PersonRow, callerId: string): Person {
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
