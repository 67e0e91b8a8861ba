import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { temporaryFolder } from '../support/service.ts';

const rex = { name: 'Rex', categoryId: 1n, status: 'available' } as const;

test('a commit is on disk before it is acknowledged, and readers go on beside a writer', async (t) => {
  const db = openDatabase(join(await temporaryFolder(t), 'petstore.db'));
  t.after(() => db.close());
  const FULL = 2;
  assert.equal(db.prepare('PRAGMA synchronous').get()?.synchronous, FULL);
  assert.equal(db.prepare('PRAGMA journal_mode').get()?.journal_mode, 'wal');
  assert.equal(db.prepare('PRAGMA foreign_keys').get()?.foreign_keys, 1);
});

test('an id is never given twice, not even when its animal left and the store was opened anew', async (t) => {
  const file = join(await temporaryFolder(t), 'petstore.db');
  const first = await openStore(`sqlite:${file}`);
  for (let i = 0; i < 3; i++) await first.pets.create(rex);
  await first.close();
  const db = new DatabaseSync(file);
  db.exec('DELETE FROM pets WHERE id >= 2');
  db.close();
  const second = await openStore(`sqlite:${file}`);
  assert.equal((await second.pets.create(rex)).id, 4n);
  await second.close();
});
