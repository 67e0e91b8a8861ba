import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryBytes, type Response, readResponse, sendUdp, start } from './support/ask.ts';
import { ORIGIN, type SOA, ZONE } from './support/zone.ts';

const NOERROR = 0;
const FORMERR = 1;
const NXDOMAIN = 3;
const NOTIMP = 4;
const REFUSED = 5;

const records = ({ answers = [] }: Response) =>
  answers.map((record) => {
    const data = 'data' in record ? record.data : undefined;
    const text = Array.isArray(data) ? data.join('') : String(data);
    return `${record.name} ${record.type} ${text}`;
  });

test('a name has its records, in the letters of the question', async (t) => {
  const { ask } = await start(t);
  const response = await ask({ name: `CLaim.Acme.docs.example.COM` });
  assert.equal(response.rcode, NOERROR);
  assert.equal(response.flag_aa, true);
  assert.equal(response.flag_ra, false, 'it is no resolver');
  assert.deepEqual(records(response), [
    'CLaim.Acme.docs.example.COM TXT first',
    'CLaim.Acme.docs.example.COM TXT second',
  ]);
  assert.deepEqual(response.authorities, []);
  const { bytes } = response;
  const sent = queryBytes({ name: `CLaim.Acme.docs.example.COM` });
  assert.deepEqual(bytes.subarray(12, sent.length), sent.subarray(12), 'the question comes back');
});

test('a text longer than a string comes whole, with any bytes', async (t) => {
  const { ask } = await start(t);
  const [record] = (await ask({ name: `long.${ORIGIN}` })).answers ?? [];
  const strings = record?.type === 'TXT' ? (record.data as Buffer[]) : [];
  assert.deepEqual(
    strings.map(({ length }) => length),
    [255, 59],
  );
  assert.equal(Buffer.concat(strings).toString(), `${'x'.repeat(300)} "quoted" \\ é`);
});

test('a name server has its addresses beside it', async (t) => {
  const { ask } = await start(t);
  const response = await ask({ name: ORIGIN, type: 'NS' });
  assert.deepEqual(records(response), [`${ORIGIN} NS ns1.${ORIGIN}`, `${ORIGIN} NS ns2.${ORIGIN}`]);
  const glue = response.additionals?.map((record) => 'data' in record && record.data);
  assert.deepEqual(glue, ['192.0.2.1', '2001:db8::1', '192.0.2.2']);
});

const ABSENT = [
  ['a name that does not exist', `nothing.${ORIGIN}`, 'TXT', NXDOMAIN],
  ['a name below one without names below', `x.claim.${ORIGIN}`, 'TXT', NXDOMAIN],
  ['another type', `claim.${ORIGIN}`, 'A', NOERROR],
  ['a type that nobody knows', `claim.${ORIGIN}`, 'UNKNOWN_65280', NOERROR],
  ['a name that exists for the one below it alone', `b.c.${ORIGIN}`, 'TXT', NOERROR],
  ['another type at a wildcard', `any.wild.${ORIGIN}`, 'TXT', NOERROR],
  ['a name that a wildcard does not stand for', `x.real.wild.${ORIGIN}`, 'A', NXDOMAIN],
] as const;

for (const [what, name, type, rcode] of ABSENT) {
  test(`${what} is absent, and the SOA says for how long`, async (t) => {
    const { ask } = await start(t);
    const response = await ask({ name, type });
    assert.equal(response.rcode, rcode);
    assert.equal(response.flag_aa, true);
    assert.deepEqual(response.answers, []);
    const [soa] = response.authorities ?? [];
    assert.equal(soa?.type, 'SOA');
    assert.equal(soa?.name, ORIGIN);
    assert.equal(soa && 'ttl' in soa && soa.ttl, 30, "the SOA's minimum");
  });
}

test('a wildcard stands for names that do not exist, of any depth', async (t) => {
  const { ask } = await start(t);
  for (const label of ['x', 'x.y', '*']) {
    const name = `${label}.wild.${ORIGIN}`;
    assert.deepEqual(records(await ask({ name, type: 'A' })), [`${name} A 192.0.2.9`]);
  }
});

