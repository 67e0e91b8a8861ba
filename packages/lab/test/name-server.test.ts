import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import {
  type Answer,
  type DecodedPacket,
  decode,
  encode,
  type RecordType,
  streamEncode,
} from 'dns-packet';
import { startNameServer } from '../src/name-server/name-server.ts';
import { anyPort } from '../src/ports.ts';

const ZONES = {
  'example.test': [
    { name: 'example.test', type: 'NS', value: 'ns1.example.test' },
    { name: 'ns1.example.test', type: 'A', value: '127.0.0.1' },
    { name: 'example.test', type: 'ALIAS', value: 'abc.docs.localhost' },
    { name: 'docs.example.test', type: 'CNAME', value: 'ABC.docs.localhost.', ttl: 3_600 },
    { name: 'far.example.test', type: 'CNAME', value: 'docs.example.test' },
    { name: 'gone.example.test', type: 'CNAME', value: 'nothing.docs.other.test' },
    { name: 'loop.example.test', type: 'CNAME', value: 'pool.example.test' },
    { name: 'pool.example.test', type: 'CNAME', value: 'loop.example.test' },
    { name: '_proof.example.test', type: 'TXT', value: ['one ', 'and two'] },
    { name: '_proof.example.test', type: 'TXT', value: 'x'.repeat(600) },
    { name: 'example.test', type: 'CAA', value: '0 issue "letsencrypt.org; a=b"' },
    { name: 'example.test', type: 'CAA', value: '128 tbs Unknown' },
    { name: 'example.test', type: 'MX', value: '10 mail.example.test' },
    { name: 'below.example.test', type: 'NS', value: 'ns1.below.example.test' },
    { name: 'ns1.below.example.test', type: 'A', value: '127.0.0.9' },
    { name: 'circle.example.test', type: 'ALIAS', value: 'circle.example.test' },
  ],
  'docs.localhost': [
    { name: '*.docs.localhost', type: 'A', value: '127.0.0.1' },
    { name: '*.docs.localhost', type: 'AAAA', value: '::1' },
    { name: 'own.docs.localhost', type: 'TXT', value: 'no address' },
  ],
} as const;

/** How long there is no answer until there is none, in milliseconds, and in how many waits. */
const SILENCE_MS = 500;
const LOOKS = 10;

/** After each wait this process reads what has come: where it is kept from running, it does not take that for silence. */
async function silence(): Promise<void> {
  for (let looks = 0; looks < LOOKS; looks++) {
    await sleep(SILENCE_MS / LOOKS, undefined, { ref: false });
    await turn();
  }
}

async function start(t: TestContext, port = 0) {
  const server = await startNameServer({ zones: ZONES, port });
  cleanUp(t, server.close);
  // Node's waits only a few times as long as its server usually takes, so it asks a slow one again.
  const resolver = new Resolver({ timeout: 20_000, tries: 8 });
  resolver.setServers([server.server]);
  const ask = (name: string, type: RecordType, options?: AskOptions) =>
    askServer(server.port, name, type, options);
  return { server, resolver, ask };
}

interface AskOptions {
  readonly isRecursive?: boolean;
  readonly isTcp?: boolean;
  readonly hasEdns?: boolean;
}

const OPT: Answer = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: 1_232,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

/** One question; rejects when there is none in time. */
async function askServer(
  port: number,
  name: string,
  type: RecordType,
  { isRecursive = true, isTcp = false, hasEdns = false }: AskOptions = {},
): Promise<DecodedPacket> {
  const query = {
    type: 'query',
    id: 7,
    flags: isRecursive ? 256 : 0,
    questions: [{ name, type }],
  } as const;
  const silent = new AbortController();
  void silence().then(() => silent.abort());
  const { signal } = silent;
  const additionals: Answer[] = hasEdns ? [OPT] : [];
  const message = { ...query, questions: [...query.questions], additionals };
  if (isTcp) {
    const socket = connect(port, '127.0.0.1');
    socket.write(streamEncode(message));
    const [bytes] = (await once(socket, 'data', { signal })) as [Buffer];
    socket.destroy();
    return decode(bytes.subarray(2));
  }
  const socket = createSocket('udp4');
  try {
    socket.send(encode(message), port, '127.0.0.1');
    const [bytes] = (await once(socket, 'message', { signal })) as [Buffer];
    return decode(bytes);
  } finally {
    socket.close();
  }
}

