import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onSharedEngines as test } from '@petstore/test-support/engines.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { encodeCursor } from '../../src/http/pages.ts';
import { INT64_MAX } from '../../src/int64.ts';
import { generateKey } from '../../src/keys/key.ts';
import { OWN_STORE } from '../../src/store/own-store.ts';
import { assertError } from '../support/assert-error.ts';
import { readMetrics } from '../support/metrics.ts';
import { type Service, startService } from '../support/service.ts';

interface Event {
  readonly id: string;
  readonly type: string;
  readonly createdAt: string;
  readonly data: Record<string, unknown>;
}

const rex = '{"name":"Rex","categoryId":9007199254740993}';

const ids = (events: Event[]) => events.map(({ id }) => id);

async function eventsAt(service: Service, path: string): Promise<Event[]> {
  const response = await service.get(path);
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()) as Event[];
}

async function create(service: Service, count: number): Promise<void> {
  for (let i = 0; i < count; i++) assert.equal((await service.post('/pets', rex)).status, 201);
}

/** A stream as it comes, in pieces that a pattern ends. */
class Following {
  readonly response: Response;
  readonly #reader;
  readonly #decoder = new TextDecoder();
  text = '';

  constructor(response: Response) {
    this.response = response;
    this.#reader = (response.body as ReadableStream<Uint8Array>).getReader();
  }