test('an alias is followed as long as it stays in the zone', async (t) => {
  const { ask } = await start(t);
  const inside = await ask({ name: `alias.${ORIGIN}` });
  assert.deepEqual(records(inside), [
    `alias.${ORIGIN} CNAME claim.${ORIGIN}`,
    `claim.${ORIGIN} TXT first`,
    `claim.${ORIGIN} TXT second`,
  ]);
  const away = await ask({ name: `away.${ORIGIN}` });
  assert.equal(away.rcode, NOERROR);
  assert.deepEqual(records(away), [`away.${ORIGIN} CNAME elsewhere.example.org`]);
  // RFC 6604: the code is that of the last name.
  const dead = await ask({ name: `dead.${ORIGIN}` });
  assert.equal(dead.rcode, NXDOMAIN);
  assert.equal(dead.authorities?.[0]?.type, 'SOA');
  const loop = await ask({ name: `loop.${ORIGIN}` });
  assert.equal(loop.rcode, NOERROR);
  assert.ok((loop.answers?.length ?? 0) < 12);
  const alias = await ask({ name: `alias.${ORIGIN}`, type: 'CNAME' });
  assert.equal(alias.answers?.length, 1);
});

test('ANY has one of the sets (RFC 8482)', async (t) => {
  const { ask } = await start(t);
  const { answers } = await ask({ name: ORIGIN, type: 'ANY' });
  assert.equal(answers?.length, 1);
});

test('what it is not asked for, it refuses', async (t) => {
  const { ask } = await start(t);
  const refused = [
    { name: 'www.example.com' },
    { name: 'docs.example.com' },
    // Ends with the same letters, and is another name.
    { name: `x${ORIGIN}` },
    { name: '.', type: 'NS' },
    { name: ORIGIN, type: 'AXFR' },
    { name: ORIGIN, type: 'AXFR', isTcp: true },
    { name: ORIGIN, type: 'IXFR' },
    { name: 'version.bind', class: 'CH' },
    { name: ORIGIN, class: 'ANY' },
  ];
  for (const query of refused) {
    const response = await ask(query);
    assert.equal(response.rcode, REFUSED, JSON.stringify(query));
    assert.equal(response.flag_aa, false);
    assert.deepEqual(response.answers, []);
    assert.deepEqual(response.authorities, []);
  }
});

test('other opcodes and types that are no records are not implemented', async (t) => {
  const { ask } = await start(t);
  for (const opcode of [1, 2, 4, 5, 15]) {
    const response = await ask({ name: ORIGIN, flags: opcode << 11 });
    assert.equal(response.rcode, NOTIMP, String(opcode));
    assert.equal((response.bytes.readUInt16BE(2) >> 11) & 0xf, opcode);
  }
  // OPT, TKEY, MAILA.
  for (const type of ['UNKNOWN_41', 'UNKNOWN_249', 'UNKNOWN_254'])
    assert.equal((await ask({ name: ORIGIN, type })).rcode, NOTIMP, type);
});

test('the flags of a query that are known come back, and no others', async (t) => {
  const { ask } = await start(t);
  // RD, Z, AD and CD.
  const { bytes } = await ask({ name: ORIGIN, type: 'SOA', flags: 0x0170 });
  assert.equal(bytes.readUInt16BE(2), 0x8000 | 0x0400 | 0x0100 | 0x0010);
});

test('a response that does not fit is truncated, and comes whole over TCP', async (t) => {
  const { ask } = await start(t);
  const name = `many.${ORIGIN}`;
  for (const edns of [undefined, { udpPayloadSize: 65_535 }, { udpPayloadSize: 0 }]) {
    const response = await ask({ name, ...(edns && { edns }) });
    assert.equal(response.flag_tc, true);
    assert.equal(response.flag_aa, true);
    assert.deepEqual(response.answers, []);
  }
  const whole = await ask({ name, isTcp: true });
  assert.equal(whole.flag_tc, false);
  assert.equal(whole.answers?.length, 40);
});

test('addresses of name servers are left out where they do not fit, without truncation', async (t) => {
  const servers = Array.from({ length: 9 }, (_, i) => `ns${i}.${ORIGIN}`);
  const [soa] = ZONE.records;
  const zone = {
    origin: ORIGIN,
    records: [
      soa as typeof SOA,
      ...servers.flatMap((data, i) => [
        { name: ORIGIN, type: 'NS', ttl: 60, data } as const,
        { name: data, type: 'AAAA', ttl: 60, data: `2001:db8::${i}` } as const,
      ]),
    ],
  };
  const { ask } = await start(t, { zone });
  const response = await ask({ name: ORIGIN, type: 'NS' });
  assert.equal(response.flag_tc, false);
  assert.equal(response.answers?.length, 9);
  assert.ok((response.additionals?.length ?? 0) < 9);
  assert.ok(response.bytes.length <= 512);
});

