import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createSecureServer, get } from 'node:https';
import { type TestContext, test } from 'node:test';
import { type NameServer, startNameServer } from '@petstore/lab/name-server/name-server.ts';
import type { ZoneRecord } from '@petstore/lab/name-server/zone-record.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { certificateKeyContext, sealerOf } from '../../server/src/certificates/sealing.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import type { DomainMove, DomainTraffic } from '../../server/src/domains/move/domain-move.ts';
import { listRenewable, putCertificate } from '../../server/src/store/certificates.ts';
import { addRequests } from '../../server/src/store/domain-moves.ts';
import { incrementCounter } from '../../server/src/store/rate-counters.ts';
import { authority } from '../edge/support/certificates.ts';
import { assertError, json, startService } from '../support/service.ts';
import { AWAY, eventsOf, readyProject, verify } from './support/domains.ts';

// A name moves here from an old host with a certificate of its own. Its zone has two name servers, and visitors have two
// resolvers that keep to TTLs, each of which a test sets by hand.

const HOST = 'docs.example.test';
const PATH = `/api/projects/pets/domains/${HOST}`;
const ZONE = 'acme.docs.localhost';
const OLD_HOST = '127.0.0.9';
const OLD_TTL = 600;
const MINUTE_MS = 60_000;

/** The zone, as a server has it. */
const EXAMPLE: readonly ZoneRecord[] = [
  { name: 'example.test', type: 'NS', value: 'ns1.example.test' },
  { name: 'example.test', type: 'NS', value: 'ns2.example.test' },
  { name: 'ns1.example.test', type: 'A', value: '127.0.0.2' },
  { name: 'ns2.example.test', type: 'A', value: '127.0.0.3' },
  { name: HOST, type: 'CNAME', value: 'old.other.test', ttl: OLD_TTL },
];

async function setUp(t: TestContext, overrides: { dnsPrivateServers?: 'refuse' } = {}) {
  const others = {
    'other.test': [{ name: 'old.other.test', type: 'A', value: OLD_HOST }] as ZoneRecord[],
    'docs.localhost': [{ name: '*.docs.localhost', type: 'A', value: '127.0.0.1' }] as ZoneRecord[],
  };
  const own = await startNameServer({
    address: '127.0.0.1',
    zones: { ...others, 'example.test': EXAMPLE },
  });
  cleanUp(t, own.close);
  const beside = async (address: string) => {
    const options = { address, port: own.port, zones: { ...others, 'example.test': EXAMPLE } };
    const server = await startNameServer(options);
    cleanUp(t, server.close);
    return server;
  };
  const [ns1, ns2, open] = [
    await beside('127.0.0.2'),
    await beside('127.0.0.3'),
    await beside('127.0.0.4'),
  ];
  let at = Date.now();
  const secretKey = randomBytes(32);
  const service = await startService(
    t,
    {
      ...{
        dnsServers: [own.server],
        dnsWatchResolvers: [open.server],
        dnsAuthoritativePort: own.port,
      },
      ...{ dnsPrivateServers: 'allow', acme: AWAY, secretKey, ...overrides },
      dnsZone: { name: ZONE, hosts: ['127.0.0.1'], port: 0, addresses: ['127.0.0.1'] },
    },
    { now: () => at },
  );
  const root = await service.signUp('root@example.com');
  await readyProject(root, 'pets');
  const pass = (ms: number) => {
    at += ms;
  };
  /** A look that nobody had before. */
  const watch = async () => {
    pass(5_000);
    return json<DomainMove>(await root.call('GET', `${PATH}/move`));
  };
  const traffic = async () => json<DomainTraffic>(await root.call('GET', `${PATH}/traffic`));
  const now = () => at;
  return { ...service, root, secretKey, own, ns1, ns2, open, pass, watch, traffic, now };
}

type World = Awaited<ReturnType<typeof setUp>>;

/** Adds the domain, prepares it, and gives it a certificate. */
async function prepare({ root, own, ns1, ns2, db, secretKey, now }: World): Promise<Domain> {
  const body = { hostname: HOST, prepare: true };
  const added = await json<Domain>(
    await root.call('POST', '/api/projects/pets/domains', body),
    201,
  );
  const [challenge] = added.records;
  for (const server of [own, ns1, ns2])
    zoneOf(server).setRecords(String(challenge?.name), 'CNAME', [String(challenge?.value)]);
  const prepared = await verify(root, 'pets', HOST);
  assert.equal(prepared.verdict?.reason, 'prepared', prepared.verdict?.message);
  const { id } = await db.selectFrom('domains').select('id').executeTakeFirstOrThrow();
  const { chain, key, serial } = await authority.issue(HOST);
  const sealed_key = sealerOf(secretKey, 'test').seal(key, certificateKeyContext(id));
  await db.transaction().execute((trx) =>
    putCertificate(trx, {
      ...{ domain_id: id, hostname: HOST, chain, sealed_key, serial, issuer: 'Test' },
      ...{ not_before: 0, not_after: now() + 30 * 86_400_000, issued_at: now() },
      ...{ renew_at: now() + 86_400_000, ari_id: null, ari_check_at: null, directory_url: null },
    }),
  );
  return prepared;
}

