import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { ServerFault } from '@petstore/lab/name-server/faults.ts';
import { type NameServer, startNameServer } from '@petstore/lab/name-server/name-server.ts';
import type { ZoneRecord } from '@petstore/lab/name-server/zone-record.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { assertTook, assertWithin, timeOf } from '@petstore/test-support/within.ts';
import { checkDns, type DnsCheckOptions } from '../../../server/src/domains/check-dns.ts';
import { expectationOf, PLATFORM, PLATFORM_ZONE, TARGET } from './support/model-dns.ts';

const DOCS = 'docs.example.com';
const RIGHT: ZoneRecord[] = [{ name: DOCS, type: 'CNAME', value: TARGET }];
const OTHER: ZoneRecord[] = [{ name: DOCS, type: 'CNAME', value: 'ns1.example.com' }];

interface Dns {
  readonly resolvers: readonly NameServer[];
  /** The own servers of example.com: ns1 and ns2. */
  readonly own: readonly NameServer[];
  check(options?: Partial<DnsCheckOptions>): ReturnType<typeof checkDns>;
}

/** Two resolvers and the two servers of a zone, each with its own version of that. */
async function startDns(
  t: TestContext,
  {
    resolvers = [RIGHT, RIGHT],
    own = [RIGHT, RIGHT],
  }: { resolvers?: ZoneRecord[][]; own?: ZoneRecord[][] } = {},
): Promise<Dns> {
  const zone = (records: readonly ZoneRecord[]): ZoneRecord[] => [
    { name: 'example.com', type: 'NS', value: 'ns1.example.com' },
    { name: 'example.com', type: 'NS', value: 'ns2.example.com' },
    { name: 'ns1.example.com', type: 'A', value: '127.0.0.2' },
    { name: 'ns2.example.com', type: 'A', value: '127.0.0.3' },
    ...records,
  ];
  const start = async (records: ZoneRecord[], options: { address?: string; port?: number }) => {
    const server = await startNameServer(options);
    cleanUp(t, server.close);
    server.addZone('example.com', zone(records));
    return server;
  };
  const [first, ...more] = resolvers;
  const one = await start(first ?? [], {});
  one.addZone(PLATFORM, PLATFORM_ZONE);
  const others = await Promise.all(more.map((records) => start(records, {})));
  for (const server of others) server.addZone(PLATFORM, PLATFORM_ZONE);
  const zoneServers = await Promise.all(
    own.map((records, i) => start(records, { address: `127.0.0.${i + 2}`, port: one.port })),
  );
  const all = [one, ...others];
  return {
    resolvers: all,
    own: zoneServers,
    check: (options = {}) =>
      checkDns(expectationOf(DOCS), {
        servers: all.map(({ server }) => server),
        authoritativePort: one.port,
        arePrivateAllowed: true,
        ...options,
      }),
  };
}

async function outcome({ check }: Dns, options?: Partial<DnsCheckOptions>): Promise<string> {
  const { verdict } = await check(options);
  assert.equal(verdict.remedy === '', verdict.code === 'verified');
  return `${verdict.code}/${verdict.reason}`;
}

test('where nobody listens at the port of the zone’s servers, the resolvers decide at once', async (t) => {
  const dns = await startDns(t, { own: [] });
  await assertWithin(1_300, () =>
    timeOf(async () => assert.equal(await outcome(dns), 'verified/verified')),
  );
});

