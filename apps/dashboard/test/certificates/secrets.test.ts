import assert from 'node:assert/strict';
import { createPrivateKey, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import {
  accountKeyContext,
  certificateKeyContext,
  checkSealed,
  sealerOf,
} from '../../server/src/certificates/sealing.ts';
import { presentCertificate } from '../../server/src/domains/present-domain.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import { holdsSealed } from '../../server/src/store/sealed.ts';
import {
  certificateOf,
  openLab,
  putVerifiedDomain,
  SEALER,
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
  const other = sealerOf(randomBytes(32), 'DASHBOARD_SECRET_KEY');
  await checkSealed(lab.db, other);
  assert.equal(await holdsSealed(lab.db), false);
  const id = await putVerifiedDomain(lab.db);
  lab.issuer(authority);
  await until(() => certificateOf(lab.db, id), 'the certificate');
  await checkSealed(lab.db, SEALER);
  assert.equal(await holdsSealed(lab.db), true);
  const refusal = { name: 'UserError', message: /another key than that of DASHBOARD_SECRET_KEY/ };
  await assert.rejects(checkSealed(lab.db, other), refusal);
  await lab.db.deleteFrom('acme_accounts').execute();
  await assert.rejects(checkSealed(lab.db, other), refusal);
  await lab.db.deleteFrom('certificates').execute();
  assert.equal(await holdsSealed(lab.db), false);
});

for (const table of ['acme_accounts', 'issuances', 'webhooks'] as const)
  test(`what is sealed in ${table} alone is known to be sealed`, async (t) => {
    const lab = await openLab(t);
    await putVerifiedDomain(lab.db);
    assert.equal(await holdsSealed(lab.db), false, 'an issuance without a key');
    const at = { created_at: 0 };
    if (table === 'issuances') {
      await lab.db.updateTable(table).set({ sealed_key: 'x' }).execute();
    } else if (table === 'acme_accounts') {
      const account = { directory_url: 'x', sealed_key: 'x', directory: '{}', ...at };
      await lab.db.insertInto(table).values(account).execute();
    } else {
      const webhook = { id: 'x', project_id: 'petstore', url: 'x', sealed_secret: 'x', ...at };
      await lab.db
        .insertInto(table)
        .values({ ...webhook, created_by_email: '' })
        .execute();
    }
    assert.equal(await holdsSealed(lab.db), true);
  });
