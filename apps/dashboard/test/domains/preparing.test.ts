import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import { createProject, setPlan } from '../support/project.ts';
import { assertError, json } from '../support/service.ts';
import {
  addDomain,
  createRecords,
  eventsOf,
  getDomain,
  readyProject,
  startDomainService,
  verifiedDomain,
  verify,
} from './support/domains.ts';

// A name that another host serves is proven by the record of its challenges, before its own record leads here.

const HOST = 'docs.example.test';
const CHALLENGE = `_acme-challenge.${HOST}`;
const ZONE = 'acme.docs.localhost';
const DNS_ZONE = { name: ZONE, hosts: ['127.0.0.1'], port: 0, addresses: ['127.0.0.1'] };
const OLD_HOST = '203.0.113.7';

async function setUp(t: TestContext) {
  const service = await startDomainService(t, { dnsZone: DNS_ZONE });
  const { root, dns } = service;
  await readyProject(root, 'pets');
  const zone = dns.zone('example.test');
  const add = async (slug: string, prepare?: boolean, hostname = HOST) =>
    json<Domain>(
      await root.call('POST', `/api/projects/${slug}/domains`, { hostname, prepare }),
      201,
    );
  const patch = (change: object, slug = 'pets') =>
    root.call('PATCH', `/api/projects/${slug}/domains/${HOST}`, change);
  const verdictOf = async (slug = 'pets') => {
    const { verdict } = await verify(root, slug, HOST);
    return `${verdict?.code} ${verdict?.reason}`;
  };
  return { ...service, zone, add, patch, verdictOf };
}

type Zone = Awaited<ReturnType<typeof setUp>>['zone'];

/** The value of the record of a domain's challenges. */
function challengeOf({ records: [record] }: Domain): string {
  assert.equal(record?.name, CHALLENGE);
  return record.value;
}

const leadToOldHost = (zone: Zone) => zone.setRecords(HOST, 'A', [OLD_HOST]);

function move(zone: Zone, { records: [, main] }: Domain): void {
  zone.setRecords(HOST, 'A', []);
  zone.setRecords(HOST, 'CNAME', [String(main?.value)]);
}

test('a prepared name is verified while another host serves it, and moves when its record leads here', async (t) => {
  const { root, zone, add, verdictOf } = await setUp(t);
  leadToOldHost(zone);
  const added = await add('pets', true);
  assert.deepEqual([added.prepare, added.pointsHere, added.state], [true, false, 'unverified']);
  const [challenge, main] = added.records;
  const label = main?.value.split('.')[0];
  assert.deepEqual(
    added.records.map(({ type, name, value }) => [type, name, value]),
    [
      ['CNAME', CHALLENGE, `${label}.${ZONE}`],
      ['CNAME', HOST, `${label}.docs.localhost`],
    ],
  );
  assert.equal(await verdictOf(), 'no_record challenge_missing');

  zone.setRecords(CHALLENGE, 'CNAME', [String(challenge?.value)]);
  const prepared = await verify(root, 'pets', HOST);
  assert.equal(`${prepared.verdict?.code} ${prepared.verdict?.reason}`, 'verified prepared');
  assert.match(
    String(prepared.verdict?.message),
    /203\.0\.113\.7\), which is right until you move/,
  );
  assert.deepEqual(
    [prepared.state, prepared.pointsHere, prepared.primary, prepared.movedAwayAt],
    ['verified', false, false, null],
  );
  assert.equal(prepared.issuance?.kind, 'first', 'its certificate is on its way');
  const primary = await root.call('POST', `/api/projects/pets/domains/${HOST}/primary`);
  assert.match(await assertError(primary, 409, 'conflict'), /not moved here yet/);

  move(zone, prepared);
  const moved = await verify(root, 'pets', HOST);
  assert.deepEqual(
    [moved.verdict?.reason, moved.pointsHere, moved.primary],
    ['verified', true, true],
  );
  const kinds = await eventsOf(root, 'pets', HOST);
  assert.deepEqual(
    kinds.filter((kind) => ['verified', 'arrived', 'primary', 'moved_away'].includes(kind)),
    ['verified', 'arrived', 'primary'],
  );

  leadToOldHost(zone);
  zone.setRecords(HOST, 'CNAME', []);
  const away = await verify(root, 'pets', HOST);
  assert.deepEqual([away.pointsHere, away.movedAwayAt !== null], [false, true]);
});