  /** All that came so far, as soon as it matches. */
  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.text.slice(-100_000))) {
      const { value, done } = await this.#reader.read();
      assert.ok(!done, `the stream ended: ${this.text}`);
      this.text += this.#decoder.decode(value, { stream: true });
    }
    return this.text;
  }

  async end(): Promise<void> {
    while (!(await this.#reader.read()).done);
  }

  leave(): Promise<void> {
    return this.#reader.cancel();
  }
}

async function follow(
  t: TestContext,
  service: Service,
  accept: string,
  path = '/events',
  headers: Record<string, string> = {},
): Promise<Following> {
  const response = await service.call(path, { headers: { accept, ...headers } });
  assert.equal(response.status, 200, response.ok ? '' : await response.text());
  const following = new Following(response);
  cleanUp(t, () => following.leave().catch(() => {}));
  return following;
}

const streamRequest = ({ key }: Service) =>
  `GET /v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nAccept: application/jsonl\r\n\r\n`;

/** Sends bytes on a connection of its own; both of its ends. */
async function ask(t: TestContext, service: Service, bytes: string) {
  const accepted = once(service.app.server, 'connection');
  const client = connect(service.port, '127.0.0.1').on('error', () => {});
  cleanUp(t, () => client.destroy());
  client.write(bytes);
  const [socket] = (await accepted) as [Socket];
  return { client, socket };
}

test('events come oldest first, in pages with a link, with every digit', async (t) => {
  const service = await startService(t);
  assert.deepEqual(await eventsAt(service, '/events'), []);
  await create(service, 5);
  await service.call('/pets/2', { method: 'DELETE' });
  const first = await service.get('/events?limit=4');
  assert.equal(first.headers.get('cache-control'), 'no-store');
  const text = await first.text();
  assert.match(text, /"data":\{"id":1,"name":"Rex","categoryId":9007199254740993,/);
  const page: Event[] = JSON.parse(text);
  assert.deepEqual(ids(page), ['1', '2', '3', '4']);
  const next = /<(.*)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const second = await service.get(
    new URL(next).pathname.replace('/v1', '') + new URL(next).search,
  );
  assert.equal(second.headers.get('link'), null);
  const rest = (await second.json()) as Event[];
  assert.deepEqual(ids(rest), ['5', '6']);
  assert.deepEqual(rest.at(-1)?.type, 'pet.deleted');
  assert.ok(Math.abs(Date.parse(rest[0]?.createdAt ?? '') - Date.now()) < 3_600_000);
  assert.deepEqual(ids(await eventsAt(service, '/events?after=4&limit=1')), ['5']);
  assert.deepEqual(await eventsAt(service, '/events?after=latest'), []);
});

test('a position that is none, is still to come, or is no longer kept is an error that says so', async (t) => {
  const service = await startService(t);
  await create(service, 4);
  await assertError(await service.get('/events?cursor=abc'), 'invalid_cursor');
  await assertError(await service.get('/events?after=-1'), 'invalid_request', /after must be/);
  await assertError(await service.get('/events?after=9999999999999999999'), 'invalid_request');
  await assertError(await service.get('/events?after=1&cursor=AQAAAAAAAAAB'), 'invalid_request');
  for (const after of ['5', '9223372036854775757', '9223372036854775807']) {
    const path = `/events?after=${after}`;
    await assertError(await service.get(path), 'invalid_cursor', /newest is 4/);
  }
  const farthest = encodeCursor(INT64_MAX);
  await assertError(await service.get(`/events?cursor=${farthest}`), 'invalid_cursor');
  const before = new Date(Date.now() + 86_400_000);
  assert.equal(await service.store.events.sweep(OWN_STORE, { before, maxBytes: 1e9 }, 3), 3);
  const lost = /events 2 to 3 are no longer kept; the oldest is 4/;
  await assertError(await service.get('/events?after=1'), 'events_expired', lost);
  const stream = await service.call('/events?after=1', {
    headers: { accept: 'text/event-stream' },
  });
  await assertError(stream, 'events_expired', lost);
  assert.deepEqual(ids(await eventsAt(service, '/events')), ['4']);
});

test('server-sent events begin where the client was, and go on with what happens', async (t) => {
  const service = await startService(t);
  await create(service, 3);
  const path = '/events?after=1';
  const following = await follow(t, service, 'text/event-stream', path, { 'last-event-id': '2' });
  assert.match(following.response.headers.get('content-type') ?? '', /^text\/event-stream/);
  const begun = await following.until(/id: 3(.|\n)*\n\n$/);
  assert.match(begun, /^retry: 1000\n\nid: 3\nevent: pet.created\ndata: \{"id":"3",.*\}\n\n$/);
  await service.call('/pets/1', {
    method: 'PATCH',
    body: '{"name":"Max"}',
    headers: { 'content-type': 'application/merge-patch+json' },
  });
  await following.until(/id: 4\nevent: pet.updated\ndata: .*"name":"Max".*\n\n$/);
});

test('a stream from the latest event on says where it begins, for a client that connects anew before the first', async (t) => {
  const service = await startService(t);
  const position = ({ response }: Following) => response.headers.get('last-event-id');
  const fromNothing = await follow(t, service, 'text/event-stream', '/events?after=latest');
  assert.equal(position(fromNothing), '0');
  await create(service, 2);
  await fromNothing.until(/^retry: 1000\n\nid: 0\n\nid: 1\nevent/);
  const late = await follow(t, service, 'text/event-stream', '/events?after=latest');
  const lines = await follow(t, service, 'application/jsonl', '/events?after=latest');
  assert.deepEqual([position(late), position(lines)], ['2', '2']);
  await create(service, 1);
  await late.until(/^retry: 1000\n\nid: 2\n\nid: 3\nevent/);
  await lines.until(/^{"id":"3"/);
  for (const path of ['/events', '/events?after=2']) {
    assert.equal(position(await follow(t, service, 'application/jsonl', path)), null);
  }
});

test('a stream whose read fails while it catches up reads again, though nothing happens', async (t) => {
  const service = await startService(t);
  await create(service, 1);
  const { events } = service.store;
  const log = events.of(OWN_STORE);
  let looks = 0;
  let isFollowed = false;
  let failures = 0;
  t.mock.method(events, 'of', () => ({
    ...log,
    list: (after: bigint, limit: number) => {
      // The end of the log is read by the thousand, a page by a few.
      if (limit === 1_000) looks++;
      if (limit === 100 && isFollowed && failures++ === 0) throw new Error('The disk is away.');
      return log.list(after, limit);
    },
  }));
  // The first stream begins to follow the end of the log, for all.
  const first = await follow(t, service, 'application/jsonl');
  await first.until(/"1"/);
  await timeUntil(async () => looks >= 2);
  isFollowed = true;
  const second = await follow(t, service, 'application/jsonl');
  await second.until(/"1"/);
  assert.ok(failures > 1);
});

test('JSON lines go on, for several at once, each from its own position', async (t) => {
  const service = await startService(t);
  await create(service, 2);
  const all = await follow(t, service, 'application/x-ndjson, */*;q=0.1');
  const late = await follow(t, service, 'application/jsonl', '/events?after=latest');
  await create(service, 150);
  const [every, last] = await Promise.all([all.until(/"152".*\n$/), late.until(/"152".*\n$/)]);
  const read = (text: string) =>
    ids(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
  const upTo = (count: number) => Array.from({ length: count }, (_, i) => `${i + 1}`);
  assert.deepEqual(read(every), upTo(152));
  assert.deepEqual(read(last), upTo(152).slice(2));
});

test('a stream ends soon after its key was revoked, and at once when the service stops', async (t) => {
  const service = await startService(t);
  const { key, hash, record } = generateKey('other', 'production', new Date());
  await service.store.keys.add({ key, hash, record });
  const other = await follow(t, service, 'application/jsonl', '/events', {
    authorization: `Bearer ${key}`,
  });
  const own = await follow(t, service, 'application/jsonl', '/events');
  await service.store.keys.revoke(record.id, new Date());
  await other.end();
  await create(service, 1);
  await own.until(/pet\.created/);
  const closed = service.app.close();
  await own.end();
  await closed;
});

test('a key has so many streams, and the service has', async (t) => {
  const service = await startService(t, {
    config: { maxEventStreams: 3, maxEventStreamsPerKey: 2 },
  });
  const accept = { headers: { accept: 'text/event-stream' } };
  const { key, hash, record } = generateKey('other', 'production', new Date());
  await service.store.keys.add({ key, hash, record });
  const first = await follow(t, service, 'text/event-stream');
  await follow(t, service, 'text/event-stream');
  await assertError(await service.call('/events', accept), 'rate_limited', /2 streams/);
  const others = { headers: { ...accept.headers, authorization: `Bearer ${key}` } };
  const other = new Following(await service.call('/events', others));
  assert.equal(other.response.status, 200);
  const full = await service.call('/events', others);
  assert.equal(full.headers.get('retry-after'), '5');
  await assertError(
    full,
    'unavailable',
    /^Too many streams of events are open\. Try again in 5 seconds\.$/,
  );
  await first.leave();
  await other.leave();
  // They are forgotten when the service hears of it.
  for (;;) {
    const again = await service.call('/events', accept);
    await again.body?.cancel();
    if (again.status === 200) break;
  }
  assert.deepEqual(await eventsAt(service, '/events'), []);
});

test('of streams that are asked for at once no more are opened than a key may have', async (t) => {
  const service = await startService(t, { config: { maxEventStreamsPerKey: 4 } });
  const headers = { accept: 'text/event-stream' };
  const asked = Array.from({ length: 30 }, () => service.call('/events', { headers }));
  const statuses = (await Promise.all(asked)).map(({ status, body }) => {
    cleanUp(t, () => body?.cancel());
    return status;
  });
  assert.deepEqual(statuses.sort(), [...Array(4).fill(200), ...Array(26).fill(429)]);
});

test('a client that leaves before its stream begins takes up none of the streams', async (t) => {
  const service = await startService(t, { config: { maxEventStreamsPerKey: 1 } });
  const { events } = service.store;
  const log = events.of(OWN_STORE);
  const left = Promise.withResolvers<void>();
  let waiting = 0;
  const held = t.mock.method(events, 'of', () => ({
    ...log,
    async list(after: bigint, limit: number) {
      waiting++;
      await left.promise;
      return log.list(after, limit);
    },
  }));
  for (let asked = 1; asked <= 3; asked++) {
    const { client, socket } = await ask(t, service, streamRequest(service));
    await timeUntil(async () => waiting === asked);
    client.destroy();
    await once(socket, 'close');
  }
  held.mock.restore();
  left.resolve();
  await follow(t, service, 'text/event-stream');
  const { value } = await readMetrics(service.origin);
  assert.equal(value('petstore_events_streams'), 1);
});

test('streams that a client asked for one behind the other are forgotten once it leaves', async (t) => {
  const service = await startService(t);
  const { client } = await ask(t, service, streamRequest(service).repeat(3));
  const open = async () => (await readMetrics(service.origin)).value('petstore_events_streams');
  await timeUntil(async () => (await open()) === 3);
  client.destroy();
  await timeUntil(async () => (await open()) === 0);
});

test('a client that does not read loses its connection, and the others go on', async (t) => {
  const service = await startService(t, { config: { responseTimeoutMs: 1_000 } });
  const reading = await follow(t, service, 'application/jsonl');
  const { client, socket } = await ask(t, service, streamRequest(service));
  client.pause();
  const gone = once(socket, 'close');
  const everything = reading.until(/the last one/);
  let isGone = false;
  void gone.then(() => {
    isGone = true;
  });
  const long = { name: '🐈'.repeat(255), categoryId: 1n, status: 'available' } as const;
  let count = 0;
  while (!isGone) {
    const { pets } = service.store;
    await Promise.all(Array.from({ length: 1_000 }, () => pets.create(long)));
    count += 1_000;
    assert.ok(count < 100_000, 'the slow one still has its connection');
  }
  await service.store.pets.create({ ...long, name: 'the last one' });
  await everything;
});

test('an Accept header chooses, and HEAD has no body', async (t) => {
  const service = await startService(t);
  await create(service, 1);
  for (const accept of [
    '*/*',
    'text/html',
    'application/json',
    'text/event-stream;q=0.5, application/*',
  ]) {
    const response = await service.call('/events', { headers: { accept } });
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/, accept);
    await response.text();
  }
  const headers = { accept: 'text/event-stream' };
  const head = await service.call('/events', { method: 'HEAD', headers });
  assert.equal(head.status, 200);
  assert.equal(await head.text(), '');
});

test('events need their scope, which a key of before has not', async (t) => {
  const service = await startService(t, { scopes: ['pets:read', 'pets:write', 'orders:read'] });
  await assertError(await service.get('/events'), 'forbidden', /events:read/);
});
