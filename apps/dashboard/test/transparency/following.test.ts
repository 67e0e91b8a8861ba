import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { UserError } from '@petstore/service/user-error.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { namesOf } from '../../server/src/transparency/certificate-names.ts';
import {
  followLog,
  type LogPosition,
  SplitViewError,
} from '../../server/src/transparency/follow-log.ts';
import type { LogEntry } from '../../server/src/transparency/log-entry.ts';
import { readLogList } from '../../server/src/transparency/log-list.ts';
import { readPosition, writePosition } from '../../server/src/transparency/log-position.ts';
import { openLog } from '../../server/src/transparency/open-log.ts';
import { foreignCertificate, type Logged } from './support/certificates.ts';
import { type LocalLog, logListOf, startLocalLog } from './support/local-log.ts';

const KINDS = ['static', 'rfc6962'] as const;

const filler = (await foreignCertificate(['filler.example'])).certificate;
const fill = (count: number): Logged[] => Array.from({ length: count }, () => filler);

/** Follows a log as a process does, which keeps nothing in memory between two looks. */
async function followerOf(t: TestContext, local: LocalLog) {
  const [log] = readLogList(await logListOf(t, [local]));
  assert.ok(log);
  let stored: string | undefined;
  const read: LogEntry[] = [];
  const handled: number[] = [];
  const follower = {
    read,
    /** How many entries were in memory together, each time. */
    handled,
    /** The clock, in milliseconds. */
    at: 0,
    position: (): LogPosition | undefined =>
      stored === undefined ? undefined : readPosition(stored),
    async look({ saves = Number.POSITIVE_INFINITY } = {}) {
      let left = saves;
      const { signal } = t;
      await followLog({
        ...{ log, signal, now: () => follower.at },
        reader: openLog(log, { email: 'ops@example.test', signal }),
        position: follower.position(),
        handle: async (entries) => {
          handled.push(entries.length);
          read.push(...entries);
        },
        save: async (position) => {
          stored = writePosition(position);
          left -= 1;
          return left > 0;
        },
      });
    },
    /** The names that were read since, each with its index. */
    names: () =>
      read.splice(0).flatMap((entry) => namesOf(entry).map((name) => `${entry.index} ${name}`)),
  };
  return follower;
}

for (const kind of KINDS) {
  test(`a log is read from its end on, and everything once (${kind})`, async (t) => {
    const local = await startLocalLog(t, kind);
    const { certificate, precertificate } = await foreignCertificate(['docs.example.com']);
    local.add(certificate, ...fill(298));
    const follower = await followerOf(t, local);
    await follower.look();
    assert.deepEqual(follower.names(), [], 'nothing of what was there before');
    assert.equal(follower.position()?.edge.size, 299);
    local.add(precertificate);
    await follower.look();
    // A static log's last tile is not full: it is read once nothing more comes.
    await follower.look();
    assert.deepEqual(follower.names(), ['299 docs.example.com']);
    await follower.look();
    local.add(...fill(1_300), certificate, ...fill(300));
    // A process that ends in between: the next one goes on where it was.
    await follower.look({ saves: 2 });
    const between = follower.position()?.edge.size ?? 0;
    assert.ok(between > 300 && between <= 1_901, `${between}`);
    await follower.look();
    await follower.look();
    const names = follower.names();
    assert.equal(names.length, 1_601);
    assert.deepEqual(
      names.map((name) => Number(name.split(' ')[0])),
      Array.from({ length: 1_601 }, (_, at) => 300 + at),
    );
    assert.ok(names.includes('1600 docs.example.com'));
    assert.deepEqual([...local.agents], ['petstore-dashboard/0.1 (mailto:ops@example.test)']);
    const asked = local.asked.filter((path) => path.includes('data/') || path.includes('entries'));
    assert.ok(asked.length < 40, `${asked.length} requests for entries`);
  });

  test(`an empty log is followed from its first entry (${kind})`, async (t) => {
    const local = await startLocalLog(t, kind);
    const follower = await followerOf(t, local);
    await follower.look();
    local.add(...fill(2));
    await follower.look();
    await follower.look();
    assert.equal(follower.names().length, 2);
  });

  test(`a log that shows two histories is caught, whichever way it does (${kind})`, async (t) => {
    const local = await startLocalLog(t, kind);
    local.add(...fill(280));
    const other = (await foreignCertificate(['other.example'])).certificate;
    const caught = async (change: () => void, title: string, error = 'SplitViewError') => {
      const follower = await followerOf(t, local);
      await follower.look();
      const before = writePosition(follower.position() as LogPosition);
      change();
      await assert.rejects(follower.look(), { name: error }, title);
      await assert.rejects(follower.look(), { name: error }, title);
      assert.equal(writePosition(follower.position() as LogPosition), before, 'it stays there');
      assert.deepEqual(follower.names(), [], 'nothing is told of what is not in the tree');
      local.restore();
    };
    await caught(() => {
      local.forget(1);
      local.add(other);
    }, 'the same size, another tree');
    await caught(() => {
      local.forget(2);
      local.add(other, ...fill(9));
    }, 'a larger tree that does not continue the one before');
    // The tiles of the larger tree are gone then, and with them the proof.
    const error = kind === 'static' ? 'LogResponseError' : 'SplitViewError';
    const smaller = () => {
      local.forget(9);
      local.add(other);
    };
    await caught(smaller, 'a smaller tree that is not its beginning', error);
  });

  test(`entries that are not those of the tree are not believed (${kind})`, async (t) => {
    const local = await startLocalLog(t, kind);
    local.add(...fill(3));
    const follower = await followerOf(t, local);
    await follower.look();
    const path = kind === 'static' ? /^tile\/data/ : /get-entries/;
    local.add(...fill(300));
    local.alter(path, (body) =>
      kind === 'static'
        ? Buffer.from(
            body.toString('latin1').replaceAll('filler.example', 'docs12.example'),
            'latin1',
          )
        : Buffer.from(body.toString().replace('"leaf_input":"AAAAAA', '"leaf_input":"AAAAAB')),
    );
    await assert.rejects(follower.look(), SplitViewError);
    local.restore();
    for (const change of [
      () => Buffer.alloc(0),
      (body: Buffer) => body.subarray(0, -1),
      () => Buffer.from('{"entries":[]}'),
      () => Buffer.from('{"entries":[null]}'),
    ]) {
      local.alter(path, change);
      await assert.rejects(follower.look(), { name: /LogResponseError|BadEntryError/ });
      local.restore();
    }
    await follower.look();
    await follower.look();
    assert.equal(follower.names().length, 300);
  });

  test(`an earlier head, as a cache gives it, changes nothing (${kind})`, async (t) => {
    const local = await startLocalLog(t, kind);
    local.add(...fill(10));
    const follower = await followerOf(t, local);
    await follower.look();
    const before = await fetch(local.url + (kind === 'static' ? 'checkpoint' : 'ct/v1/get-sth'));
    const earlier = Buffer.from(await before.arrayBuffer());
    local.add(...fill(5));
    await follower.look();
    await follower.look();
    assert.equal(follower.names().length, 5);
    local.alter(/checkpoint|get-sth$/, () => earlier);
    await follower.look();
    assert.equal(follower.position()?.head.size, 15);
  });
}

