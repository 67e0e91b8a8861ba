import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { readAcme } from '../../server/src/config-acme.ts';
import type { Domain, LinkedDomain } from '../../server/src/domains/domain.ts';
import { joinAs, setPlan } from '../support/project.ts';
import { assertError, json, type Visitor } from '../support/service.ts';
import {
  addDomain,
  checksEnded,
  createRecords,
  eventsOf,
  getDomain,
  readyProject,
  startDomainService,
  verifiedDomain,
  verify,
  verifyOnce,
} from './support/domains.ts';

const HOST = 'docs.example.test';
const DAY_MS = 24 * 3_600_000;

test('a wrong record has its verdict, and the right one verifies', async (t) => {
  const { root, dns } = await startDomainService(t);
  await readyProject(root, 'pets');
  const added = await addDomain(root, 'pets', HOST);
  dns.zone('example.test').setRecords(HOST, 'CNAME', ['elsewhere.other.test']);
  const wrong = await verify(root, 'pets', HOST);
  assert.equal(wrong.state, 'unverified');
  assert.equal(wrong.verdict?.code, 'wrong_target');
  assert.match(wrong.verdict?.found ?? '', /elsewhere\.other\.test/);
  assert.equal(wrong.verdict?.add[0]?.value, added.records[0]?.value);

  createRecords(dns, added);
  const right = await verify(root, 'pets', HOST);
  assert.equal(right.verdict?.code, 'verified');
  assert.equal(right.state, 'verified', 'there is no certificate yet');
  assert.equal(right.primary, true, 'the first verified one is the primary');
  assert.equal(right.issuance?.kind, 'first');
  const events = await eventsOf(root, 'pets', HOST);
  assert.equal(events.at(0), 'added');
  for (const kind of ['verdict', 'verified', 'primary']) assert.ok(events.includes(kind), kind);
  const audit = await json<{ items: { action: string; target: string }[] }>(
    await root.call('GET', '/api/projects/pets/audit'),
  );
  const actions = audit.items.filter(({ target }) => target === HOST).map(({ action }) => action);
  assert.deepEqual(actions, ['domain.verify', 'domain.add']);
});

/** Verifies the name while another look at it is held, which ends then and changes nothing. */
async function verifiedMeanwhile(
  { root, dns, db }: Awaited<ReturnType<typeof startDomainService>>,
  added: Domain,
  release: () => void,
) {
  dns.clearFaults();
  createRecords(dns, added);
  assert.equal((await verify(root, 'pets', HOST)).state, 'verified');
  release();
  await checksEnded(db);
  const { verdict, movedAwayAt } = await getDomain(root, 'pets', HOST);
  assert.deepEqual([verdict?.code, movedAwayAt], ['verified', null]);
}

test('a check that ends after one that began later does not undo what that one found', async (t) => {
  const service = await startDomainService(t);
  const { root, dns } = service;
  await readyProject(root, 'pets');
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  dns.injectFault({ until: held }, { exactName: HOST, type: 'MX' });
  const added = await addDomain(root, 'pets', HOST);
  // The check of a new name is under way, and has seen that there is no record.
  await timeUntil(async () => dns.queries.includes(`${HOST} MX`));
  await verifiedMeanwhile(service, added, release);
  assert.ok(!(await eventsOf(root, 'pets', HOST)).includes('moved_away'));
});

test('nor does one where all of them end in the same millisecond', async (t) => {
  let at = Date.now();
  const service = await startDomainService(t, {}, { now: () => at });
  const { root, dns, db } = service;
  await readyProject(root, 'pets');
  const added = await addDomain(root, 'pets', HOST);
  const checkInBackground = () =>
    db.updateTable('domain_checks').set({ next_check_at: 0 }).execute();
  await until(root, ({ checkedAt }) => checkedAt !== null);
  await checksEnded(db);
  at += 1;
  await checkInBackground();
  await until(root, ({ checkedAt }) => checkedAt === new Date(at).toISOString());
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  dns.injectFault({ until: held }, { exactName: HOST, type: 'MX' });
  await checksEnded(db);
  const queries = () => dns.queries.filter((query) => query === `${HOST} MX`).length;
  const before = queries();
  await checkInBackground();
  await timeUntil(async () => queries() > before);
  await verifiedMeanwhile(service, added, release);
});