/** An answer in lines such as `docs.example.test 3600 CNAME abc.docs.localhost`. */
function lines(
  packet: DecodedPacket,
  section: 'answers' | 'authorities' | 'additionals' = 'answers',
) {
  return (packet[section] ?? []).map((record) =>
    'data' in record ? [record.name, record.ttl, record.type, record.data].join(' ') : '',
  );
}

const rcode = (packet: DecodedPacket) => (packet.flags ?? 0) & 15;

test("a resolver's answer goes along CNAME records to the addresses, each under its owner's name", async (t) => {
  const { ask, resolver } = await start(t);
  assert.deepEqual(lines(await ask('Far.Example.test', 'A')), [
    'far.example.test 300 CNAME docs.example.test',
    'docs.example.test 3600 CNAME abc.docs.localhost',
    'abc.docs.localhost 300 A 127.0.0.1',
  ]);
  assert.deepEqual(await resolver.resolve6('far.example.test'), ['::1']);
  assert.deepEqual(lines(await ask('docs.example.test', 'CNAME')), [
    'docs.example.test 3600 CNAME abc.docs.localhost',
  ]);
});

test("a zone's own server stops where its zone ends, says so, and refuses what is not its own", async (t) => {
  const { ask } = await start(t);
  const own = await ask('far.example.test', 'A', { isRecursive: false });
  assert.deepEqual(lines(own), [
    'far.example.test 300 CNAME docs.example.test',
    'docs.example.test 3600 CNAME abc.docs.localhost',
  ]);
  assert.ok(own.flag_aa && !own.flag_ra);
  assert.equal(rcode(await ask('other.test', 'A', { isRecursive: false })), 5);
  const referral = await ask('www.below.example.test', 'A', { isRecursive: false });
  assert.deepEqual(
    [lines(referral), lines(referral, 'authorities'), lines(referral, 'additionals')],
    [
      [],
      ['below.example.test 300 NS ns1.below.example.test'],
      ['ns1.below.example.test 300 A 127.0.0.9'],
    ],
  );
  assert.ok(!referral.flag_aa);
});

test('what does not exist comes with the SOA record that says for how long', async (t) => {
  const { ask } = await start(t);
  for (const [name, type, code, zone] of [
    ['no.example.test', 'A', 3, 'example.test'],
    ['docs.localhost', 'TXT', 0, 'docs.localhost'],
    ['own.docs.localhost', 'A', 0, 'docs.localhost'],
    ['other.test', 'A', 3, '.'],
    ['test', 'NS', 0, '.'],
    ['gone.example.test', 'A', 3, '.'],
  ] as const) {
    const packet = await ask(name, type);
    assert.equal(rcode(packet), code, name);
    const [soa] = packet.authorities ?? [];
    assert.equal(soa?.name, zone, name);
    assert.ok(soa?.type === 'SOA' && soa.data.minimum === 60 && soa.ttl);
  }
});

test('an ALIAS answers with the addresses of its target at that moment', async (t) => {
  const { ask, server } = await start(t);
  assert.deepEqual(lines(await ask('example.test', 'A')), ['example.test 300 A 127.0.0.1']);
  server.zone('docs.localhost').setRecords('*.docs.localhost', 'A', ['127.0.0.2', '127.0.0.3'], 5);
  assert.deepEqual(lines(await ask('example.test', 'A')), [
    'example.test 5 A 127.0.0.2',
    'example.test 5 A 127.0.0.3',
  ]);
  assert.deepEqual(lines(await ask('example.test', 'CNAME')), []);
  server.removeZone('docs.localhost');
  assert.equal(rcode(await ask('example.test', 'A')), 2);
  assert.equal(rcode(await ask('circle.example.test', 'A')), 2);
});

