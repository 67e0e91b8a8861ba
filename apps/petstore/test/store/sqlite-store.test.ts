import assert from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { coverNoPrograms, finished, startProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import type { NewAuditEvent } from '../../src/audit/audit-event.ts';
import { generateKey } from '../../src/keys/key.ts';
import { openStore } from '../../src/store/open-store.ts';
import { OWN_STORE } from '../../src/store/own-store.ts';
import { type Command, isFailure, provesWritesSucceed } from '../../src/store/sqlite/command.ts';
import { sqliteEventLogs } from '../../src/store/sqlite/event-logs.ts';
import { groupCommit } from '../../src/store/sqlite/group-commit.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { StoreUnavailableError } from '../../src/store/store-errors.ts';
import { addSandbox, NOON } from '../support/sandboxes.ts';
import { addWebhook } from '../support/webhooks.ts';

/** Values of `PRAGMA synchronous`. */
const NORMAL = 1;
const FULL = 2;

const rex = { name: 'Rex', categoryId: 1n, status: 'available' } as const;

test('a commit is on disk before it is acknowledged, and readers go on beside a writer', async (t) => {
  const db = openDatabase(join(await temporaryFolder(t), 'petstore.db'));
  cleanUp(t, () => db.close());
  assert.equal(db.prepare('PRAGMA synchronous').get()?.synchronous, FULL);
  assert.equal(db.prepare('PRAGMA journal_mode').get()?.journal_mode, 'wal');
  assert.equal(db.prepare('PRAGMA foreign_keys').get()?.foreign_keys, 1);
});

test('what sandboxes alone write, and last uses of keys, wait for no disk; all else, and what the audit log records, does', async (t) => {
  const db = openDatabase(join(await temporaryFolder(t), 'petstore.db'));
  cleanUp(t, () => db.close());
  const level = () => Number(db.prepare('PRAGMA synchronous').get()?.synchronous);
  const levels: number[] = [];
  db.function('note_level', () => {
    levels.push(level());
    return null;
  });
  for (const table of ['pets', 'sandboxes']) {
    db.exec(`CREATE TEMP TRIGGER on_${table} AFTER INSERT ON ${table}
             BEGIN SELECT note_level(); END`);
  }
  const commit = groupCommit(db);
  let count = 0;
  const add = (event?: NewAuditEvent): Command => {
    const id = `sbx_${++count}`;
    const times = { createdAt: new Date(0), expiresAt: new Date(1) };
    const sandbox = { id, name: '', madeBy: '', seed: 1, pets: 1, ...times };
    const bounds = { total: 10, ofMaker: undefined };
    return { kind: 'addSandbox', args: [sandbox, Buffer.alloc(32, count), bounds, event] };
  };
  const create: Command = { kind: 'createPet', args: ['Rex', 1n, 'sold'] };
  const during = (...commands: Command[]) => {
    const outcomes = commit(commands);
    assert.ok(!outcomes.some(isFailure), inspect(outcomes));
    assert.equal(level(), FULL, 'afterwards');
    return levels.splice(0);
  };
  assert.deepEqual(during(create), [FULL]);
  assert.deepEqual(during(add(), add()), [NORMAL, NORMAL]);
  assert.deepEqual(during(add(), create), [FULL, FULL]);
  const event = { at: new Date(0), action: 'sandbox.created', subject: 's', detail: {} } as const;
  assert.deepEqual(during(add(event)), [FULL]);
  // Only a write that met the disk proves that the disk takes writes.
  const noteUses: Command = { kind: 'noteKeyUses', args: [['key_1'], [0]] };
  assert.ok(!provesWritesSucceed([add(), noteUses]));
  assert.ok(provesWritesSucceed([add(), create]) && provesWritesSucceed([add(event)]));

  // Where the connection cannot be set back, nothing of the service's own is committed until it can be.
  const exec = db.exec.bind(db);
  db.exec = (text) => {
    if (text.endsWith('FULL')) throw new Error('locked');
    exec(text);
  };
  assert.ok(!commit([add()]).some(isFailure), 'it is committed all the same');
  assert.throws(() => commit([create]), /locked/);
  db.exec = exec;
  levels.length = 0;
  assert.deepEqual(during(create), [FULL]);
});

test('of a group that was rolled back nothing is told, not even with the next one', async (t) => {
  const db = openDatabase(join(await temporaryFolder(t), 'petstore.db'));
  cleanUp(t, () => db.close());
  db.exec(`CREATE TEMP TRIGGER roll_back BEFORE INSERT ON pets WHEN NEW.name = 'Nobody'
           BEGIN SELECT RAISE(ROLLBACK, 'as if the disk were full'); END`);
  const commit = groupCommit(db);
  const create = (name: string): Command => ({ kind: 'createPet', args: [name, 1n, 'sold'] });
  assert.throws(() => commit([create('Rex'), create('Nobody'), create('Max')]), /disk were full/);
  commit([create('Kim')]);
  const log = sqliteEventLogs(db, () => assert.fail('nothing is written')).of(OWN_STORE);
  const events = await log.list(0n, 10);
  assert.ok(Array.isArray(events));
  const kim = '{"id":1,"name":"Kim","categoryId":1,"status":"sold"}';
  assert.deepEqual(
    events.map(({ id, type, data }) => [id, type, data]),
    [[1n, 'pet.created', kim]],
  );
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

test('queries with different limits are one statement, which is kept prepared', async (t) => {
  const prepare = t.mock.method(DatabaseSync.prototype, 'prepare');
  const store = await openStore('sqlite::memory:');
  cleanUp(t, () => store.close());
  const search = { prefix: 'R', categories: undefined, statuses: undefined, maxExamined: 10 };
  const range = { from: undefined, to: undefined, after: undefined };
  await store.pets.query({ ...search, ...range, limit: 1 });
  const before = prepare.mock.callCount();
  for (const limit of [2, 100]) await store.pets.query({ ...search, ...range, limit });
  assert.equal(prepare.mock.callCount(), before);
});

const ENGINES = {
  'in memory': async () => openStore('sqlite::memory:'),
  'with a thread that writes': async (folder: string) => openStore(`sqlite:${folder}/pets.db`),
  'that may block': async (folder: string) =>
    openStore(`sqlite:${folder}/pets.db`, { mayBlock: true }),
};

for (const [name, open] of Object.entries(ENGINES)) {
  test(`of many, a store ${name} adds all or none, and refuses nobody else with them`, async (t) => {
    const store = await open(await temporaryFolder(t));
    cleanUp(t, () => store.close());
    const [many, one] = await Promise.allSettled([
      store.pets.addMany([
        { id: 1n, ...rex },
        { id: 2n, ...rex, status: 'lost' as 'sold' },
      ]),
      store.pets.create(rex),
    ]);
    assert.equal(many.status, 'rejected');
    assert.equal(one.status, 'fulfilled');
    assert.equal((await store.pets.rows(undefined, 10)).lines.length, 1);
  });

  test(`to write down when a key was last used, a store ${name} forgets no page and no key`, async (t) => {
    const store = await open(await temporaryFolder(t));
    cleanUp(t, () => store.close());
    const made = generateKey('Ada', 'staging', NOON);
    await store.keys.add(made);
    const before = store.changes?.revision();
    await store.keys.noteUses(new Map([[made.record.id, NOON.getTime()]]));
    assert.equal(store.changes?.revision(), before);
    assert.deepEqual((await store.keys.list())[0]?.lastUsedAt, NOON);
    await store.keys.revoke(made.record.id, NOON);
    assert.notEqual(store.changes?.revision(), before);
  });
}

test('a store that may block sees what others commit, and others what it commits', async (t) => {
  const folder = await temporaryFolder(t);
  const blocking = await ENGINES['that may block'](folder);
  const other = await ENGINES['with a thread that writes'](folder);
  cleanUp(t, () => Promise.all([blocking.close(), other.close()]));
  const everything = { limit: 100, status: undefined, after: undefined };
  for (const [writer, id] of [
    [other, 1n],
    [blocking, 2n],
    [other, 3n],
  ] as const) {
    assert.equal((await writer.pets.create(rex)).id, id);
    for (const { pets } of [blocking, other]) {
      assert.ok((await pets.list(everything)).json.includes(`{"id":${id},`));
    }
  }
  assert.equal(await blocking.checks.writes(), undefined);
});

test('while the database file is away, no kind of write is acknowledged; when it is back, all go on', async (t) => {
  for (const mayBlock of [false, true]) {
    const file = join(await temporaryFolder(t), 'petstore.db');
    const store = await openStore(`sqlite:${file}`, { mayBlock });
    cleanUp(t, () => store.close());
    const { keys, audit, webhooks, pets, sandboxes, faults, reports } = store;
    const made = generateKey('Ada', 'staging', NOON);
    await keys.add(made);
    await addSandbox(store, { id: 'a' });
    const event = { at: NOON, action: 'backup.created', subject: 'x', detail: {} } as const;
    const webhook = { id: 'wh_1', url: 'https://example.com', createdAt: 0, position: 0n };
    await addWebhook(store, webhook);
    const lease = { leaseMs: 1_000, most: 10 };
    const writes: Readonly<Record<string, () => Promise<unknown>>> = {
      pet: () => pets.create(rex),
      key: () => keys.add(generateKey('Bea', 'staging', NOON)),
      uses: () => keys.noteUses(new Map([[made.record.id, NOON.getTime()]])),
      audit: () => audit.add(event),
      lease: () => webhooks.acquireLeases('test', lease),
      webhook: () => addWebhook(store, { ...webhook, id: 'wh_2' }),
      sandbox: () => sandboxes.reset('a'),
      fault: () => faults.count('a', ['x']),
      report: () => reports.keepRun('a', { code: 'x', seed: 1, startedAt: 0, after: 0 }),
      revocation: () => keys.revoke(made.record.id, NOON),
    };
    await rename(file, `${file}.away`);
    for (const [name, write] of Object.entries(writes)) {
      await assert.rejects(write, StoreUnavailableError, name);
    }
    await rename(`${file}.away`, file);
    for (const write of Object.values(writes)) await write();
  }
});

test('a store that is closed while its thread is started again lets the process end', async (t) => {
  coverNoPrograms(t);
  const folder = await temporaryFolder(t);
  const module = new URL('../../src/store/open-store.ts', import.meta.url).href;
  // Without its folder the thread dies as it starts, and is started again with nothing to do. It is closed at
  // another moment of that each time, and the process has other work for a second.
  const script = `
    import { rename } from 'node:fs/promises';
    import { openStore } from '${module}';
    const stores = [0, 20, 40, 80, 160].map(async (delayMs) => {
      const store = await openStore('sqlite:' + delayMs + '/pets.db');
      await rename(String(delayMs), 'away' + delayMs);
      await store.pets.create({ name: 'Rex', categoryId: 1n, status: 'available' }).catch(() => {});
      await rename('away' + delayMs, String(delayMs));
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await store.close();
    });
    await Promise.all(stores);
    setTimeout(() => {}, 1_000);`;
  await writeFile(join(folder, 'script.mjs'), script);
  const program = startProgram(t, process.execPath, ['script.mjs'], folder, {});
  // One that never ends is what is looked for, and no slow machine.
  const late = sleep(120_000, undefined, { ref: false });
  assert.equal((await Promise.race([finished(program), late]))?.code, 0, program.output.stderr);
});