test('a name whose records were replaced during each look is told so, which is no fault of the service', async (t) => {
  const { root, dns, db, logged } = await startDomainService(t);
  await readyProject(root, 'pets');
  await addDomain(root, 'pets', HOST);
  await until(root, ({ checkedAt }) => checkedAt !== null);
  const queries = () => dns.queries.filter((query) => query === `${HOST} CNAME`).length;
  const first = queries();
  await verify(root, 'pets', HOST);
  const each = queries() - first;
  let release = () => {};
  const hold = () => {
    dns.clearFaults();
    release();
    const { promise, resolve } = Promise.withResolvers<void>();
    dns.injectFault({ until: promise }, { exactName: HOST, type: 'MX' });
    release = resolve;
  };
  hold();
  const verifying = root.call('POST', `/api/projects/pets/domains/${HOST}/verify`);
  for (let look = 1; look <= 3; look++) {
    await timeUntil(async () => queries() >= first + (1 + look) * each);
    const replaced = db.updateTable('domains').set({ challenge_label: `replaced-${look}` });
    await replaced.where('hostname', '=', HOST).execute();
    hold();
  }
  release();
  const message = await assertError(await verifying, 409, 'conflict');
  assert.match(message, /^docs\.example\.test changed, or passed from project to project,/);
  assert.ok(!logged.some((line) => JSON.parse(line).level >= 50));
});

test('a record that comes later is found without a click', async (t) => {
  const clock = { at: Date.now() };
  const { root, dns } = await startDomainService(t, {}, { now: () => clock.at });
  await readyProject(root, 'pets');
  const added = await addDomain(root, 'pets', HOST);
  const first = await until(root, ({ checkedAt }) => checkedAt !== null);
  assert.equal(first.verdict?.code, 'no_record');
  const waitMs = Date.parse(first.nextCheckAt ?? '') - clock.at;
  assert.ok(waitMs >= 15_000 && waitMs < 17_000, `${waitMs}`);
  createRecords(dns, added);
  const queries = () => dns.queries.filter((query) => query === `${HOST} CNAME`).length;
  const before = queries();
  // It is due later than this name would be: when it is checked, this one has been asked for, or is not.
  await addDomain(root, 'pets', 'witness.other.test');
  await until(root, ({ checkedAt }) => checkedAt !== null, 'witness.other.test');
  assert.equal(queries(), before);
  assert.equal((await getDomain(root, 'pets', HOST)).state, 'unverified');
  clock.at += 17_000;
  await until(root, ({ state }) => state === 'verified');
});

test('what is not there after 48 hours is asked for no more, until someone verifies', async (t) => {
  const clock = { at: Date.now() };
  const { root, dns } = await startDomainService(t, {}, { now: () => clock.at });
  await readyProject(root, 'pets');
  const added = await addDomain(root, 'pets', HOST);
  await until(root, ({ checkedAt }) => checkedAt !== null);
  clock.at += 2 * DAY_MS;
  const last = await until(root, ({ nextCheckAt }) => nextCheckAt === null);
  assert.equal(last.state, 'unverified');
  const again = await verify(root, 'pets', HOST);
  assert.ok(again.nextCheckAt !== null, 'the waits begin anew');
  createRecords(dns, added);
  clock.at += 17_000;
  await until(root, ({ state }) => state === 'verified');
});

