import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
import fc from 'fast-check';
import { type Received, Receiver } from '../support/receiver.ts';
import { addSandbox, NOON } from '../support/sandboxes.ts';
import { type Service, startService } from '../support/service.ts';

// Nobody learns from their own responses what others have, or do: a client gets the same responses, to the byte, whether
// it is alone or others use their sandboxes and the service's own store at the same time. The requests are made from the
// document, so an operation that is added later is among them.

interface Operation {
  readonly method: string;
  readonly path: string;
}

/** A request in terms of what its client has seen, so that it can be sent in any store. */
interface Step {
  readonly operation: number;
  readonly id: number;
  readonly body: number;
  readonly query: number;
  readonly header: number;
  /** Which webhook it names instead of `id`: its client's first or second, or one that is none of its client's. */
  readonly webhook?: 0 | 1 | 'foreign';
}

const LEFT_OUT = new Set([
  // It ends the store of its own key, and nobody else's: see sandboxes.test.ts.
  'DELETE /sandbox',
  // They judge times and connections, which are others each time. That they know a client's own requests alone is below.
  ...['GET /report', 'GET /challenges/verdict', 'POST /challenges/verdict'],
]);

const BODIES = [
  ...[
    { name: 'Rex', categoryId: 3 },
    { name: 'Kim "ü" 🐈', categoryId: 9_007_199_254_740_993n },
  ],
  ...[{ petId: 4 }, { petId: 9 }, { petId: 52 }, { status: 'sold' }, { status: 'pending' }],
  ...[{ name: 'Moles' }, { name: 'dogs' }, { name: '7' }, {}, { name: '' }],
  ...[
    { fault: 'status=503', operations: ['listCategories'], times: 2 },
    { fault: 'status=429', operations: ['listOrders'], from: 2 },
  ],
].map((body) =>
  JSON.stringify(body, (_name, value) =>
    typeof value === 'bigint' ? JSON.rawJSON(`${value}`) : value,
  ),
);

/** Where rules of faults begin among the bodies: of two that add theirs, each has another one. */
const RULES = BODIES.findIndex((body) => body.includes('"fault"'));

const QUERIES = ['', '?limit=3', '?limit=100', '?status=available', '?status=placed', '?cursor=x'];

/** A client of one store: it remembers links and entity tags, and sends them again. */
class Client {
  readonly seen: string[] = [];
  readonly #service: Service;
  readonly #key: string;
  readonly #operations: readonly Operation[];
  readonly webhooks: string[] = [];
  readonly #foreign: readonly string[];
  #links: string[] = [];
  #tags: string[] = ['"none"'];

  /** `foreign`: webhooks of others, or ids that nobody has. */
  constructor(
    service: Service,
    key: string,
    operations: readonly Operation[],
    foreign: readonly string[],
  ) {
    this.#service = service;
    this.#key = key;
    this.#operations = operations;
    this.#foreign = foreign;
  }