test('TXT, CAA, NS and MX records come as the zone has them', async (t) => {
  const { resolver, ask } = await start(t);
  assert.deepEqual(
    (await resolver.resolveTxt('_proof.example.test')).map((strings) =>
      strings.map((s) => s.length),
    ),
    [
      [4, 7],
      [255, 255, 90],
    ],
  );
  assert.deepEqual(await resolver.resolveCaa('example.test'), [
    { critical: 0, issue: 'letsencrypt.org; a=b', type: 'CAA' },
    { critical: 128, tbs: 'Unknown', type: 'CAA' },
  ]);
  assert.deepEqual(await resolver.resolveMx('example.test'), [
    { exchange: 'mail.example.test', priority: 10, type: 'MX' },
  ]);
  const ns = await ask('example.test', 'NS');
  assert.deepEqual(lines(ns, 'additionals'), ['ns1.example.test 300 A 127.0.0.1']);
});

test('what is too long for UDP comes over TCP', async (t) => {
  const { ask } = await start(t);
  const short = await ask('_proof.example.test', 'TXT');
  assert.ok(short.flag_tc);
  assert.deepEqual(lines(short), []);
  const longer = await ask('_proof.example.test', 'TXT', { hasEdns: true });
  assert.equal(longer.answers?.length, 2);
  const whole = await ask('_proof.example.test', 'TXT', { isTcp: true });
  assert.ok(!whole.flag_tc);
  assert.equal(whole.answers?.length, 2);
});

test('CNAME records in a circle end in SERVFAIL; each of them can be asked for', async (t) => {
  const { ask } = await start(t);
  assert.equal(rcode(await ask('loop.example.test', 'A')), 2);
  assert.deepEqual(lines(await ask('loop.example.test', 'CNAME')), [
    'loop.example.test 300 CNAME pool.example.test',
  ]);
});

test('a zone changes while it is served', async (t) => {
  const { resolver, server } = await start(t);
  const zone = server.zone('example.test');
  zone.setRecords('new.example.test', 'A', ['192.0.2.1', '192.0.2.2']);
  assert.deepEqual(await resolver.resolve4('new.example.test'), ['192.0.2.1', '192.0.2.2']);
  zone.removeRecords('new.example.test', 'A', '192.0.2.1');
  assert.deepEqual(await resolver.resolve4('new.example.test'), ['192.0.2.2']);
  zone.removeRecords('new.example.test');
  await assert.rejects(resolver.resolve4('new.example.test'), { code: 'ENOTFOUND' });
  zone.replace([{ name: 'only.example.test', type: 'A', value: '192.0.2.3' }]);
  assert.deepEqual(await resolver.resolve4('only.example.test'), ['192.0.2.3']);
  await assert.rejects(resolver.resolveTxt('_proof.example.test'), { code: 'ENOTFOUND' });
  assert.throws(() => zone.setRecords('other.test', 'A', ['192.0.2.1']), RangeError);
  assert.throws(() => server.zone('other.test'), RangeError);
  server.addZone('other.test', [{ name: 'other.test', type: 'A', value: '192.0.2.4' }]);
  assert.deepEqual(await resolver.resolve4('other.test'), ['192.0.2.4']);
  assert.ok(server.queries.includes('only.example.test A'));
});

