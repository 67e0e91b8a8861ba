import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuTimeOf } from '@petstore/test-support/within.ts';
import { decode } from 'dns-packet';
import fc from 'fast-check';
import { createResponder } from '../src/responder.ts';
import { queryBytes, readResponse, sendUdp, start } from './support/ask.ts';
import { ORIGIN, ZONE } from './support/zone.ts';

/** Of each kind of bytes. */
const RUNS = 20_000;

function responder() {
  const made = createResponder({ rate: { perSecond: 0, burst: 0 } });
  made.setZone(ZONE);
  return made;
}

/** What must hold of every response, whatever it is a response to. */
function checkResponse(message: Buffer, response: Buffer | undefined, isTcp: boolean): void {
  if (message.length < 12 || (message[2] as number) & 0x80) {
    assert.equal(response, undefined, 'no query');
    return;
  }
  assert.ok(response, 'each query has a response');
  assert.equal(response.readUInt16BE(0), message.readUInt16BE(0), 'the same id');
  assert.ok(response.readUInt16BE(2) & 0x8000, 'a response');
  assert.ok(response.length <= (isTcp ? 65_535 : 1_232));
  // A reader of somebody else's finds records, all of them, and nothing behind.
  const packet = decode(response);
  assert.equal(decode.bytes, response.length);
  assert.ok((packet.questions?.length ?? 0) <= 1);
}

const names = fc.oneof(
  fc.constantFrom(
    ORIGIN,
    ...ZONE.records.map(({ name }) => name),
    `x.wild.${ORIGIN}`,
    'example.com',
    '.',
  ),
  fc
    .array(fc.stringMatching(/^[a-z0-9_-]{1,63}$/), { minLength: 1, maxLength: 3 })
    .map((labels) => [...labels, ORIGIN].join('.')),
);

const queries = fc
  .record({
    name: names,
    type: fc.constantFrom(
      'A',
      'AAAA',
      'TXT',
      'NS',
      'SOA',
      'CNAME',
      'CAA',
      'ANY',
      'AXFR',
      'UNKNOWN_64',
    ),
    flags: fc.nat(0x7fff),
    edns: fc.option(
      fc.record({
        udpPayloadSize: fc.nat(0xffff),
        ednsVersion: fc.constantFrom(0, 0, 0, 1),
        flags: fc.nat(0xffff),
        options: fc.array(
          fc.record({
            code: fc.constantFrom(10, 11, 12, 3, 65_001),
            data: fc.uint8Array({ maxLength: 48 }).map((bytes) => Buffer.from(bytes)),
          }),
          { maxLength: 3 },
        ),
      }),
      { nil: undefined },
    ),
  })
  .map(({ edns, ...query }) => queryBytes({ ...query, ...(edns && { edns: edns as never }) }));

test('any bytes have a whole response or none', () => {
  const { respond } = responder();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), fc.boolean(), (bytes, isTcp) => {
      const message = Buffer.from(bytes);
      checkResponse(
        message,
        respond(message, '192.0.2.1', isTcp ? { idleMs: 1 } : undefined),
        isTcp,
      );
    }),
    { numRuns: RUNS },
  );
});

test('queries with bytes that were changed, cut or added have a whole response', () => {
  const { respond } = responder();
  const changes = fc.array(fc.tuple(fc.nat(700), fc.nat(255)), { maxLength: 6 });
  const ends = fc.tuple(fc.nat(40), fc.uint8Array({ maxLength: 20 }));
  fc.assert(
    fc.property(queries, changes, ends, fc.boolean(), (query, changed, [cut, added], isTcp) => {
      const message = Buffer.concat([
        query.subarray(0, query.length - (cut % query.length)),
        added,
      ]);
      for (const [at, byte] of changed) message[at % message.length] = byte;
      checkResponse(
        message,
        respond(message, '2001:db8::1', isTcp ? { idleMs: 1 } : undefined),
        isTcp,
      );
    }),
    { numRuns: RUNS },
  );
});