const zoneOf = (server: NameServer) => server.zone('example.test');

/** Has a server lead the name here. */
function lead(server: NameServer, { records }: Domain, ttl = 300): void {
  const target = records.find(({ name }) => name === HOST)?.value;
  zoneOf(server).setRecords(HOST, 'CNAME', [String(target)], ttl);
}

/** The host that has the name so far, at the port at which the edge has TLS. Counts its connections. */
async function startOldHost(t: TestContext, port: number) {
  const { chain, key } = await authority.issue(HOST);
  const host = createSecureServer({ cert: chain, key }, (_, response) => response.end('old'));
  let connections = 0;
  host.on('connection', () => connections++);
  host.listen(port, OLD_HOST);
  await once(host, 'listening');
  const close = async () => {
    host.closeAllConnections();
    await new Promise((resolve) => host.close(resolve));
  };
  cleanUp(t, close);
  return { close, connections: () => connections };
}

/** A visitor comes here over HTTPS, with the certificate verified. */
async function visit({ httpsPort }: World): Promise<number | undefined> {
  const options = { host: '127.0.0.1', port: httpsPort, servername: HOST, ca: authority.root };
  const asked = get({ ...options, headers: { host: HOST }, agent: false });
  const [response] = await once(asked, 'response');
  response.resume();
  return response.statusCode;
}

const answers = ({ servers }: DomainMove) =>
  servers.map(({ name, kind, answer }) => `${kind} ${name.replace(/:.*/, '')} ${answer}`);

test('a move is watched from the first name server to the last cache, with its way back', async (t) => {
  const world = await setUp(t);
  const { root, own, ns1, ns2, open, pass, watch, httpsPort } = world;
  const old = await startOldHost(t, httpsPort);
  const domain = await prepare(world);

  const before = await watch();
  assert.equal(before.state, 'before');
  assert.deepEqual(answers(before), [
    ...['zone ns1.example.test old', 'zone ns2.example.test old'],
    ...['resolver 127.0.0.1 old', 'resolver 127.0.0.4 old'],
  ]);
  assert.deepEqual(before.servers[0], {
    ...{ name: 'ns1.example.test', address: '127.0.0.2', kind: 'zone', answer: 'old' },
    ...{ records: [{ type: 'CNAME', value: 'old.other.test' }], ttlSeconds: OLD_TTL, error: null },
  });
  assert.equal(before.everyoneBy, null);
  assert.deepEqual(
    before.certificates.map(({ address, family, serves }) => [address, family, serves]),
    [[OLD_HOST, 'IPv4', 'other']],
  );
  assert.deepEqual(before.wayBack?.records, [
    { type: 'CNAME', value: 'old.other.test', name: HOST, ttlSeconds: OLD_TTL },
  ]);
  assert.equal(before.wayBack?.answers, true);
  assert.equal(before.wayBack?.answer, 'It answers over HTTPS with status 200.');
  assert.equal(before.wayBack?.answeredAt, before.at);

  // Some come here already, and their requests are counted.
  for (let i = 0; i < 3; i++) assert.equal(await visit(world), 200);
  // They may be stored in two parts.
  await timeUntil(async () => Number((await world.traffic()).minutes[0]?.requests) >= 3);
  const { minutes, isCounted, lastRequestAt } = await world.traffic();
  assert.deepEqual([isCounted, minutes[0]?.requests, minutes.length], [true, 3, 1]);
  assert.ok(lastRequestAt);

  lead(ns1, domain);
  const begun = await watch();
  assert.equal(begun.state, 'moving');
  assert.deepEqual(answers(begun).slice(0, 2), [
    'zone ns1.example.test new',
    'zone ns2.example.test old',
  ]);
  assert.equal(begun.everyoneBy, null, 'the zone does not agree yet');

  lead(ns2, domain);
  lead(own, domain);
  zoneOf(open).setRecords(HOST, 'CNAME', ['old.other.test'], 200);
  const changed = await watch();
  assert.equal(changed.state, 'moving');
  assert.deepEqual(answers(changed).slice(2), ['resolver 127.0.0.1 new', 'resolver 127.0.0.4 old']);
  // A cache that is not on the board may have asked a moment before the change.
  const arrivedAt = Date.parse(changed.at);
  assert.equal(changed.everyoneBy, new Date(arrivedAt + OLD_TTL * 1_000).toISOString());
  assert.deepEqual(
    changed.certificates.map(({ address, serves }) => [address, serves]),
    [
      ['127.0.0.1', 'ours'],
      [OLD_HOST, 'other'],
    ],
  );
  const arrived = await json<Domain>(await root.call('GET', PATH));
  assert.deepEqual([arrived.pointsHere, arrived.primary], [true, true], 'seen without a click');

  // Longer than the other resolver says, and still not over.
  lead(open, domain);
  pass(300_000);
  assert.equal((await watch()).state, 'moving');
  pass(OLD_TTL * 1_000);
  const done = await watch();
  assert.equal(done.state, 'done');
  assert.deepEqual(
    done.certificates.map(({ serves }) => serves),
    ['ours'],
  );
  assert.equal(
    done.wayBack?.answers,
    true,
    'there is a way back for as long as the old host is there',
  );

  await old.close();
  const gone = await watch();
  assert.equal(gone.wayBack?.answers, false);
  assert.equal(gone.wayBack?.answer, `Nobody listens on port ${httpsPort} there.`);
  assert.equal(gone.wayBack?.answeredAt, done.at, 'until then');
  assert.equal(gone.state, 'done');
});

