import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { startNameServer } from '@petstore/lab/name-server/name-server.ts';
import type { ZoneRecord } from '@petstore/lab/name-server/zone-record.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { assertWithin, cpuTimeOf, watchTurns } from '@petstore/test-support/within.ts';
import {
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  type Question,
  TRUNCATED_RESPONSE,
} from 'dns-packet';
import fc from 'fast-check';
import { checkDns } from '../../../server/src/domains/check-dns.ts';
import { readAnswer, writeQuery } from '../../../server/src/domains/dns/message.ts';
import { bomb, flood } from './support/bomb.ts';
import { expectationOf, PLATFORM, PLATFORM_ZONE, TARGET } from './support/model-dns.ts';

const DOCS = 'docs.example.com';
const SERVERS = 6;

const query = (type: 'A' | 'CAA' | 'CNAME' | 'MX' | 'NS' | 'TXT') =>
  writeQuery({ name: DOCS, type, isRecursive: false }, { edns: true });

test('an answer costs little to read, whatever it points to and however long it is', () => {
  for (const type of ['A', 'CNAME', 'MX', 'NS', 'TXT', 'CAA'] as const) {
    for (const bytes of [1_232, 4_000, 8_192, 65_535]) {
      const asked = query(type);
      const message = bomb(asked.id, { name: DOCS, type }, { bytes, type });
      const once = () => void readAnswer(asked, message);
      for (let i = 0; i < 20; i++) once();
      const took = Math.min(...Array.from({ length: 10 }, () => cpuTimeOf(once)));
      assert.ok(took < 1, `${type}, ${bytes} bytes: ${took} ms`);
    }
  }
});

test('reading never throws and is never slow, whatever the bytes are', () => {
  const asked = query('CNAME');
  const right = encode({
    type: 'response',
    id: asked.id,
    questions: [{ name: DOCS, type: 'CNAME' }],
    answers: [
      { name: DOCS, type: 'CNAME', ttl: 60, data: TARGET },
      { name: DOCS, type: 'AAAA', ttl: 60, data: '2001:db8::1' },
      { name: DOCS, type: 'MX', ttl: 60, data: { preference: 1, exchange: `mx.${DOCS}` } },
      { name: DOCS, type: 'TXT', ttl: 60, data: ['a', 'b'] },
      { name: DOCS, type: 'CAA', ttl: 60, data: { flags: 0, tag: 'issue', value: 'ca.test' } },
    ],
  });
  const long = bomb(asked.id, { name: DOCS, type: 'CNAME' }, { bytes: 2_000, type: 'MX' });
  const changes = fc.array(fc.tuple(fc.nat(2_000), fc.nat(255)), { maxLength: 20 });
  const messages = fc.oneof(
    fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
    fc.tuple(fc.constantFrom(right, long), changes, fc.nat(2_000)).map(([base, changed, cut]) => {
      const message = Buffer.from(base);
      // The rest is not looked at when these are not the query's.
      const from = 12 + asked.questionBytes.length;
      for (const [at, value] of changed) {
        message[from + (at % (message.length - from))] = value;
      }
      return cut % 3 === 0 ? message.subarray(0, cut) : message;
    }),
  );
  fc.assert(
    fc.property(messages, (message) => {
      // With room for the compiler and the collector of garbage.
      assert.ok(cpuTimeOf(() => readAnswer(asked, message)) < 25);
    }),
    { numRuns: 5_000 },
  );
  const answer = readAnswer(asked, right);
  assert.ok(typeof answer === 'object' && answer.kind === 'found');
  assert.deepEqual(
    answer.records.map(({ type, value }) => `${type} ${value}`),
    [`CNAME ${TARGET}`, 'AAAA 2001:db8::1', `MX 1 mx.${DOCS}`, 'TXT ab', 'CAA 0 issue "ca.test"'],
  );
});