test('EDNS: its version, its options, and one record of it (RFC 6891)', async (t) => {
  const { server, ask } = await start(t);
  assert.equal((await ask({ name: ORIGIN })).edns, undefined);
  const plain = await ask({ name: ORIGIN, edns: { flags: 0x7fff } });
  assert.equal(plain.edns?.udpPayloadSize, 1_232);
  assert.equal(plain.edns?.flags, 0, 'unknown flags do not come back');
  const signed = await ask({ name: ORIGIN, type: 'SOA', edns: { flags: 0x8000 } });
  assert.equal(signed.edns?.flag_do, true);
  assert.equal(signed.answers?.length, 1);
  const later = await ask({ name: ORIGIN, type: 'SOA', edns: { ednsVersion: 1 } });
  assert.equal(later.edns?.extendedRcode, 1, 'BADVERS is 16');
  assert.equal(later.rcode, 0);
  assert.deepEqual(later.answers, []);
  const unknown = { code: 65_001, data: Buffer.from('x') } as never;
  const passed = await ask({ name: ORIGIN, type: 'SOA', edns: { options: [unknown] } });
  assert.equal(passed.answers?.length, 1);
  assert.equal(passed.edns?.options.length, 0);
  const one = queryBytes({ name: ORIGIN, edns: {} });
  const opt = one.subarray(one.length - 11);
  const two = Buffer.concat([one, opt]);
  two.writeUInt16BE(2, 10);
  const refused = await sendUdp(server.port, two);
  assert.equal(refused && readResponse(refused).rcode, FORMERR);
});

test('two questions, or none, are an error; a response gets none', async (t) => {
  const { server } = await start(t);
  const query = queryBytes({ name: ORIGIN });
  const two = Buffer.concat([query, query.subarray(12)]);
  two.writeUInt16BE(2, 4);
  const none = query.subarray(0, 12);
  none.writeUInt16BE(0, 4);
  for (const bytes of [two, Buffer.from(none)]) {
    const response = await sendUdp(server.port, bytes);
    assert.equal(response && readResponse(response).rcode, FORMERR);
    assert.equal(response?.length, 12);
  }
  const reflected = queryBytes({ name: ORIGIN });
  reflected.writeUInt16BE(0x8000, 2);
  assert.equal(await sendUdp(server.port, reflected, 200), undefined);
});

test('a zone changes while it is served', async (t) => {
  const { server, ask } = await start(t);
  const name = `new.${ORIGIN}`;
  assert.equal((await ask({ name })).rcode, NXDOMAIN);
  const added = { name, type: 'TXT', ttl: 1, data: 'here' } as const;
  server.setZone({ ...ZONE, records: [...ZONE.records, added] });
  await until(async () => (await ask({ name })).rcode === NOERROR);
  server.setZone(ZONE);
  await until(async () => (await ask({ name })).rcode === NXDOMAIN);
});

test('what is no zone is refused, and the zone before stays', async (t) => {
  const { server, ask } = await start(t);
  const [soa, ns, ...rest] = ZONE.records;
  const wrong: [RegExp, typeof ZONE.records][] = [
    [/needs one SOA/, [ns as typeof SOA, ...rest]],
    [/needs one SOA/, [soa as typeof SOA]],
    [
      /not in the zone/,
      [...ZONE.records, { name: 'a.example', type: 'A', ttl: 1, data: '192.0.2.1' }],
    ],
    [
      /different TTLs/,
      [...ZONE.records, { name: `claim.${ORIGIN}`, type: 'TXT', ttl: 2, data: '' }],
    ],
    [
      /not alone/,
      [...ZONE.records, { name: `away.${ORIGIN}`, type: 'A', ttl: 1, data: '192.0.2.1' }],
    ],
    [
      /not a name/,
      [...ZONE.records, { name: `a..${ORIGIN}`, type: 'A', ttl: 1, data: '192.0.2.1' }],
    ],
    [
      /delegated/,
      [...ZONE.records, { name: `sub.${ORIGIN}`, type: 'NS', ttl: 1, data: 'ns.test' }],
    ],
  ];
  for (const [message, records] of wrong)
    assert.throws(() => server.setZone({ origin: ORIGIN, records }), {
      name: 'RangeError',
      message,
    });
  assert.equal((await ask({ name: `claim.${ORIGIN}` })).answers?.length, 2);
});

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await isTrue())) assert.ok(Date.now() < deadline, 'it does not change');
}
