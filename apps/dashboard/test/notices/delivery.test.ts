import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { queueDomainNotice } from '../../server/src/notices/queue-notice.ts';
import { leaseWebhookNotice } from '../../server/src/store/notices.ts';
import { lockWebhook } from '../../server/src/store/webhooks.ts';
import { lockWaits } from '../support/store.ts';
import { type Delivery, PROJECT, prepareDelivery, SECRET, until } from './support/delivery.ts';
import { signatureOf, startReceiver, status } from './support/receiver.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The schedule that the specification recommends, in milliseconds after each attempt. */
const SCHEDULE = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

const attemptsOf = async ({ notices }: Delivery) =>
  (await notices()).map(({ attempts, leased_until }) => (leased_until === null ? attempts : -1));

/** Waits until every notice was tried `count` times and the last try is written down. */
const tried = (delivery: Delivery, count: number) =>
  until(
    async () => (await attemptsOf(delivery)).every((attempts) => attempts === count),
    `${count} attempts`,
  );

onBothEngines(
  'a notice reaches its webhook once, signed as Standard Webhooks has it',
  async (t) => {
    const delivery = await prepareDelivery(t);
    const receiver = await startReceiver(t);
    await delivery.addWebhook(`${receiver.url}?from=docs`);
    await delivery.tell({ message: 'Grüße: docs.example.com is verified.', details: { a: 1 } });
    const deliverer = delivery.start();
    await tried(delivery, 1);
    const [got] = receiver.received;
    assert.ok(got);
    assert.equal(got.path, '/hooks?from=docs');
    assert.equal(got.headers['content-type'], 'application/json');
    assert.deepEqual(JSON.parse(got.body), {
      type: 'domain.verified',
      timestamp: '2026-11-21T12:00:00.000Z',
      data: {
        a: 1,
        project: 'petstore',
        hostname: 'docs.example.com',
        message: 'Grüße: docs.example.com is verified.',
      },
    });
    const [notice] = await delivery.notices();
    assert.equal(got.headers['webhook-id'], notice?.id);
    assert.equal(Number(got.headers['webhook-timestamp']), delivery.clock.now / 1_000);
    assert.equal(got.headers['webhook-signature'], signatureOf(SECRET, got));
    delivery.clock.now += 40 * HOUR;
    await delivery.addWebhook(receiver.url);
    await delivery.tell();
    deliverer.wake();
    await until(() => receiver.received.length === 3, 'the next notice, to both');
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 3);
  },
);

test('what was rolled back is told to nobody', async (t) => {
  const delivery = await prepareDelivery(t);
  const receiver = await startReceiver(t);
  await delivery.addWebhook(receiver.url);
  const told = { projectId: PROJECT, hostname: 'docs.example.com', message: 'It is.' };
  const transaction = delivery.db.transaction().execute(async (trx) => {
    await queueDomainNotice(trx, delivery.clock.now, { type: 'domain.verified', ...told });
    throw new Error('rolled back');
  });
  await assert.rejects(transaction, /rolled back/);
  await delivery.tell({ projectId: 'gone' });
  assert.deepEqual(await delivery.notices(), []);
});

test('a webhook that fails is tried by the schedule, with the same id and a new signature, then switched off', async (t) => {
  const delivery = await prepareDelivery(t);
  const receiver = await startReceiver(t);
  receiver.answer = status(500);
  const id = await delivery.addWebhook(receiver.url);
  await delivery.tell();
  const deliverer = delivery.start();
  await tried(delivery, 1);
  for (const [index, wait] of SCHEDULE.entries()) {
    const [notice] = await delivery.notices();
    const planned = (notice?.next_attempt_at ?? 0) - delivery.clock.now;
    assert.ok(planned >= wait && planned <= wait * 1.1, `${planned} after attempt ${index + 1}`);
    if (index === 3) {
      delivery.clock.now += wait - 1;
      deliverer.wake();
      await delivery.webhook(id);
      assert.equal(receiver.received.length, 4, 'not before its time');
    }
    delivery.clock.now += Math.ceil(wait * 1.1);
    deliverer.wake();
    await tried(delivery, index + 2);
  }
  assert.equal(receiver.received.length, 10);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  assert.equal(new Set(ids).size, 1);
  const signatures = receiver.received.map(({ headers }) => headers['webhook-signature']);
  assert.equal(new Set(signatures).size, 10);
  for (const got of receiver.received) {
    assert.equal(got.headers['webhook-signature'], signatureOf(SECRET, got));
  }
  const webhook = await delivery.webhook(id);
  assert.equal(webhook.disabled_at, delivery.clock.now);
  assert.deepEqual(JSON.parse(webhook.last_delivery ?? ''), {
    at: delivery.clock.now,
    status: 500,
    error: 'The receiver responded with 500.',
  });
  const entry = await delivery.db.selectFrom('audit_log').selectAll().executeTakeFirstOrThrow();
  assert.equal(entry.action, 'webhook.disable');
  assert.equal(
    entry.target,
    new URL(receiver.url).host,
    'the path, which may be secret, is not told',
  );
  assert.deepEqual(JSON.parse(entry.details), { id, reason: 'The receiver responded with 500.' });
  await delivery.tell();
  assert.equal((await delivery.notices()).length, 1, 'one that is off is told nothing');
});

