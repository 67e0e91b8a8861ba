import assert from 'node:assert/strict';
import { SCOPE_NAMES, type Scope } from '../../../server/src/accounts/permissions.ts';
import { createProject, idOf, joinAs, makeToken, setPlan } from '../../support/project.ts';
import { json, type Service, type Visitor } from '../../support/service.ts';

/** Everybody who may come by, in the order of the table's columns. */
export const PEOPLE = [
  'nobody',
  'stranger',
  'viewer',
  'editor',
  'owner',
  'other',
  'root',
  'former',
] as const;
export type Person = (typeof PEOPLE)[number];

export interface Caller {
  readonly name: string;
  readonly visitor: Visitor;
  /** Whose rights they come with. */
  readonly person: Person;
  /** undefined: a session, or nothing at all. */
  readonly token?: {
    readonly id: string;
    readonly scopes: readonly Scope[];
    readonly project: string | null;
    readonly isGood: boolean;
  };
}

export interface Cast {
  readonly people: Readonly<Record<Person, Visitor>>;
  readonly ids: Readonly<Record<Exclude<Person, 'nobody'>, string>>;
  readonly callers: readonly Caller[];
}

/** The scopes that anybody can give. */
const ALL = SCOPE_NAMES.filter((scope) => scope !== 'installation');

/**
 * The people of the project `pets`, whose owner also has `spare`: by session, by tokens for all projects and by tokens
 * for one, with all scopes and with each alone. `former` was an owner and was removed.
 */
export async function castOf(service: Service, root: Visitor): Promise<Cast> {
  await createProject(root, 'roots');
  const signUp = (name: string) => service.signUp(`${name}@example.com`);
  const owner = await signUp('owner');
  for (const slug of ['pets', 'spare']) {
    await createProject(owner, slug);
    await setPlan(root, slug, 'enterprise');
  }
  const other = await signUp('other');
  await createProject(other, 'others');
  const people = {
    nobody: service.visitor(),
    stranger: await signUp('stranger'),
    viewer: await joinAs(service, owner, 'pets', 'viewer@example.com', 'viewer'),
    editor: await joinAs(service, owner, 'pets', 'editor@example.com', 'editor'),
    owner,
    other,
    root,
    former: await joinAs(service, owner, 'pets', 'former@example.com', 'owner'),
  };
  const ids = Object.fromEntries(
    await Promise.all(
      PEOPLE.filter((name) => name !== 'nobody').map(async (name) => [
        name,
        await idOf(people[name]),
      ]),
    ),
  );

  const callers: Caller[] = PEOPLE.map((person) => ({
    name: `${person}, by session`,
    visitor: people[person],
    person,
  }));
  const addToken = async (
    person: Person,
    scopes: readonly Scope[],
    project: string | null,
    why = `of ${scopes.join(' ')}`,
  ) => {
    const made = await makeToken(people[person], project ?? undefined, scopes);
    callers.push({
      name: `${person}, by a token for ${project ?? 'all projects'} ${why}`,
      visitor: people[person].withToken(made.token),
      person,
      token: {
        id: made.id,
        scopes: made.scopes,
        project,
        isGood: !['revoked', 'expired', 'removed'].includes(why),
      },
    });
    return made.id;
  };
  for (const person of PEOPLE) {
    if (person !== 'nobody') await addToken(person, person === 'root' ? SCOPE_NAMES : ALL, null);
  }
  for (const person of ['viewer', 'editor', 'owner', 'root'] as const) {
    await addToken(person, ALL, 'pets');
  }
  await addToken('former', ALL, 'pets', 'removed');
  await addToken('owner', ALL, 'spare');
  for (const scope of ALL) {
    await addToken('owner', [scope], null);
    await addToken('owner', [scope], 'pets');
  }
  for (const scope of ['read', 'installation'] as const) await addToken('root', [scope], null);
  const revoked = await addToken('owner', ALL, null, 'revoked');
  const gone = await owner.call('DELETE', `/api/account/tokens/${revoked}`);
  assert.equal(gone.status, 204);
  const expired = await addToken('owner', ALL, null, 'expired');
  await service.db
    .updateTable('api_tokens')
    .set({ expires_at: 1 })
    .where('id', '=', expired)
    .execute();
  const removed = await owner.call('DELETE', `/api/projects/pets/members/${ids.former}`);
  assert.equal(removed.status, 204);
  await json(await people.former.call('GET', '/api/session'));
  return { people, ids: ids as Cast['ids'], callers };
}