  /** A request outside the steps. */
  call(path: string, method = 'GET', body?: object): Promise<Response> {
    return fetch(`${this.#service.origin}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  /**
   * Makes two webhooks. One is sent all events; the other one is disabled, so that nothing of it changes by itself, and has
   * a delivery that waits.
   */
  async addWebhooks(url: string, clock: { now: number }): Promise<void> {
    for (const events of [[], ['pet.created']]) {
      // Lists are by age, and then by ids, which are made by chance.
      clock.now++;
      const made = await this.call('/webhooks', 'POST', { url, events });
      assert.equal(made.status, 201, await made.clone().text());
      this.webhooks.push(((await made.json()) as { id: string }).id);
    }
    clock.now = NOON.getTime();
    const [, id = ''] = this.webhooks;
    const disabled = await this.call(`/webhooks/${id}`, 'PATCH', { state: 'disabled' });
    assert.equal(disabled.status, 200);
    const event = { id: '1', type: 'pet.created', data: { id: 1, name: this.#key.slice(-6) } };
    const delivery = { eventId: 1n, animal: '1', event: JSON.stringify(event), attempts: [] };
    const waiting = { ...delivery, state: 'waiting', nextAt: NOON.getTime() } as const;
    assert.ok(await this.#service.store.webhooks.redeliver(id, waiting, 10));
  }

  /** Its log, to the letter, and how many events are in it. */
  async log(): Promise<{ text: string; count: number }> {
    const text = await (await this.call('/events?limit=100')).text();
    const { length: count } = JSON.parse(text) as object[];
    assert.ok(count < 100);
    return { text, count };
  }

  async take({ operation, id, body, query, header, webhook }: Step): Promise<void> {
    const { method, path } = at(this.#operations, operation);
    const headers: Record<string, string> = { authorization: `Bearer ${this.#key}` };
    if (header % 4 === 1) headers['idempotency-key'] = `k${header % 3}`;
    if (header % 4 === 2) headers['if-none-match'] = at(this.#tags, header);
    if (header % 8 === 3) headers['if-match'] = at(this.#tags, header);
    // Whether it happens is by how many such requests there were in the sandbox.
    if (header % 8 === 7) headers['petstore-fault'] = 'status=503;rate=0.5;seed=7';
    const hasBody = method === 'POST' || method === 'PATCH';
    if (hasBody) headers['content-type'] = 'application/json';
    const named =
      webhook === undefined
        ? `${id}`
        : `${webhook === 'foreign' ? at(this.#foreign, query) : this.webhooks[webhook]}`;
    const plain = `/v1${path.replace(/\{\w+\}/, named)}${method === 'GET' ? at(QUERIES, query) : ''}`;
    const target = method === 'GET' && query % 3 === 0 ? (at(this.#links, query) ?? plain) : plain;
    const init = { method, headers, ...(hasBody && { body: at(BODIES, body) }) };
    const answer = await fetch(new URL(target, this.#service.origin), init);
    const link = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    if (link) this.#links = [...this.#links, link].slice(-5);
    const tag = answer.headers.get('etag');
    if (tag) this.#tags = [...this.#tags, tag].slice(-5);
    const kept = [...answer.headers].filter(([name]) => !OF_THE_REQUEST.has(name));
    const text = `${method} ${target} ${answer.status} ${JSON.stringify(kept)} ${await answer.text()}`;
    this.seen.push(text.replace(OF_THE_STORE, '*'));
  }

  /** How many requests the report of its sandbox knows. */
  async countReported(): Promise<number> {
    const headers = { authorization: `Bearer ${this.#key}` };
    const answer = await fetch(`${this.#service.origin}/v1/report`, { headers });
    const { requests } = (await answer.json()) as { requests: { count: number } };
    assert.ok(requests.count > 0);
    return requests.count;
  }
}

/** Differ from request to request. */
const OF_THE_REQUEST = new Set(['date', 'x-request-id', 'content-length']);

/** What is made of chance or of the time of the database, or names the store. */
const OF_THE_STORE =
  /sbx_\w+|key_\w+|wh_\w+|fault_\w+|"lastEventId":"\d+"|pk_sand_\w{38}|whsec_[\w+/=]+|"createdAt":"[^"]+"|"seed":\d+|"etag","[^"]+"/g;

function at<T>(items: readonly T[], place: number): T {
  return items[place % items.length] as T;
}

const small = fc.nat({ max: 1_000 });
const step: fc.Arbitrary<Step> = fc.record({
  ...{ operation: small, body: small, query: small, header: small },
  id: fc.integer({ min: 1, max: 56 }),
});
const steps = fc.array(step, { minLength: 40, maxLength: 40 });

test('whatever others do in their stores, a sandbox gives the responses that it would give alone', async (t) => {
  const config = {
    ...{ rateLimit: 100_000, sandboxesPerHour: 0, webhookPrivateAddresses: 'allow' as const },
  };
  const clock = { now: NOON.getTime() };
  const service = await startService(t, { config, now: () => clock.now });
  const { paths } = (await (await fetch(`${service.origin}/v1/openapi.json`)).json()) as {
    paths: Record<string, object>;
  };
  const operations = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
    )
    .filter(({ method, path }) => !LEFT_OUT.has(`${method} ${path}`));
  assert.ok(operations.length > 20);
  await service.post('/pets', '{"name":"Own","categoryId":1}');
  /** A request that each run has: chance alone seldom asks for what others have just added. */
  const fixed = (method: string, path: string, body = 0, webhook?: Step['webhook']): Step => {
    const operation = operations.findIndex((one) => one.method === method && one.path === path);
    assert.notEqual(operation, -1, path);
    const header = method === 'POST' ? 1 : 0;
    return { operation, id: 4, body, query: 2, header, ...(webhook !== undefined && { webhook }) };
  };
  /** Adds one of each thing, under the same Idempotency-Key and name as others. */
  const adding = (pet: number) => [
    ...[fixed('POST', '/pets', pet), fixed('POST', '/sandbox/snapshots', 7)],
    fixed('POST', '/faults', RULES + pet),
  ];
  const one = '/webhooks/{webhookId}';
  const looking = [
    ...['/events', '/webhooks', '/sandbox/snapshots', '/pets', '/categories'].map((path) =>
      fixed('GET', path),
    ),
    // Behind requests that its rules have counted.
    ...[fixed('GET', '/store/orders'), fixed('GET', '/faults'), fixed('GET', one, 0, 1)],
    fixed('GET', `${one}/deliveries`, 0, 1),
    // What others have is not there for it: not to be seen, changed, sent, or taken away.
    ...[fixed('GET', one, 0, 'foreign'), fixed('GET', `${one}/deliveries`, 0, 'foreign')],
    ...[fixed('PATCH', one, 7, 'foreign'), fixed('POST', `${one}/rotate`, 0, 'foreign')],
    ...[fixed('POST', `${one}/test`, 0, 'foreign'), fixed('DELETE', one, 0, 'foreign')],
  ];
  let count = 0;
  const receiver = await Receiver.start(t);
  const inSandbox = async (foreign: readonly string[] = ['wh_of_nobody']) => {
    const { key } = await addSandbox(service.store, { id: `sbx_${count++}`, pets: 50 });
    const client = new Client(service, key, operations, foreign);
    await client.addWebhooks(receiver.url, clock);
    return client;
  };
  await fc.assert(
    fc.asyncProperty(steps, steps, steps, async (...random) => {
      const [mine, theirs, own] = random.map((steps, place) => [
        ...[...adding(place === 0 ? 0 : 1), ...steps, ...looking],
      ]) as [Step[], Step[], Step[]];
      const alone = await inSandbox();
      for (const step of mine) await alone.take(step);
      const reported = await alone.countReported();
      const other = await inSandbox();
      const among = await inSandbox(other.webhooks);
      const ofService = new Client(service, service.key, operations, among.webhooks);
      for (const [place, step] of mine.entries()) {
        await Promise.all([
          among.take(step),
          other.take(at(theirs, place)),
          ofService.take(at(own, place)),
        ]);
      }
      assert.deepEqual(among.seen, alone.seen);
      assert.equal(await among.countReported(), reported);
      assert.ok(alone.seen.some((text) => / 20[01] /.test(text)));
      // Its webhook is sent all events of its own log, and no other.
      const ofWebhook = ({ webhookId }: Received) => webhookId.startsWith(`${among.webhooks[0]}.`);
      const { text, count } = await among.log();
      const bodies = new Map<number, string>();
      await receiver.until((all) => {
        for (const one of all.filter(ofWebhook)) bodies.set(Number(one.event.id), one.body);
        return bodies.size >= count;
      });
      const sent = [...bodies].sort(([a], [b]) => a - b).map(([, body]) => body);
      assert.equal(`[${sent.join(',')}]`, text);
      // And the other way about: nothing has reached the service's own store but its own requests.
      const before = await (await service.get('/pets?limit=100')).text();
      const after = await inSandbox();
      for (const step of theirs) await after.take(step);
      assert.equal(await (await service.get('/pets?limit=100')).text(), before);
    }),
    // Smaller steps say no more than the first response that differs, and to find them takes minutes.
    { numRuns: 5, endOnFailure: true },
  );
});