test('what is wrong with the record of the challenges is told', async (t) => {
  const { zone, add, verdictOf } = await setUp(t);
  leadToOldHost(zone);
  const value = challengeOf(await add('pets', true));
  const cases: [string, string, string, string][] = [
    [CHALLENGE, 'CNAME', 'dcv.old-host.example', 'wrong_target challenge_wrong_target'],
    [CHALLENGE, 'CNAME', `x${value}`, 'near_miss challenge_typo'],
    [CHALLENGE, 'CNAME', `${value}.example.test`, 'near_miss challenge_zone_appended'],
    [CHALLENGE, 'CNAME', `stranger.${ZONE}`, 'wrong_target challenge_other_claim'],
    [CHALLENGE, 'CNAME', ZONE, 'wrong_target challenge_wrong_target'],
    [
      CHALLENGE,
      'CNAME',
      value.replace(ZONE, 'docs.localhost'),
      'wrong_target challenge_main_target',
    ],
    [CHALLENGE, 'TXT', 'of an earlier certificate', 'conflicting_record challenge_conflict'],
    [`${CHALLENGE}.example.test`, 'CNAME', value, 'near_miss challenge_doubled_zone'],
    ['_acme-challenge.example.test', 'CNAME', value, 'near_miss challenge_wrong_name'],
  ];
  for (const [name, type, content, expected] of cases) {
    zone.setRecords(name, type as 'CNAME', [content]);
    assert.equal(await verdictOf(), expected, `${name} ${type} ${content}`);
    zone.setRecords(name, type as 'CNAME', []);
  }
});

test('a move that goes astray is told, and the name stays prepared', async (t) => {
  const { root, zone, add, verdictOf } = await setUp(t);
  const domain = await add('pets', true);
  zone.setRecords(CHALLENGE, 'CNAME', [challengeOf(domain)]);
  assert.equal(await verdictOf(), 'verified prepared', 'also where there is no address record');
  const main = String(domain.records[1]?.value);
  for (const [value, expected] of [
    [`${main}.example.test`, 'near_miss zone_appended'],
    ['docs.localhost', 'wrong_target bare_platform_host'],
    ['sites.old-host.example', 'verified prepared'],
  ] as const) {
    zone.setRecords(HOST, 'CNAME', [value]);
    assert.equal(await verdictOf(), expected);
    const { state, movedAwayAt } = await getDomain(root, 'pets', HOST);
    assert.deepEqual([state, movedAwayAt], ['verified', null]);
  }
});

test('a certificate that was given up is tried again once the DNS allows it, and once a day', async (t) => {
  const { root, db, zone, add, verdictOf } = await setUp(t);
  const domain = await add('pets', true);
  zone.setRecords(CHALLENGE, 'CNAME', [challengeOf(domain)]);
  assert.equal(await verdictOf(), 'verified prepared');

  const giveUp = async (daysAgo: number) => {
    // An attempt that is still under way would write its retry over this.
    await timeUntil(async () => {
      const row = await db.selectFrom('issuances').selectAll().executeTakeFirstOrThrow();
      return row.leased_by === null && Number(row.next_attempt_at) > Date.now();
    });
    const at = Date.now() - daysAgo * 24 * 3_600_000;
    const last_problem = JSON.stringify({ type: 'caa', detail: 'forbidden', at });
    await db.updateTable('issuances').set({ next_attempt_at: null, last_problem }).execute();
  };
  /** Checks the domain as the dashboard does by itself. Whether another attempt follows, and the verdict. */
  const checkInBackground = async () => {
    await db.updateTable('domain_checks').set({ next_check_at: 0 }).execute();
    await timeUntil(async () => {
      const check = await db.selectFrom('domain_checks').select('next_check_at').executeTakeFirst();
      return check?.next_check_at !== 0;
    });
    const { issuance, verdict } = await getDomain(root, 'pets', HOST);
    return [issuance?.nextAttemptAt !== null, verdict?.code];
  };

  await giveUp(0.5);
  assert.deepEqual(await checkInBackground(), [false, 'verified'], 'nothing has changed');
  zone.setRecords(HOST, 'CAA', ['0 issue ";"']);
  assert.deepEqual(await checkInBackground(), [false, 'caa_blocks']);
  zone.setRecords(HOST, 'CAA', []);
  assert.deepEqual(await checkInBackground(), [true, 'verified'], 'the record is gone');
  await giveUp(1.1);
  assert.deepEqual(await checkInBackground(), [true, 'verified'], 'a day has passed');
});

test('an apex is proven by the record of its challenges, without a TXT record', async (t) => {
  const { root, dns, add } = await setUp(t);
  const domain = await add('pets', true, 'example.test');
  assert.deepEqual(
    domain.records.map(({ type }) => type),
    ['CNAME', 'ALIAS'],
  );
  createRecords(dns, domain);
  const { verdict, state, primary } = await verify(root, 'pets', 'example.test');
  assert.deepEqual([verdict?.reason, state, primary], ['verified', 'verified', true]);
});