test('a name server that fails is on the board with the reason, and an IPv6 address is asked as well', async (t) => {
  const world = await setUp(t);
  const { own, ns1, ns2, watch, httpsPort } = world;
  await startOldHost(t, httpsPort);
  const domain = await prepare(world);
  zoneOf(own).setRecords(HOST, 'CNAME', []);
  zoneOf(own).setRecords(HOST, 'AAAA', ['::1']);
  ns1.injectFault('refused', { name: HOST });
  zoneOf(ns2).setRecords(HOST, 'CNAME', []);
  const { servers, certificates, state } = await watch();
  assert.deepEqual(
    servers.map(({ answer, error }) => [answer, error]),
    [
      ['error', 'The query was refused.'],
      ['none', null],
      ['old', null],
      ['old', null],
    ],
  );
  assert.equal(servers[1]?.ttlSeconds, 60, 'how long caches keep that there is nothing');
  const [, v6] = certificates;
  assert.deepEqual([v6?.address, v6?.family, v6?.serves], ['::1', 'IPv6', 'none']);
  assert.match(String(v6?.problem), /^Nobody listens on port \d+ there\.$/);
  assert.equal(state, 'before');
  // What fails holds nobody up: the others agree.
  ns1.clearFaults();
  ns1.injectFault('servfail', { name: HOST });
  for (const server of [ns2, own, world.open]) {
    zoneOf(server).setRecords(HOST, 'AAAA', []);
    lead(server, domain);
  }
  await watch();
  world.pass(OLD_TTL * 1_000);
  assert.equal((await watch()).state, 'done');
});

test('all who watch share a look, looks are counted for a project, and strangers see nothing', async (t) => {
  const world = await setUp(t);
  const { own, ns1, root, visitor, db, now, pass } = world;
  await prepare(world);
  const queriesOf = (server: NameServer) =>
    server.queries.filter((query) => query === `${HOST} CNAME`).length;
  const ask = () => root.call('GET', `${PATH}/move`);
  await ask();
  pass(5_000);
  const asked = [queriesOf(own), queriesOf(ns1)];
  const looks = await Promise.all(
    Array.from({ length: 5 }, async () => json<DomainMove>(await ask())),
  );
  assert.ok(looks.every(({ at }) => at === looks[0]?.at));
  pass(4_000);
  assert.equal((await json<DomainMove>(await ask())).at, looks[0]?.at);
  assert.deepEqual([queriesOf(own) - (asked[0] ?? 0), queriesOf(ns1) - (asked[1] ?? 0)], [1, 1]);

  const { id } = await db.selectFrom('projects').select('id').executeTakeFirstOrThrow();
  for (let i = 0; i < 1_200; i++) await incrementCounter(db, `move:${id}`, now(), MINUTE_MS);
  assert.equal((await ask()).status, 200, 'what is known costs nothing');
  pass(5_000);
  await assertError(await ask(), 429, 'rate_limited');
  await assertError(await visitor().call('GET', `${PATH}/move`), 401, 'unauthorized');

  const theirs = { hostname: 'api.example.test' };
  await json(await root.call('POST', '/api/projects/pets/domains', theirs), 201);
  const askUnproven = () => root.call('GET', '/api/projects/pets/domains/api.example.test/move');
  assert.equal((await askUnproven()).status, 200, 'names that nobody has proven count apart');
  for (let i = 0; i < 150; i++) await incrementCounter(db, `move-unproven:${id}`, now(), MINUTE_MS);
  pass(5_000);
  await assertError(await askUnproven(), 429, 'rate_limited');
});