test('entries that a log has made large are not all in memory at once', async (t) => {
  const local = await startLocalLog(t, 'static');
  local.add(filler);
  const follower = await followerOf(t, local);
  await follower.look();
  const large: Logged = { ...filler, der: Buffer.alloc(63_000) };
  local.add(...fill(255), ...Array.from({ length: 256 }, () => large), ...fill(256));
  await follower.look();
  assert.deepEqual(follower.handled, [511, 256]);
});

test('a tile that is not full yet is read when it is, or when its entries have waited for a minute', async (t) => {
  const local = await startLocalLog(t, 'static');
  local.add(...fill(200));
  const follower = await followerOf(t, local);
  await follower.look();
  const dataAsked = () => local.asked.filter((path) => path.startsWith('tile/data')).length;
  for (const _ of [1, 2, 3]) {
    local.add(filler);
    follower.at += 10_000;
    await follower.look();
  }
  assert.equal(dataAsked(), 0, 'others follow, so it fills up');
  follower.at += 30_000;
  local.add(filler);
  await follower.look();
  assert.equal(follower.names().length, 4);
  // The log may drop a partial tile as soon as there is the full one.
  local.add(...fill(60));
  local.refuse(/\.p\//, 404);
  await assert.rejects(follower.look(), { name: 'LogResponseError' });
  local.restore();
  await follower.look();
  assert.equal(follower.position()?.edge.size, 256);
  local.add(...fill(300));
  await follower.look();
  assert.equal(follower.position()?.edge.size, 512);
});

test('a list of logs says what is wrong with it, and leaves out what is not to be followed', async (t) => {
  const file = join(await temporaryFolder(t), 'list.json');
  const local = await startLocalLog(t, 'rfc6962');
  const good = await logListOf(t, [local]);
  const [log] = readLogList(good);
  const key = log?.key.export({ type: 'spki', format: 'der' }).toString('base64');
  const listed = (...logs: object[]) => ({ operators: [{ logs }] });
  const wrong: [value: unknown, message: RegExp][] = [
    ['{', /which is not JSON: it must be a log list in version 3/],
    [{}, /has no "operators"/],
    [{ operators: [] }, /has no log to follow/],
    [listed({ url: 'ftp://log.test', key }), /has no http or https address of ftp:\/\/log\.test/],
    [listed({ description: 'L1', url: 'https://log.test', key: 'abc' }), /has no "key" of L1/],
    [
      listed({ url: 'https://log.test', key, temporal_interval: { end_exclusive: 'soon' } }),
      /"temporal_interval"/,
    ],
    [listed({ url: 'https://log.test', key, state: { retired: {} } }), /has no log to follow/],
  ];
  for (const [value, message] of wrong) {
    writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
    assert.throws(
      () => readLogList(file),
      (error) => error instanceof UserError && message.test(error.message),
      String(message),
    );
  }
  assert.throws(() => readLogList(`${file}.none`), /cannot be read \(ENOENT\)/);
  writeFileSync(
    file,
    JSON.stringify({
      operators: [
        {
          tiled_logs: [
            {
              description: 'Tiles',
              key,
              submission_url: 'https://rome.ct.example.com/2026h1/',
              monitoring_url: 'https://rome2026h1.bucket.example.org',
              temporal_interval: { end_exclusive: '2026-07-01T00:00:00Z' },
            },
          ],
        },
      ],
    }),
  );
  const [tiles] = readLogList(file);
  assert.deepEqual(
    { ...tiles, key: null },
    {
      id: log?.id,
      description: 'Tiles',
      kind: 'static',
      url: 'https://rome2026h1.bucket.example.org/',
      origin: 'rome.ct.example.com/2026h1',
      key: null,
      endsAt: Date.UTC(2026, 6, 1),
    },
  );
});