test('one notice that a receiver cannot take does not switch off a webhook that takes later ones', async (t) => {
  const delivery = await prepareDelivery(t);
  const receiver = await startReceiver(t);
  receiver.answer = (response, { body }) =>
    status(body.includes('poison') ? 500 : 200)(response, { body } as never);
  const id = await delivery.addWebhook(receiver.url);
  await delivery.tell({ message: 'poison' });
  await delivery.db.updateTable('notices').set({ attempts: 9 }).execute();
  delivery.clock.now += 1;
  await delivery.tell();
  await delivery.db
    .updateTable('notices')
    .set({ next_attempt_at: 0 })
    .where('attempts', '=', 0)
    .execute();
  delivery.start();
  await until(() => receiver.received.length === 2, 'both');
  await until(
    async () => (await delivery.notices()).every(({ next_attempt_at }) => next_attempt_at === null),
    'both have ended',
  );
  assert.equal((await delivery.webhook(id)).disabled_at, null);
});

test('410 switches a webhook off at once, with all that it had still to be told', async (t) => {
  const delivery = await prepareDelivery(t);
  const receiver = await startReceiver(t);
  receiver.answer = status(410);
  const id = await delivery.addWebhook(receiver.url);
  await delivery.tell();
  await delivery.tell();
  delivery.start();
  await until(async () => (await delivery.webhook(id)).disabled_at !== null, 'switched off');
  assert.equal(receiver.received.length, 1);
  assert.ok((await delivery.notices()).every(({ next_attempt_at }) => next_attempt_at === null));
});

test('a receiver that asks for time has it, within a day', async (t) => {
  const rows: [code: number, header: string, ms: number][] = [
    [429, '120', 120 * SECOND],
    [503, 'Sat, 21 Nov 2026 13:00:00 GMT', HOUR],
    [503, '999999', 24 * HOUR],
    [503, '1', 5 * SECOND],
    [503, 'soon', 5 * SECOND],
    [500, '120', 5 * SECOND],
  ];
  for (const [code, header, wait] of rows) {
    await t.test(`${code} ${header}`, async (t) => {
      const delivery = await prepareDelivery(t);
      const receiver = await startReceiver(t);
      receiver.answer = status(code, { 'retry-after': header });
      await delivery.addWebhook(receiver.url);
      await delivery.tell();
      delivery.start();
      await tried(delivery, 1);
      const [notice] = await delivery.notices();
      const planned = (notice?.next_attempt_at ?? 0) - delivery.clock.now;
      assert.ok(planned >= wait && planned <= wait * 1.1, `${planned}`);
    });
  }
});

onBothEngines(
  'a slow receiver holds up nobody else, and is never told two things at once',
  async (t) => {
    const delivery = await prepareDelivery(t);
    const [slow, quick] = [await startReceiver(t), await startReceiver(t)];
    const held = Promise.withResolvers<void>();
    slow.answer = async (response) => {
      await held.promise;
      response.end();
    };
    await delivery.addWebhook(slow.url);
    // As many as there are processes, so that each has one to wait for.
    await delivery.addWebhook(slow.url);
    await delivery.addWebhook(quick.url);
    for (let index = 0; index < 10; index++) await delivery.tell();
    // Two processes, both in a hurry.
    const deliverers = [delivery.start(), delivery.start()];
    await until(() => quick.received.length === 10, 'all of the quick one');
    await until(() => slow.received.length >= 2, 'the first of each slow one');
    assert.equal(slow.received.length, 2);
    held.resolve();
    await until(() => {
      for (const { wake } of deliverers) wake();
      return slow.received.length === 20;
    }, 'all of the slow one');
    assert.equal(slow.open.most, 2, 'one for each webhook');
    assert.equal(quick.open.most, 1);
    await tried(delivery, 1);
    assert.equal(slow.received.length + quick.received.length, 30, 'nothing twice');
  },
);