test('the record of the challenges takes a name from another project, and one that was forgotten does not', async (t) => {
  const { root, dns, zone, add, verdictOf } = await setUp(t);
  for (const slug of ['former', 'third']) await readyProject(root, slug);
  // What a third project asked for before the name was proven by another one is void.
  const third = challengeOf(await add('third', true));
  await verifiedDomain({ dns }, root, 'former', HOST);
  zone.setRecords(CHALLENGE, 'CNAME', [third]);
  assert.equal(await verdictOf('third'), 'wrong_target challenge_other_claim');
  assert.equal((await getDomain(root, 'former', HOST)).state, 'verified');

  const claim = await add('pets', true);
  assert.equal(claim.needsProof, true);
  zone.setRecords(CHALLENGE, 'CNAME', [challengeOf(claim)]);
  assert.equal(await verdictOf(), 'verified prepared');
  const lost = await getDomain(root, 'former', HOST);
  assert.deepEqual([lost.state, lost.certificate], ['unverified', null]);

  // Removed and forgotten, the record is of no use to a stranger, nor to the project that had the name before.
  await root.call('DELETE', `/api/projects/pets/domains/${HOST}`);
  await json(await root.call('PATCH', `/api/projects/former/domains/${HOST}`, { prepare: true }));
  assert.notEqual(challengeOf(await getDomain(root, 'former', HOST)), challengeOf(claim));
  assert.equal(await verdictOf('former'), 'wrong_target challenge_other_claim');
  assert.equal(challengeOf(await add('pets', true)), challengeOf(claim), 'only to its own project');
  assert.equal(await verdictOf(), 'verified prepared');
});

test('preparing is switched on and off', async (t) => {
  const { root, zone, add, patch, verdictOf } = await setUp(t);
  leadToOldHost(zone);
  const plain = await add('pets');
  assert.deepEqual([plain.prepare, plain.records.length], [false, 1]);
  const asked = await json<Domain>(await patch({ prepare: true }));
  zone.setRecords(CHALLENGE, 'CNAME', [challengeOf(asked)]);
  assert.equal(await verdictOf(), 'verified prepared');
  const off = await json<Domain>(await patch({ prepare: false }));
  assert.deepEqual([off.state, off.prepare, off.issuance], ['unverified', false, null]);
  assert.equal(await verdictOf(), 'conflicting_record instead_of_cname');
  await json(await patch({ prepare: true }));
  assert.equal(await verdictOf(), 'verified prepared');
  move(zone, asked);
  assert.equal(await verdictOf(), 'verified verified');
  zone.setRecords(CHALLENGE, 'CNAME', []);
  assert.equal(await verdictOf(), 'verified challenge_missing');
  assert.ok((await eventsOf(root, 'pets', HOST)).includes('challenge_gone'), 'the owner is told');
  const kept = await json<Domain>(await patch({ prepare: false }));
  assert.deepEqual([kept.state, kept.primary], ['verified', true], 'it leads here anyway');
  await assertError(await patch({}), 400, 'invalid_request');
});

test('the record of the challenges is not gone while what it leads to cannot be looked up', async (t) => {
  const { root, dns, zone, add, verdictOf } = await setUp(t);
  const added = await add('pets', true);
  const alias = 'challenges.other.test';
  zone.setRecords(CHALLENGE, 'CNAME', [alias]);
  dns.zone('other.test').setRecords(alias, 'CNAME', [challengeOf(added)]);
  move(zone, added);
  assert.equal(await verdictOf(), 'verified verified');
  const isTold = async () => (await eventsOf(root, 'pets', HOST)).includes('challenge_gone');
  dns.injectFault('servfail', { name: alias });
  assert.equal(await verdictOf(), 'verified challenge_missing');
  assert.equal(await isTold(), false);
  dns.clearFaults();
  zone.setRecords(CHALLENGE, 'CNAME', []);
  assert.equal(await verdictOf(), 'verified challenge_missing');
  assert.equal(await isTold(), true);
});

test('without a zone a name cannot be prepared, and the error says what to set', async (t) => {
  const { root } = await startDomainService(t);
  await createProject(root, 'pets');
  await setPlan(root, 'pets', 'pro');
  const refused = await root.call('POST', '/api/projects/pets/domains', {
    hostname: HOST,
    prepare: true,
  });
  assert.match(await assertError(refused, 409, 'conflict'), /Whoever runs it sets DNS_ZONE/);
  await readyProject(root, 'cats');
  await addDomain(root, 'cats', HOST);
  const patched = await root.call('PATCH', `/api/projects/cats/domains/${HOST}`, { prepare: true });
  assert.match(await assertError(patched, 409, 'conflict'), /DNS_ZONE/);
});
