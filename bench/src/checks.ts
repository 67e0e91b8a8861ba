import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { connectToWrite } from '../../apps/petstore/src/store/sqlite/open.ts';
import type { Contender } from './contenders.ts';
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
  const { label, list, prefix } = contender;
  const fetches = (path: string, init: RequestInit = {}, token: string | undefined = key) =>
    fetch(`${origin}${path}`, {
      ...init,
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(init.body ? { 'content-type': 'application/json' } : {}),
      },
    });
  const expectStatus = async (what: string, response: Response, status: number) => {
    const body = await response.text();
    assert.equal(response.status, status, `${label}: ${what}: ${body}`);
    return body;
  };

  const page = JSON.parse(await expectStatus('a list', await fetches(list), 200));
  assert.equal(page.length, contender.pageSize, `${label}: pets in a page`);
  if (contender.stores !== 'nothing') {
    assert.deepEqual(
      page.map(({ id }: { id: number }) => id),
      Array.from({ length: 20 }, (_, i) => i + 1),
      `${label}: the page is the first`,
    );
  }

  const middle = SEEDED / 2;
  const pet = JSON.parse(
    await expectStatus('an animal', await fetches(`${prefix}/pets/${middle}`), 200),
  );
  if (contender.stores !== 'nothing') assert.equal(pet.id, middle, `${label}: the right animal`);

  const creation = { method: 'POST', body: NEW_PET };
  const made = JSON.parse(
    await expectStatus('a create', await fetches(`${prefix}/pets`, creation), 201),
  );
  if (contender.stores !== 'nothing') {
    const stored = JSON.parse(
      await expectStatus('what was made', await fetches(`${prefix}/pets/${made.id}`), 200),
    );
    assert.deepEqual(stored, { ...JSON.parse(NEW_PET), id: made.id }, `${label}: it is stored`);
  }

  if (contender.key === 'compared') {
    await expectStatus('a wrong key', await fetches(list, {}, `${key.slice(0, -1)}_`), 401);
  }
  if (contender.key !== 'ignored') await expectStatus('no key', await fetches(list, {}, ''), 401);
  if (contender.refusesWith !== undefined) {
    const invalid = { method: 'POST', body: '{"name":5}' };
    await expectStatus(
      'an invalid body',
      await fetches(`${prefix}/pets`, invalid),
      contender.refusesWith,
    );
  }
  if (contender.stores === 'sqlite') checkDurability(contender, dataPath);
}

/**
 * The journal's mode stands in the file. `synchronous` belongs to a connection: this service's is
 * read from one that is opened with the function that its writer uses; the others take theirs from
 * one constant, DURABLE.
 */
function checkDurability({ label, name }: Contender, path: string): void {
  using db = new DatabaseSync(path, { readOnly: true });
  assert.equal(db.prepare('PRAGMA journal_mode').get()?.journal_mode, 'wal', `${label}: its log`);
  if (name.startsWith('petstore')) {
    using own = connectToWrite(path);
    assert.equal(own.prepare('PRAGMA synchronous').get()?.synchronous, FULL, `${label}: its fsync`);
  }
}
