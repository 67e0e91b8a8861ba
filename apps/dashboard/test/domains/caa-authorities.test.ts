import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAcme } from '../../server/src/config-acme.ts';
import {
  addDomain,
  createRecords,
  readyProject,
  startDomainService,
  verify,
} from './support/domains.ts';

const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';
const GOOGLE = 'https://dv.acme-v02.api.pki.goog/directory';

test('of several authorities, the verdict says whom CAA records allow, and one is enough', async (t) => {
  // The first one is asked, and is away.
  const away = 'https://127.0.0.1:9/directory';
  const acme = readAcme({
    ACME_DIRECTORY_URL: [away, LETS_ENCRYPT, GOOGLE].join(),
    ACME_CAA_IDENTITIES: 'private.test',
    ACME_CHALLENGES: 'http-01',
  });
  const { dns, root } = await startDomainService(t, { acme });
  await readyProject(root, 'shop');
  const zone = dns.zone('example.test');
  createRecords(dns, await addDomain(root, 'shop', 'example.test'));
  const allowed = async (records: readonly string[]) => {
    zone.setRecords('example.test', 'CAA', [...records]);
    const { verdict } = await verify(root, 'shop', 'example.test');
    return verdict;
  };

  const none = await allowed(['0 issue "other.test"']);
  assert.equal(none?.code, 'caa_blocks');
  assert.match(
    none.message,
    /^The CAA records of example\.test do not allow private\.test, letsencrypt\.org or pki\.goog to issue/,
  );
  assert.deepEqual(
    none.add.map(({ value }) => value),
    ['0 issue "private.test"'],
  );
  const one = await allowed(['0 issue "private.test"', '0 issue "other.test"']);
  assert.equal(one?.code, 'verified', one?.message);
  assert.deepEqual(
    one.authorities?.map(({ name, identity, isAllowed }) => [name, identity, isAllowed]),
    [
      ['127.0.0.1:9', 'private.test', true],
      ["Let's Encrypt", 'letsencrypt.org', false],
      ['Google Trust Services', 'pki.goog', false],
    ],
  );
  const all = await allowed([]);
  assert.deepEqual(
    all?.authorities?.map(({ isAllowed }) => isAllowed),
    [true, true, true],
  );
});