test('DNS that moved away is shown and comes back, and the name serves all the while', async (t) => {
  const clock = { at: Date.now() };
  const { root, dns } = await startDomainService(t, {}, { now: () => clock.at });
  await readyProject(root, 'pets');
  const domain = await verifiedDomain({ dns }, root, 'pets', HOST);
  dns.zone('example.test').setRecords(HOST, 'CNAME', ['elsewhere.other.test']);
  clock.at += 1.2 * DAY_MS;
  const moved = await until(root, ({ movedAwayAt }) => movedAwayAt !== null);
  assert.equal(moved.state, 'verified');
  assert.equal(moved.verdict?.code, 'wrong_target');
  dns.injectFault('servfail', { name: HOST });
  clock.at += 1.2 * 3_600_000;
  const failing = await until(root, ({ verdict }) => verdict?.code === 'dns_error');
  assert.notEqual(failing.movedAwayAt, null, 'a server that fails says nothing new');
  dns.clearFaults();
  createRecords(dns, domain);
  clock.at += 1.2 * 3_600_000;
  await until(root, ({ movedAwayAt }) => movedAwayAt === null);
  const events = await eventsOf(root, 'pets', HOST);
  assert.equal(events.filter((kind) => kind === 'moved_away').length, 1);
  assert.equal(events.filter((kind) => kind === 'returned').length, 1);
});

test('a name behind another alias has not moved away while that one cannot be looked up, and stays reserved when removed', async (t) => {
  const clock = { at: Date.now() };
  const { root, dns, db } = await startDomainService(t, {}, { now: () => clock.at });
  await readyProject(root, 'pets');
  const added = await addDomain(root, 'pets', HOST);
  const alias = 'pets.other.test';
  dns.zone('example.test').setRecords(HOST, 'CNAME', [alias]);
  dns.zone('other.test').setRecords(alias, 'CNAME', [String(added.records[0]?.value)]);
  assert.equal((await verify(root, 'pets', HOST)).verdict?.code, 'verified');

  dns.injectFault('servfail', { name: alias });
  clock.at += 1.2 * DAY_MS;
  const failing = await until(root, ({ verdict }) => verdict?.code !== 'verified');
  assert.deepEqual([failing.verdict?.code, failing.movedAwayAt], ['wrong_target', null]);
  assert.ok(!(await eventsOf(root, 'pets', HOST)).includes('moved_away'));

  const removed = await root.call('DELETE', `/api/projects/pets/domains/${HOST}`);
  assert.equal(removed.status, 204);
  clock.at += 2 * 3_600_000;
  await timeUntil(async () => {
    const [check] = await db.selectFrom('domain_checks').select('checked_at').execute();
    return !check || check.checked_at === clock.at;
  });
  assert.deepEqual((await addDomain(root, 'pets', HOST)).records, added.records);
});

for (const [type, address] of [
  ['A', '127.0.0.1'],
  ['AAAA', '2001:db8::10'],
] as const)
  test(`an apex keeps its address while the ${type} records of its target cannot be looked up`, async (t) => {
    const { root, dns } = await startDomainService(t);
    dns.zone('docs.localhost').setRecords('*.docs.localhost', 'AAAA', ['2001:db8::10']);
    await readyProject(root, 'pets');
    const { hostname, records } = await addDomain(root, 'pets', 'example.test');
    const proof = records.find((record) => record.type === 'TXT');
    assert.ok(proof);
    const zone = dns.zone(hostname);
    zone.setRecords(proof.name, 'TXT', [proof.value]);
    zone.setRecords(hostname, type, [address]);
    assert.equal((await verify(root, 'pets', hostname)).verdict?.code, 'verified');

    dns.injectFault('servfail', { name: 'docs.localhost', type });
    const { verdict, movedAwayAt } = await verify(root, 'pets', hostname);
    assert.deepEqual(
      [verdict?.code, verdict?.reason, verdict?.remove, movedAwayAt],
      ['dns_error', 'platform_unresolved', [], null],
    );
    assert.match(String(verdict?.message), new RegExp(`^The query for the ${type} record of `));

    // What is wrong in any case is told, and that alone.
    const other = type === 'A' ? ['AAAA', '2001:db8::99'] : ['A', '203.0.113.7'];
    zone.setRecords(hostname, other[0] as 'A', [String(other[1])]);
    const wrong = await verify(root, 'pets', hostname);
    assert.equal(wrong.verdict?.code, 'apex_wrong_address');
    assert.deepEqual(
      [wrong.verdict.remove.map(({ value }) => value), wrong.movedAwayAt],
      [[other[1]], null],
    );
  });

