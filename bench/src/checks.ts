import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { connectToWrite } from '../../apps/petstore/src/store/sqlite/open.ts';
import { type Contender, isOwn } from './contenders.ts';
import { SEEDED } from './data.ts';

/** SQLite's number for synchronous = FULL. */
const FULL = 2;

const NEW_PET = '{"name":"Ada","categoryId":7,"status":"sold"}';

/**
 * Proves that a contender does what it is measured for, before any load. Throws AssertionError that
 * names the contender and what it did.
 */
export async function checkContender(
  contender: Contender,
  origin: string,
  key: string,
  dataPath: string,
): Promise<void> {
  const { label, list, prefix, stores } = contender;
  const expect = async (
    what: string,
    status: number,
    path: string,
    { body, token = key }: { body?: string; token?: string } = {},
  ) => {
    const headers = {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    };
    const post = body && { method: 'POST', body };
    const response = await fetch(`${origin}${path}`, { headers, ...post });
    const answer = await response.text();
    assert.equal(response.status, status, `${label}: ${what}: ${answer}`);
    return answer;
  };
  const pets = `${prefix}/pets`;

  const page = JSON.parse(await expect('a list', 200, list));
  assert.equal(page.length, contender.pageSize, `${label}: pets in a page`);
  const middle = SEEDED / 2;
  const pet = JSON.parse(await expect('an animal', 200, `${pets}/${middle}`));
  const made = JSON.parse(await expect('a create', 201, pets, { body: NEW_PET }));
  if (stores !== 'nothing') {
    const ids = page.map(({ id }: { id: number }) => id);
    const first = Array.from({ length: 20 }, (_, i) => i + 1);
    assert.deepEqual(ids, first, `${label}: the page is the first`);
    assert.equal(pet.id, middle, `${label}: the right animal`);
    const stored = JSON.parse(await expect('what was made', 200, `${pets}/${made.id}`));
    assert.deepEqual(stored, { ...JSON.parse(NEW_PET), id: made.id }, `${label}: it is stored`);
  }

  if (contender.key === 'compared') {
    await expect('a wrong key', 401, list, { token: `${key.slice(0, -1)}_` });
  }
  if (contender.key !== 'ignored') await expect('no key', 401, list, { token: '' });
  if (contender.refusesWith !== undefined) {
    await expect('an invalid body', contender.refusesWith, pets, { body: '{"name":5}' });
  }
  if (stores === 'sqlite') checkDurability(contender, dataPath);
}

/**
 * The journal's mode stands in the file. `synchronous` belongs to a connection: this service's is
 * read from one that is opened with the function that its writer uses; the others take theirs from
 * one constant, DURABLE.
 */
function checkDurability({ label, name }: Contender, path: string): void {
  using db = new DatabaseSync(path, { readOnly: true });
  assert.equal(db.prepare('PRAGMA journal_mode').get()?.journal_mode, 'wal', `${label}: its log`);
  if (isOwn(name)) {
    using own = connectToWrite(path);
    assert.equal(own.prepare('PRAGMA synchronous').get()?.synchronous, FULL, `${label}: its fsync`);
  }
}