test('queries of every form have a response that repeats the question, and no error of their form', () => {
  const { respond } = responder();
  fc.assert(
    fc.property(queries, (query) => {
      const opcode = (query.readUInt16BE(2) >> 11) & 0xf;
      const response = respond(query, '192.0.2.1');
      checkResponse(query, response, false);
      if (opcode !== 0 || !response) return;
      const { rcode, edns, additionals } = readResponse(response);
      const isMalformedOption = rcode === 1;
      if (isMalformedOption) return;
      assert.ok([0, 3, 5].includes(rcode), String(rcode));
      const end = query.indexOf(0, 12) + 5;
      assert.deepEqual(response.subarray(12, end), query.subarray(12, end));
      assert.equal(edns !== undefined, decode(query).additionals?.length === 1);
      assert.ok((additionals?.filter(({ type }) => type === 'OPT').length ?? 0) <= 1);
    }),
    { numRuns: RUNS },
  );
});

/** A header for one question, and what follows. */
const question = (...bytes: number[]) =>
  Buffer.from([0x12, 0x34, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...bytes]);

const HOSTILE: [string, Buffer][] = [
  ['a name that points to itself', question(0xc0, 12, 0, 16, 0, 1)],
  ['a name that points ahead', question(0xc0, 14, 0, 16, 0, 1)],
  ['a pointer after a label', question(1, 97, 0xc0, 12, 0, 16, 0, 1)],
  ['a label of a form that never was', question(0x41, 97, 0, 0, 16, 0, 1)],
  ['a label that the message does not have', question(63, 97, 0, 0, 16, 0, 1)],
  [
    'a name of 256 bytes',
    question(...Array.from({ length: 127 }, () => [1, 97]).flat(), 1, 97, 0, 0, 16, 0, 1),
  ],
  ['a question without its class', question(0, 0, 16)],
  ['no question where one is announced', question()],
];

for (const [what, bytes] of HOSTILE) {
  test(`${what} is an error of the form, and the server goes on`, async (t) => {
    const { server, ask } = await start(t);
    const response = await sendUdp(server.port, bytes);
    assert.equal(response && readResponse(response).rcode, 1);
    assert.equal(response?.length, 12, 'shorter than what was sent');
    assert.equal((await ask({ name: ORIGIN, type: 'SOA' })).answers?.length, 1);
  });
}

test('a name of 255 bytes, and labels of any bytes, are names', async (t) => {
  const { server } = await start(t);
  const longest = question(...Array.from({ length: 127 }, () => [1, 97]).flat(), 0, 0, 16, 0, 1);
  const binary = question(4, 0, 46, 255, 92, 0, 0, 16, 0, 1);
  for (const bytes of [longest, binary]) {
    const response = await sendUdp(server.port, bytes);
    assert.equal(response && response.readUInt16BE(2) & 0xf, 5, 'refused: of no zone here');
    assert.deepEqual(response?.subarray(12), bytes.subarray(12));
  }
});

test('records after the question are passed over, and have to be whole', async (t) => {
  const { server } = await start(t);
  const query = queryBytes({ name: ORIGIN, type: 'SOA' });
  const record = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 1, 0, 2, 1, 97]);
  const withRecord = Buffer.concat([query, record]);
  withRecord.writeUInt16BE(1, 10);
  const passed = await sendUdp(server.port, withRecord);
  assert.equal(passed && readResponse(passed).rcode, 0);
  for (const [what, bytes, count] of [
    ['cut', withRecord.subarray(0, -1), 1],
    ['more announced', withRecord, 60_000],
    ['more than announced', withRecord, 0],
  ] as const) {
    const changed = Buffer.from(bytes);
    changed.writeUInt16BE(count, 10);
    const response = await sendUdp(server.port, changed);
    assert.equal(response && readResponse(response).rcode, 1, what);
  }
});

test('the work for a message grows with its length alone', () => {
  const { respond } = responder();
  // As many records as fit, each a pointer, with counts that promise more.
  const record = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 1, 0, 0]);
  const message = Buffer.concat([queryBytes({ name: ORIGIN }), ...Array(5_000).fill(record)]);
  message.writeUInt16BE(65_535, 8);
  message.writeUInt16BE(65_535, 10);
  const took = cpuTimeOf(() => {
    for (let i = 0; i < 20; i += 1) respond(message, '192.0.2.1', { idleMs: 1 });
  });
  assert.ok(took / 20 < 20, 'milliseconds for 60 kB');
});