test('hosts and name servers in private networks are not asked unless the operator allows it', async (t) => {
  const world = await setUp(t, { dnsPrivateServers: 'refuse' });
  const { root, watch, httpsPort, ns1 } = world;
  const old = await startOldHost(t, httpsPort);
  await json(await root.call('POST', '/api/projects/pets/domains', { hostname: HOST }), 201);
  await verify(root, 'pets', HOST);
  const { servers, certificates, wayBack } = await watch();
  assert.deepEqual(
    servers.slice(0, 2).map(({ address, error }) => [address, error]),
    [
      [null, 'Its name has no address that may be asked.'],
      [null, 'Its name has no address that may be asked.'],
    ],
  );
  assert.deepEqual(
    certificates.map(({ address, serves, problem }) => [address, serves, problem]),
    [[OLD_HOST, 'unknown', 'It is not an address of the internet.']],
  );
  assert.equal(wayBack?.answers, false);
  assert.equal(old.connections(), 0);
  assert.deepEqual(ns1.queries, []);
});

test('a name that moved away is served and counted until nobody comes for a week, which its owners are told', async (t) => {
  const world = await setUp(t);
  const { root, own, ns1, ns2, db, pass, traffic, now } = world;
  const domain = await prepare(world);
  for (const server of [own, ns1, ns2]) lead(server, domain);
  assert.equal((await verify(root, 'pets', HOST)).pointsHere, true);
  const { id } = await db.selectFrom('domains').select('id').executeTakeFirstOrThrow();
  // It has been here for long, and is not counted.
  pass(49 * 3_600_000);
  assert.equal((await traffic()).isCounted, false);

  for (const server of [own, ns1, ns2])
    zoneOf(server).setRecords(HOST, 'CNAME', ['next.other.test']);
  const away = await verify(root, 'pets', HOST);
  assert.ok(away.movedAwayAt);
  assert.equal(await visit(world), 200, 'it is served');
  await timeUntil(async () => (await traffic()).minutes.length > 0);
  // Another edge on the same database.
  await addRequests(
    db,
    new Map([
      [id, 4],
      ['dom_gone', 1],
    ]),
    now(),
  );
  const counted = await traffic();
  assert.deepEqual([counted.isCounted, counted.isQuiet], [true, false]);
  assert.deepEqual(
    counted.minutes.map(({ requests }) => requests),
    [5],
  );
  assert.equal(counted.lastRequestAt, new Date(now()).toISOString());

  const renewed = () =>
    db.transaction().execute(async (trx) => {
      // The one under way since the certificate was due: the authority is away.
      await trx.deleteFrom('issuances').execute();
      return (await listRenewable(trx, now(), 10)).map(({ hostname }) => hostname);
    });
  pass(6 * 86_400_000);
  await verify(root, 'pets', HOST);
  assert.equal((await traffic()).isQuiet, false);
  assert.deepEqual(await renewed(), [HOST], 'somebody came this week');
  pass(86_400_000);
  await verify(root, 'pets', HOST);
  await verify(root, 'pets', HOST);
  assert.equal((await traffic()).isQuiet, true);
  assert.deepEqual(await renewed(), [], 'nobody needs another certificate');
  const told = (await eventsOf(root, 'pets', HOST)).filter((kind) => kind === 'traffic_ended');
  assert.equal(told.length, 1);
  // Where it went is the way back from now on.
  assert.equal((await world.watch()).wayBack?.records[0]?.value, 'next.other.test');
});

test('the records before a move are those that were seen first, and are forgotten with the domain', async (t) => {
  const world = await setUp(t);
  const { root, own, ns1, ns2, watch } = world;
  const domain = await prepare(world);
  for (const server of [own, ns1, ns2])
    zoneOf(server).setRecords(HOST, 'CNAME', ['mistyped.docs.localhost']);
  await verify(root, 'pets', HOST);
  assert.equal((await watch()).wayBack?.records[0]?.value, 'old.other.test');
  assert.equal((await root.call('DELETE', PATH)).status, 204);
  await assertError(await root.call('GET', `${PATH}/move`), 404, 'not_found');
  for (const server of [own, ns1, ns2]) lead(server, domain);
  await json(await root.call('POST', '/api/projects/pets/domains', { hostname: HOST }), 201);
  await verify(root, 'pets', HOST);
  assert.equal((await watch()).wayBack, null);
});