test('it has the injected faults until they are cleared', async (t) => {
  const { ask, server } = await start(t);
  const docs = (options?: AskOptions) => ask('docs.example.test', 'CNAME', options);
  const during = async (
    how: Parameters<typeof server.injectFault>[0],
    probe: () => Promise<void>,
  ) => {
    server.clearFaults();
    server.injectFault(how, { name: 'docs.example.test' });
    await probe();
    assert.equal(lines(await ask('far.example.test', 'CNAME')).length, 1, 'others are well');
  };
  await during('servfail', async () => assert.equal(rcode(await docs()), 2));
  await during('refused', async () => assert.equal(rcode(await docs()), 5));
  await during('drop', () => assert.rejects(docs()));
  await during('drop', () => assert.rejects(docs({ isTcp: true })));
  await during('malformed', () => assert.rejects(docs()));
  await during('wrong_id', async () => assert.equal((await docs()).id, 6));
  await during('no_edns', async () => {
    assert.equal(rcode(await docs()), 0);
    assert.equal(rcode(await docs({ hasEdns: true })), 1);
  });
  await during('truncate', async () => {
    assert.ok((await docs()).flag_tc);
    assert.equal(lines(await docs({ isTcp: true })).length, 1);
  });
  await during('truncate_drop', async () => {
    assert.ok((await docs()).flag_tc);
    await assert.rejects(docs({ isTcp: true }));
  });
  await during('cname_loop', async () => {
    assert.deepEqual(lines(await docs()), ['docs.example.test 300 CNAME loop.docs.example.test']);
    assert.equal((await ask('loop.docs.example.test', 'A')).answers?.length, 2);
  });
  await during(
    { lie: [{ name: 'docs.example.test', type: 'A', value: '192.0.2.6' }] },
    async () => {
      assert.deepEqual(lines(await docs()), []);
      assert.deepEqual(lines(await ask('docs.example.test', 'A')), [
        'docs.example.test 300 A 192.0.2.6',
      ]);
    },
  );
  await during({ slowMs: 60 }, async () => {
    const from = performance.now();
    await docs();
    assert.ok(performance.now() - from >= 55);
  });
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  await during({ until }, async () => {
    const before = server.queries.length;
    const held = docs();
    let isOver = false;
    void held.then(() => {
      isOver = true;
    });
    await timeUntil(async () => server.queries.length > before);
    server.clearFaults();
    assert.equal(lines(await ask('docs.example.test', 'CNAME')).length, 1, 'what comes later');
    assert.equal(isOver, false);
    release();
    assert.equal(lines(await held).length, 1);
  });
  server.clearFaults();
  assert.equal(lines(await docs()).length, 1);
  server.injectFault('refused', { type: 'CAA' });
  assert.equal(rcode(await ask('example.test', 'CAA')), 5);
  assert.equal(rcode(await ask('example.test', 'A')), 0);
});

test('its faults are those of the zones too that it finds at another server', async (t) => {
  const { server, ask } = await start(t);
  const other = await startNameServer({
    zones: { 'other.test': [{ name: 'docs.other.test', type: 'A', value: '192.0.2.8' }] },
  });
  cleanUp(t, other.close);
  server.forward('other.test', other.server);
  const docs = () => ask('docs.other.test', 'A');
  assert.deepEqual(lines(await docs()), ['docs.other.test 300 A 192.0.2.8']);
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  server.injectFault({ until });
  const held = docs();
  await timeUntil(async () => other.queries.length === 2);
  server.clearFaults();
  assert.deepEqual(lines(await docs()), ['docs.other.test 300 A 192.0.2.8'], 'what comes later');
  assert.equal(await Promise.race([held, 'not yet']), 'not yet');
  release();
  assert.deepEqual(lines(await held), ['docs.other.test 300 A 192.0.2.8']);
});

test('two servers on one port disagree as two versions of a zone do', async (t) => {
  // One that the system picks for the first, somebody else may have at the second's address.
  const { server, resolver } = await start(t, await anyPort([]));
  const second = await startNameServer({ address: '127.0.0.2', port: server.port });
  cleanUp(t, second.close);
  second.addZone('example.test', [{ name: 'docs.example.test', type: 'A', value: '192.0.2.7' }]);
  resolver.setServers([second.server]);
  assert.deepEqual(await resolver.resolve4('docs.example.test'), ['192.0.2.7']);
  await assert.rejects(startNameServer({ port: server.port }), { code: 'EADDRINUSE' });
});

test('bytes that are not a query get no response and do no harm', async (t) => {
  const { server, ask } = await start(t);
  const socket = createSocket('udp4');
  for (const bytes of ['', 'x', 'no message at all', '\0'.repeat(12), '\xc0'.repeat(600)]) {
    socket.send(Buffer.from(bytes, 'latin1'), server.port, '127.0.0.1');
  }
  socket.send(
    encode({ type: 'response', questions: [{ name: 'a.test', type: 'A' }] }),
    server.port,
  );
  assert.equal(lines(await ask('docs.example.test', 'CNAME')).length, 1);
  socket.close();
});