test('a dot within a label does not make it the name that it looks like', () => {
  const asked = query('CNAME');
  const right = encode({
    type: 'response',
    id: asked.id,
    questions: [{ name: DOCS, type: 'CNAME' }],
    answers: [{ name: DOCS, type: 'CNAME', ttl: 60, data: 'aaa.bbb' }],
  });
  const at = right.lastIndexOf('aaa');
  const joined = Buffer.from(right);
  joined[at - 1] = 7;
  joined[at + 3] = '.'.charCodeAt(0);
  for (const [message, value] of [
    [right, 'aaa.bbb'],
    [joined, 'aaa\\046bbb'],
  ] as const) {
    const answer = readAnswer(asked, message);
    assert.ok(typeof answer === 'object' && answer.kind === 'found');
    assert.equal(answer.records[0]?.value, value);
  }
});

type AnswerOf = (id: number, question: Question) => Buffer;

/** Six servers of example.com, which give as much to read as they can over UDP or TCP. */
async function startHostile(t: TestContext, answerOf: AnswerOf) {
  const names = Array.from({ length: SERVERS }, (_, i) => `ns${i}.example.com`);
  const zone: ZoneRecord[] = names.flatMap((value, i): ZoneRecord[] => [
    { name: 'example.com', type: 'NS', value },
    { name: value, type: 'A', value: `127.0.0.${i + 2}` },
  ]);
  const resolver = await startNameServer({
    zones: { 'example.com': zone, [PLATFORM]: PLATFORM_ZONE },
  });
  cleanUp(t, resolver.close);
  const asked: string[] = [];
  const bombs = new Map<string, Buffer>();
  const answer = (message: Buffer) => {
    const { id = 0, questions = [] } = decode(message);
    const [question = { name: '.', type: 'A' }] = questions;
    const key = `${question.name} ${question.type}`;
    const made = bombs.get(key) ?? answerOf(id, question);
    bombs.set(key, made);
    made.writeUInt16BE(id, 0);
    return made;
  };
  for (let i = 0; i < SERVERS; i++) {
    const address = `127.0.0.${i + 2}`;
    const udp = createSocket('udp4');
    udp.on('message', (message, from) => {
      asked.push(address);
      const { id = 0, questions = [] } = decode(message);
      const flags = TRUNCATED_RESPONSE | AUTHORITATIVE_ANSWER;
      udp.send(encode({ type: 'response', id, flags, questions }), from.port, from.address);
    });
    udp.bind(resolver.port, address);
    const tcp = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        const made = answer(data.subarray(2));
        const length = Buffer.alloc(2);
        length.writeUInt16BE(made.length);
        socket.write(Buffer.concat([length, made]));
      });
    }).listen(resolver.port, address);
    await Promise.all([once(udp, 'listening'), once(tcp, 'listening')]);
    cleanUp(t, () => {
      udp.close();
      tcp.close();
    });
  }
  const check = (arePrivateAllowed: boolean) =>
    checkDns(expectationOf(DOCS), {
      servers: [resolver.server],
      authoritativePort: resolver.port,
      arePrivateAllowed,
    });
  return { check, asked };
}

/** So that a server counts as the zone's, and is asked everything, it says so in few words. */
const bombOf =
  (bytes: number): AnswerOf =>
  (id, question) =>
    bomb(id, question, { bytes: question.type === 'SOA' ? 300 : bytes, type: 'NS' });

const HOSTILE: Record<string, AnswerOf> = {
  '3 kB of pointers': bombOf(3_000),
  '8 kB of pointers': bombOf(8_000),
  '64 kB of pointers': bombOf(65_000),
  'as many records as may be': (id, question) => flood(id, question, 8_192),
};

for (const [what, answerOf] of Object.entries(HOSTILE)) {
  test(`six servers that answer with ${what} hold nobody up`, async (t) => {
    const { check, asked } = await startHostile(t, answerOf);
    await check(true);
    // The servers are in this process, too: what they do counts as well.
    await assertWithin(50, async () => {
      const turns = watchTurns();
      const { verdict } = await check(true);
      assert.notEqual(verdict.code, 'verified');
      return turns.end();
    });
    assert.equal(new Set(asked).size, 4, 'so many of a zone’s servers are enough');
  });
}

test('a zone’s servers at private addresses are asked only where that is allowed', async (t) => {
  const { check, asked } = await startHostile(t, bombOf(500));
  const { verdict } = await check(false);
  assert.equal(verdict.code, 'no_record', 'the resolver decides');
  assert.equal(asked.length, 0);
  await check(true);
  assert.ok(asked.length > 0);
});