onBothEngines(
  'what a process was killed over is delivered by the next, with the same id',
  async (t) => {
    const delivery = await prepareDelivery(t);
    const receiver = await startReceiver(t);
    await delivery.addWebhook(receiver.url);
    await delivery.tell();
    const { clock, db } = delivery;
    // A process that took it and was heard of no more.
    const taken = await leaseWebhookNotice(db, clock.now, clock.now + 60_000);
    assert.ok(taken);
    const deliverer = delivery.start();
    clock.now += 59_000;
    deliverer.wake();
    await delivery.notices();
    assert.equal(receiver.received.length, 0, 'not while it may be alive');
    clock.now += 1_000;
    deliverer.wake();
    await until(() => receiver.received.length === 1, 'taken over');
    assert.equal(receiver.received[0]?.headers['webhook-id'], taken.notice.id);
    await tried(delivery, 2);
  },
);

onBothEngines(
  'of two processes that begin at once, one tells a webhook',
  async (t, { isShared }) => {
    const { db, clock, addWebhook, tell } = await prepareDelivery(t);
    const id = await addWebhook('https://example.com/');
    await tell();
    const lease = () => leaseWebhookNotice(db, clock.now, clock.now + 60_000);
    const held = Promise.withResolvers<void>();
    const holding = Promise.withResolvers<void>();
    const holder = db.transaction().execute(async (trx) => {
      await lockWebhook(trx, id);
      holding.resolve();
      await held.promise;
    });
    await holding.promise;
    // Each finds another notice before either has it. On SQLite, which has one connection, they follow each other.
    const first = lease();
    if (isShared) await lockWaits(db, 1);
    clock.now -= 1;
    const told = tell();
    if (isShared) await told;
    clock.now += 1;
    const second = lease();
    if (isShared) await lockWaits(db, 2);
    held.resolve();
    await Promise.all([holder, told]);
    const leased = (await Promise.all([first, second])).filter((taken) => taken !== undefined);
    assert.equal(leased.length, 1);
  },
);

test('a process that stops gives back what it was delivering', async (t) => {
  const delivery = await prepareDelivery(t);
  const receiver = await startReceiver(t);
  receiver.answer = () => {};
  await delivery.addWebhook(receiver.url);
  await delivery.tell();
  const first = delivery.start();
  await until(() => receiver.received.length === 1, 'it is under way');
  await first.stop();
  const [notice] = await delivery.notices();
  assert.deepEqual([notice?.attempts, notice?.leased_until], [0, null]);
  receiver.answer = status(200);
  delivery.start();
  await tried(delivery, 1);
});

/** How long the receiver has, in milliseconds, where that ends the attempt; what it says at first comes before. */
const TIMEOUTS_MS: Record<string, number> = { 'says nothing': 2_000, trickles: 2_000 };

test('an attempt ends in time, whatever the receiver does', async (t) => {
  const answers: Record<string, [answer: (typeof receiver)['answer'], error: RegExp | null]> = {
    'says nothing': [() => {}, /^The receiver did not respond within 2 seconds\.$/],
    'breaks off': [(response) => response.destroy(), /closed the connection without a response/],
    'says no HTTP': [(response) => response.socket?.end('nonsense\r\n\r\n'), /not HTTP/],
    redirects: [status(302, { location: 'http://127.0.0.1:1/' }), /302. Redirects are not/],
    'answers without end': [
      (response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write('x'.repeat(30_000)), 1);
        response.on('close', () => clearInterval(timer));
      },
      null,
    ],
    trickles: [
      (response) => {
        response.writeHead(200);
        response.write('x');
      },
      null,
    ],
  };
  const receiver = await startReceiver(t);
  for (const [what, [answer, error]] of Object.entries(answers)) {
    await t.test(what, async (t) => {
      const delivery = await prepareDelivery(t);
      receiver.answer = answer;
      receiver.received.length = 0;
      const id = await delivery.addWebhook(receiver.url);
      await delivery.tell();
      delivery.start({ timeoutMs: TIMEOUTS_MS[what] ?? 60_000 });
      await tried(delivery, 1);
      const last = JSON.parse((await delivery.webhook(id)).last_delivery ?? '');
      if (error) assert.match(last.error, error);
      else assert.equal(last.error, null);
      assert.equal(receiver.received.length, 1);
      await until(() => receiver.open.now === 0, 'the connection is closed');
    });
  }
});

test('what ended is kept for thirty days, and an e-mail that nobody can send for one', async (t) => {
  const delivery = await prepareDelivery(t);
  const receiver = await startReceiver(t);
  await delivery.addWebhook(receiver.url);
  await delivery.tell();
  await delivery.start().stop();
  delivery.start();
  await tried(delivery, 1);
  delivery.clock.now += 29 * 24 * HOUR;
  await delivery.start().stop();
  assert.equal((await delivery.notices()).length, 1);
  delivery.clock.now += 25 * HOUR;
  await delivery.start().stop();
  assert.equal((await delivery.notices()).length, 0);
});
