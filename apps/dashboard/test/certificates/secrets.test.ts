import assert from 'node:assert/strict';
import { createPrivateKey, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { sql } from 'kysely';
import {
  accountKeyContext,
  certificateKeyContext,
  openSealer,
} from '../../server/src/certificates/sealing.ts';
import { secretKeyId } from '../../server/src/certificates/secret-key.ts';
import { presentCertificate } from '../../server/src/domains/present-domain.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import { sampleSealed } from '../../server/src/store/sealed.ts';
import { openTestDatabase } from '../support/store.ts';
import {
  certificateOf,
  openLab,
  putVerifiedDomain,
  SEALER,
  SECRET_KEY,
  startLabAuthority,
  until,
} from './support/lab.ts';

test('no private key is in the database, the log, a response or an event in any readable form', async (t) => {
  const folder = await temporaryFolder(t);
  const { db, close } = await openDatabase(`sqlite:${join(folder, 'store.db')}`, 1);
  cleanUp(t, close);
  const lab = await openLab(t, db);
  const authority = await startLabAuthority(t, lab);
  authority.injectFault({ at: 'validation', challenge: 'http-01', type: 'connection' });
  const id = await putVerifiedDomain(db);
  lab.issuer(authority);
  const row = await until(() => certificateOf(db, id), 'the certificate');
  const account = await db.selectFrom('acme_accounts').selectAll().executeTakeFirstOrThrow();
  const keys = [
    SEALER.open(row.sealed_key, certificateKeyContext(id)),
    SEALER.open(account.sealed_key, accountKeyContext(account.directory_url)),
  ].map((pem) => createPrivateKey(pem));
  const files = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')),
  );
  const shown = [...lab.logged, JSON.stringify(presentCertificate(row)), ...files].join('\n');
  assert.ok(files.join('').includes(row.sealed_key), 'what is looked through is the database');
  assert.ok(lab.logged.length > 0);
  assert.doesNotMatch(shown, /PRIVATE KEY/);
  for (const key of keys) {
    const { d = '' } = key.export({ format: 'jwk' });
    const raw = Buffer.from(d, 'base64url');
    assert.equal(raw.length, 32);
    for (const encoding of ['latin1', 'hex', 'base64', 'base64url'] as const) {
      assert.ok(!shown.includes(raw.toString(encoding)), `in ${encoding}`);
    }
    const der = key.export({ type: 'pkcs8', format: 'der' }).toString('base64');
    assert.ok(!shown.includes(der));
  }
});

test('a service that starts with another key than before says so, and which one it has', async (t) => {
  const lab = await openLab(t);
  const authority = await startLabAuthority(t, lab);
  const open = async (secretKey: Buffer) =>
    openSealer({ secretKey, dataDir: '/nowhere' }, await sampleSealed(lab.db));
  const other = randomBytes(32);
  await open(other);
  const id = await putVerifiedDomain(lab.db);
  lab.issuer(authority);
  await until(() => certificateOf(lab.db, id), 'the certificate');
  await open(SECRET_KEY);
  const ids = `${secretKeyId(SECRET_KEY)}, not ${secretKeyId(other)}`;
  const refusal = (table: string) => ({
    name: 'UserError',
    message: new RegExp(`another key than that of DASHBOARD_SECRET_KEY \\(${table}: ${ids}\\)\\.`),
  });
  await assert.rejects(open(other), refusal('acme_accounts'));
  await lab.db.deleteFrom('acme_accounts').execute();
  await assert.rejects(open(other), refusal('certificates'));
  await lab.db.deleteFrom('certificates').execute();
  await open(other);
});

test('what is sealed in one column alone is looked at, whichever it is', async (t) => {
  const { db } = await openTestDatabase(t);
  await sql`PRAGMA foreign_keys = OFF`.execute(db);
  const { rows } = await sql<{ table: string; column: string; isSealed: number }>`
    SELECT tables.name AS "table", columns.name AS "column",
      columns.name LIKE 'sealed_%' AND columns.name <> 'sealed_id_token' AS "isSealed"
    FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND (columns.name LIKE 'sealed_%'
      OR (columns."notnull" = 1 AND columns.dflt_value IS NULL))`.execute(db);
  const sealed = rows.filter(({ isSealed }) => isSealed === 1);
  assert.equal(sealed.length, 9);
  for (const { table, column } of sealed) {
    const needed = rows.filter((one) => one.table === table && one.isSealed === 0);
    const names = [column, ...needed.map((one) => one.column)];
    const values = names.map((name) => (name === column ? `${table} ${column}` : '1'));
    await sql`INSERT INTO ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
      VALUES (${sql.join(values)})`.execute(db);
    const found = (await sampleSealed(db)).map((sample) => [sample.table, sample.text]);
    assert.deepEqual(found, [[table, `${table} ${column}`]]);
    await sql`DELETE FROM ${sql.table(table)}`.execute(db);
  }
  assert.deepEqual(await sampleSealed(db), []);
});