// They wait for time-outs most of the time: together.
describe('name servers', { concurrency: 3 }, () => {
  test("the zone's own servers decide, whatever resolvers still remember", async (t) => {
    const mended = await startDns(t, { resolvers: [OTHER, []] });
    const { verdict, pointsHere } = await mended.check();
    assert.equal(`${verdict.code}/${verdict.reason}`, 'verified/propagating');
    assert.ok(pointsHere);
    for (const { server } of mended.resolvers) assert.match(verdict.message, new RegExp(server));
    assert.ok(mended.own.every(({ queries }) => queries.includes(`${DOCS} CNAME`)));

    const removed = await startDns(t, { own: [[], []] });
    assert.equal(await outcome(removed), 'no_record/no_record');
  });

  test("a zone's servers that disagree are named, each with what it says", async (t) => {
    const dns = await startDns(t, { own: [RIGHT, OTHER] });
    const { verdict, pointsHere } = await dns.check();
    assert.equal(`${verdict.code}/${verdict.reason}`, 'dns_error/servers_disagree');
    assert.ok(pointsHere);
    assert.equal(
      verdict.found,
      `ns1.example.com: ${DOCS} CNAME ${TARGET}; ns2.example.com: ${DOCS} CNAME ns1.example.com`,
    );
    assert.match(verdict.remedy, /Wait a few minutes/);
    dns.own[1]?.zone('example.com').setRecords(DOCS, 'CNAME', [TARGET]);
    assert.equal(await outcome(dns), 'verified/verified');
  });

  test("a zone's server that does not answer leaves it to the others, and all of them to the resolvers", async (t) => {
    const ways: ServerFault[] = ['servfail', 'refused', 'drop', 'malformed'];
    await Promise.all(
      ways.map(async (how, i) => {
        const dns = await startDns(t, { own: [OTHER, RIGHT] });
        dns.own[0]?.injectFault(how, i % 2 === 0 ? {} : { name: DOCS });
        assert.equal(await outcome(dns), 'verified/verified', `${how}: the other decides`);
        dns.own[1]?.injectFault(how);
        assert.equal(await outcome(dns), 'verified/verified', `${how}: the resolvers decide`);
      }),
    );
  });

  test('of resolvers that differ, the one with the right answer has the newest', async (t) => {
    const dns = await startDns(t, { resolvers: [[], RIGHT, OTHER], own: [] });
    const { verdict } = await dns.check();
    assert.equal(`${verdict.code}/${verdict.reason}`, 'verified/propagating');
    assert.match(verdict.message, /still give the earlier answer/);
    const beside: ZoneRecord = { name: DOCS, type: 'A', value: '198.51.100.1' };
    const halfway = await startDns(t, { resolvers: [[...RIGHT, beside], RIGHT], own: [] });
    assert.equal(await outcome(halfway), 'verified/propagating');
    dns.resolvers[1]?.zone('example.com').removeRecords(DOCS);
    assert.equal(await outcome(dns), 'no_record/no_record');
  });

  test('resolvers that cannot answer are left out as long as one can, and named when none can', async (t) => {
    const ways: [how: ServerFault & string, reason: string, says: RegExp][] = [
      ['servfail', 'servfail', /DNSSEC/],
      ['refused', 'refused', /do not hold its zone/],
      ['drop', 'timeout', /did not answer/],
      ['wrong_id', 'timeout', /did not answer/],
      ['malformed', 'malformed', /cannot be read/],
      ['truncate_drop', 'timeout', /over UDP and TCP/],
      ['cname_loop', 'cname_loop', /: 1\. Remove this record: .*\. 2\. Create this record: /],
    ];
    await Promise.all(
      ways.map(async ([how, reason, says]) => {
        const dns = await startDns(t, { own: [] });
        const [one, two] = dns.resolvers;
        one?.injectFault(how, { name: DOCS });
        assert.match(await outcome(dns), /^verified/, how);
        two?.injectFault(how, { name: DOCS });
        const { verdict } = await dns.check();
        assert.equal(`${verdict.code}/${verdict.reason}`, `dns_error/${reason}`, how);
        assert.match(verdict.remedy, says, how);
        for (const server of dns.resolvers) server.clearFaults();
        assert.equal(await outcome(dns), 'verified/verified', how);
      }),
    );
  });

  test('answers that come late, or over TCP alone, count', async (t) => {
    const dns = await startDns(t);
    for (const server of [...dns.resolvers, ...dns.own]) server.injectFault({ slowMs: 40 });
    assert.equal(await outcome(dns), 'verified/verified');
    for (const server of [...dns.resolvers, ...dns.own]) server.injectFault('truncate');
    assert.equal(await outcome(dns), 'verified/verified');
  });

  test('a server that does not understand EDNS is asked without it', async (t) => {
    const dns = await startDns(t);
    for (const server of [...dns.resolvers, ...dns.own]) server.injectFault('no_edns');
    assert.equal(await outcome(dns), 'verified/verified');
  });

  test('signatures that resolvers do not believe keep a name from being verified', async (t) => {
    const dns = await startDns(t);
    for (const server of dns.resolvers) server.injectFault('servfail', { name: DOCS });
    const { verdict, pointsHere } = await dns.check();
    assert.equal(`${verdict.code}/${verdict.reason}`, 'dns_error/servfail');
    assert.match(verdict.remedy, /DS record at the registrar/);
    assert.doesNotMatch(verdict.remedy, /ALIAS/, 'no record for a subdomain');
    assert.ok(pointsHere);
  });

  test('a CAA record that cannot be looked up keeps a name from being verified', async (t) => {
    const dns = await startDns(t, { own: [] });
    for (const server of dns.resolvers)
      server.injectFault('servfail', { name: 'example.com', type: 'CAA' });
    const { verdict } = await dns.check();
    assert.equal(`${verdict.code}/${verdict.reason}`, 'dns_error/servfail');
    assert.match(verdict.message, /CAA record of docs\.example\.com/);
    assert.ok(verdict.found.includes('CAA'));
  });

  test('a CAA record that cannot be looked up at the host of the claim is for the platform to mend', async (t) => {
    for (const own of [[], [RIGHT, RIGHT]]) {
      const dns = await startDns(t, { own });
      for (const server of dns.resolvers) {
        // A resolver looks where the CNAME leads, and fails with that.
        for (const name of [DOCS, TARGET]) server.injectFault('servfail', { name, type: 'CAA' });
      }
      const { verdict, pointsHere } = await dns.check();
      assert.equal(`${verdict.code}/${verdict.reason}`, 'dns_error/platform_unresolved');
      assert.match(verdict.message, new RegExp(`CAA record of ${TARGET}.* the platform's`));
      assert.match(
        verdict.remedy,
        /^You need not change anything at .* the operator of this dashboard has to correct /,
      );
      assert.ok(pointsHere);
      for (const server of dns.resolvers) server.clearFaults();
      assert.equal(await outcome(dns), 'verified/verified');
    }
  });

  test('a server that lies about other names changes nothing', async (t) => {
    const dns = await startDns(t, { own: [] });
    const lie: ZoneRecord[] = [{ name: 'other.example.com', type: 'A', value: '198.51.100.1' }];
    for (const server of dns.resolvers) server.injectFault({ lie }, { name: DOCS, type: 'A' });
    assert.equal(await outcome(dns), 'verified/verified');
  });

  test('a check ends in time where nobody answers, and at once when it is called off', async (t) => {
    const dns = await startDns(t, { own: [] });
    for (const server of dns.resolvers) server.injectFault('drop');
    const from = performance.now();
    let isOver = false;
    const checked = outcome(dns).finally(() => {
      isOver = true;
    });
    await assert.rejects(
      dns.check({ signal: AbortSignal.abort(new Error('off')) }),
      /^Error: off$/,
    );
    const controller = new AbortController();
    const calledOff = dns.check({ signal: controller.signal });
    setTimeout(() => controller.abort(new Error('called off')), 20);
    await assert.rejects(calledOff, /^Error: called off$/);
    assert.ok(!isOver, 'before the other one ends');
    assert.equal(await checked, 'dns_error/timeout');
    await assertTook(performance.now() - from, 9_000);
  });
});