test('no other name is led to one whose DNS leads elsewhere: it is not made primary before it is back', async (t) => {
  const { root, dns } = await startDomainService(t);
  await readyProject(root, 'pets');
  await verifiedDomain({ dns }, root, 'pets', HOST);
  const other = await verifiedDomain({ dns }, root, 'pets', 'api.example.test');
  dns.zone('example.test').setRecords(other.hostname, 'CNAME', ['elsewhere.other.test']);
  assert.notEqual((await verify(root, 'pets', other.hostname)).movedAwayAt, null);
  const domains = '/api/projects/pets/domains';
  const chosen = await root.call('POST', `${domains}/${other.hostname}/primary`);
  assert.match(await assertError(chosen, 409, 'conflict'), /leads elsewhere/);

  await root.call('DELETE', `${domains}/${HOST}`);
  assert.equal((await getDomain(root, 'pets', other.hostname)).primary, false);
  createRecords(dns, other);
  assert.equal((await verify(root, 'pets', other.hostname)).primary, true);
});

test('the authority is asked nothing before a name is verified, however often Verify is clicked', async (t) => {
  let calls = 0;
  const authority = createServer((socket) => {
    calls++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(authority, 'listening');
  cleanUp(t, () => authority.close());
  const { port } = authority.address() as AddressInfo;
  const acme = readAcme({ ACME_DIRECTORY_URL: `https://127.0.0.1:${port}/directory` });
  const { root, dns } = await startDomainService(t, { acme });
  await readyProject(root, 'pets');
  const added = await addDomain(root, 'pets', HOST);
  for (let clicks = 0; clicks < 3; clicks++) await verifyOnce(root, 'pets', HOST);
  dns.zone('example.test').setRecords('example.test', 'CAA', ['0 issue "ca.example.net"']);
  createRecords(dns, added);
  const blocked = await verify(root, 'pets', HOST);
  assert.equal(blocked.verdict?.code, 'caa_blocks');
  assert.equal(blocked.verdict?.add[0]?.value, '0 issue "letsencrypt.org"');
  assert.equal(calls, 0);
  const hasFailed = ({ issuance }: Domain) => issuance?.problem?.type === 'unreachable';
  // When the authority was asked for a name that is due later, nothing of this one is left to be asked for.
  await verifiedDomain({ dns }, root, 'pets', 'witness.other.test');
  await until(root, hasFailed, 'witness.other.test');
  // Once, or again where the check that began when the name was added found its records as well.
  assert.ok(calls > 0);
  assert.equal((await getDomain(root, 'pets', HOST)).issuance, null);
  const ofWitness = calls;
  dns.zone('example.test').removeRecords('example.test', 'CAA');
  await verify(root, 'pets', HOST);
  await until(root, hasFailed);
  assert.ok(calls > ofWitness, 'and then it is');
});

test('Verify is limited for a name, and calls at the same time are one', async (t) => {
  const { root, dns } = await startDomainService(t);
  await readyProject(root, 'pets');
  await addDomain(root, 'pets', HOST);
  await until(root, ({ checkedAt }) => checkedAt !== null);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  dns.injectFault({ until: held });
  const before = dns.queries.filter((question) => question === `${HOST} CNAME`).length;
  const path = `/api/projects/pets/domains/${HOST}/verify`;
  const begun = startedRequests(t);
  const calls = Array.from({ length: 20 }, () => root.call('POST', path));
  await timeUntil(async () => begun() === calls.length);
  // When a later request is served, all of them wait for the name servers.
  await getDomain(root, 'pets', HOST);
  dns.clearFaults();
  release();
  const together = await Promise.all(calls);
  assert.ok(together.every(({ status }) => status === 200));
  const alone = dns.queries.filter((question) => question === `${HOST} CNAME`).length - before;
  await verifyOnce(root, 'pets', HOST);
  const each =
    dns.queries.filter((question) => question === `${HOST} CNAME`).length - before - alone;
  // One more may come from the background, which looks too.
  assert.ok(alone <= 2 * each, `twenty asked ${alone} times what one asks ${each} times`);

  let refused: Response | undefined;
  for (let clicks = 0; clicks < 12 && !refused; clicks++) {
    const answer = await root.call('POST', path);
    if (answer.status !== 200) refused = answer;
  }
  assert.ok(refused, 'the eleventh within a minute is refused');
  const seconds = Number(refused.headers.get('retry-after'));
  assert.ok(seconds >= 1 && seconds <= 60);
  await assertError(refused, 429, 'rate_limited');
});

test('without a plan for domains nothing new is verified, and what serves goes on', async (t) => {
  const { root, dns } = await startDomainService(t);
  await readyProject(root, 'pets');
  await verifiedDomain({ dns }, root, 'pets', 'one.example.test');
  const added = await addDomain(root, 'pets', 'two.example.test');
  await setPlan(root, 'pets', 'free');
  createRecords(dns, added);
  const refused = await root.call('POST', '/api/projects/pets/domains/two.example.test/verify');
  assert.match(await assertError(refused, 403, 'forbidden'), /Pro/);
  const kept = await verify(root, 'pets', 'one.example.test');
  assert.equal(kept.state, 'verified');
});

test('the link shows records and state to whoever has it, and verifies, and no more', async (t) => {
  const { root, dns, visitor } = await startDomainService(t);
  await readyProject(root, 'pets');
  const added = await addDomain(root, 'pets', HOST);
  const nobody = visitor();
  const path = (link: string | null) => `/api/domain-links/${link?.replace(/^.*\/d\//, '')}`;
  const shown = await json<LinkedDomain>(await nobody.call('GET', path(added.link)));
  assert.deepEqual(shown.records, added.records);
  assert.equal(shown.projectName, 'pets');
  assert.equal(JSON.stringify(shown).includes('root@example.com'), false);
  createRecords(dns, added);
  const checked = await json<LinkedDomain>(await nobody.call('POST', `${path(added.link)}/verify`));
  assert.equal(checked.state, 'verified');
  const renewed = await json<Domain>(
    await root.call('POST', `/api/projects/pets/domains/${HOST}/link`),
  );
  assert.notEqual(renewed.link, added.link);
  await assertError(await nobody.call('GET', path(added.link)), 404, 'not_found');
  await json(await nobody.call('GET', path(renewed.link)));
});

test('the link is shown to those alone who may verify, since whoever has it may', async (t) => {
  const service = await startDomainService(t);
  const { root } = service;
  await readyProject(root, 'pets');
  const { link } = await addDomain(root, 'pets', HOST);
  assert.ok(link);
  for (const [role, expected] of [
    ['viewer', null],
    ['editor', link],
    ['owner', link],
  ] as const) {
    const member = await joinAs(service, root, 'pets', `${role}@example.com`, role);
    const [listed] = (
      await json<{ items: Domain[] }>(await member.call('GET', '/api/projects/pets/domains'))
    ).items;
    assert.equal(listed?.link, expected, role);
    const answer = await member.call('GET', `/api/projects/pets/domains/${HOST}`);
    assert.equal((await json<Domain>(answer)).link, expected, role);
  }
});

/** How many requests came to servers of this process from now on. */
function startedRequests(t: TestContext): () => number {
  let started = 0;
  const count = () => {
    started++;
  };
  subscribe('http.server.request.start', count);
  cleanUp(t, () => unsubscribe('http.server.request.start', count));
  return () => started;
}

/** The domain once something is true of it. */
async function until(
  root: Visitor,
  isSo: (domain: Domain) => boolean,
  hostname = HOST,
): Promise<Domain> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const domain = await getDomain(root, 'pets', hostname);
    if (isSo(domain)) return domain;
    assert.ok(Date.now() < deadline, JSON.stringify(domain));
    await sleep(20);
  }
}
