import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseResponses } from '@petstore/test-support/raw-http.ts';
import { injectedError } from '../../src/faults/injected-error.ts';
import { startWithSandbox } from '../support/sandbox.ts';
import { isWhole, type Received, receive } from '../support/wire.ts';

const PET = '{"name":"Rex","categoryId":1}';

test('each fault does to the bytes what it says, and the data stay right', async (t) => {
  const { port, sandboxKey, inSandbox } = await startWithSandbox(t);
  const send = (
    fault: string,
    { method = 'GET', path = '/pets/1', body = '', headers = '' } = {},
    until: (text: string) => boolean = isWhole,
  ): Promise<Received> =>
    receive(
      port,
      `${method} /v1${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${sandboxKey}\r\n` +
        `Petstore-Fault: ${fault}\r\n${headers}` +
        (body && `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`) +
        `\r\n${body}`,
      until,
    );
  const never = () => false;
  const read = ({ text }: Received) => {
    const [response] = parseResponses(text);
    assert.ok(response, text);
    return response;
  };
  const create = { method: 'POST', path: '/pets', body: PET };
  const count = async () =>
    ((await (await inSandbox('/pets?limit=100')).json()) as object[]).length;
  const clean = await send('seed=1;cut;rate=0');
  const whole = read(clean).body;
  const length = whole.length;

  await t.test('none where the rate is 0', () => {
    assert.equal(read(clean).headers['petstore-fault-applied'], undefined);
    assert.equal(read(clean).headers['cache-control'], 'private, no-cache');
  });

  await t.test('status: the Error body of the status, before anything is changed', async () => {
    const before = await count();
    const response = read(await send('status=503', create));
    assert.equal(response.status, 503);
    assert.equal(response.headers['petstore-fault-applied'], 'status=503;when=before');
    assert.equal(response.headers['retry-after'], '1');
    const { message, ...rest } = JSON.parse(response.body) as { message: string };
    assert.deepEqual(rest, { code: 'unavailable', status: 503 });
    assert.match(message, /^A fault that was asked for\./);
    assert.equal(await count(), before);
    for (const [status, code] of [
      [400, 'invalid_request'],
      [409, 'conflict'],
      [418, 'injected_fault'],
      [429, 'rate_limited'],
      [502, 'injected_fault'],
      [599, 'injected_fault'],
    ] as const) {
      const { body, ...other } = read(await send(`status=${status}`));
      assert.equal(other.status, status);
      assert.equal((JSON.parse(body) as { code: string }).code, code);
    }
  });

  await t.test('status after: the change is made all the same', async () => {
    const before = await count();
    const response = read(await send('status=500;when=after', create));
    assert.equal(response.status, 500);
    assert.equal(response.headers.location, undefined);
    assert.equal(await count(), before + 1);
  });

  await t.test('retry-after: seconds, or a date', async () => {
    const inSeconds = read(await send('status=429;retry-after=7'));
    assert.equal(inSeconds.headers['retry-after'], '7');
    const before = Date.now();
    const asDate = read(await send('status=429;retry-after=60;retry-form=date;code=rate_limited'));
    const date = Date.parse(asDate.headers['retry-after'] ?? '');
    // A minute from when it was made, rounded up to a second. The Date beside it may be a second old.
    const inAMinute = (from: number) => Math.ceil(from / 1_000 + 60) * 1_000;
    assert.ok(inAMinute(before) <= date, asDate.headers['retry-after']);
    assert.ok(date <= inAMinute(Date.now()), asDate.headers['retry-after']);
    const plan = { seed: 1, request: 1, retryAfter: 60, hasRetryDate: true } as const;
    const { headers } = injectedError(plan, 429, Date.parse('2026-11-28T08:00:00.001Z'));
    assert.equal(headers.get('retry-after'), 'Sat, 28 Nov 2026 08:01:01 GMT', 'no sooner');
  });

  await t.test('reset: the connection breaks, before the change or after it', async () => {
    const before = await count();
    const first = await send('reset', create, never);
    assert.deepEqual([first.ending, first.text], ['reset', '']);
    assert.equal(await count(), before);
    const second = await send('reset=after', create, never);
    assert.deepEqual([second.ending, second.text], ['reset', '']);
    assert.equal(await count(), before + 1);
  });

  await t.test(
    'cut: the body ends before its Content-Length, and the connection with it',
    async () => {
      const cases: [string, number][] = [
        ['cut', Math.floor(length / 2)],
        ['cut=10', 10],
        ['cut=0', 0],
        ['cut=0.9', Math.floor(length * 0.9)],
        ['cut=60000', length],
      ];
      for (const [fault, bytes] of cases) {
        const { text, ending } = await send(fault, {}, never);
        const [head = '', body] = text.split('\r\n\r\n');
        assert.equal(ending, 'end', fault);
        assert.equal(body, whole.slice(0, bytes), fault);
        assert.match(head, new RegExp(`content-length: ${length}\\r`, 'i'));
        assert.match(head, /connection: keep-alive/i);
        assert.match(head, new RegExp(`petstore-fault-applied: cut=${bytes}\\r`));
      }
    },
  );

  await t.test('slow: byte by byte', async () => {
    const received = await send('slow=3ms');
    assert.equal(read(received).body, whole);
    assert.equal(read(received).headers['petstore-fault-applied'], 'slow=3');
    // Timers may be a little early, never by a third.
    assert.ok(received.ms >= (length - 1) * 2, `${received.ms} ms`);
    assert.ok(received.pieces > 3, `${received.pieces} pieces`);
  });

  await t.test('length: less, so that bytes are left over', async () => {
    const { text, ending } = await send('length=-5', {}, never);
    const [head = '', body = ''] = text.split('\r\n\r\n');
    assert.match(head, new RegExp(`content-length: ${length - 5}\\r`, 'i'));
    assert.match(head, /petstore-fault-applied: length=-5\r/);
    assert.equal(body, whole);
    assert.equal(ending, 'end');
  });

  await t.test('length: more, so that the client waits', async () => {
    const { text } = await send('length=5', {}, (text) => text.endsWith(whole));
    assert.match(text, new RegExp(`content-length: ${length + 5}\\r`, 'i'));
  });

  await t.test('duplicate: the same response twice, and then the end', async () => {
    const before = await count();
    const { text, ending } = await send('duplicate', create, never);
    const [first, second, ...more] = parseResponses(text);
    assert.equal(first?.status, 201);
    assert.deepEqual(second, first);
    assert.equal(first?.headers['petstore-fault-applied'], 'duplicate');
    assert.deepEqual(more, []);
    assert.equal(ending, 'end');
    assert.equal(await count(), before + 1);
  });

  await t.test('malformed: no reader of JSON takes it', async () => {
    for (const path of [
      '/pets/1',
      '/pets?status=sold&limit=1',
      '/pets?limit=3',
      '/store/orders/99',
    ]) {
      for (const form of ['truncated', 'comma', 'quotes', 'html', 'utf8', 'empty']) {
        const { text } = await send(`malformed=${form}`, { path });
        const [head = '', body = ''] = text.split('\r\n\r\n');
        assert.throws(
          () =>
            JSON.parse(
              new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(body, 'latin1')),
            ),
          `${path} ${form}: ${body}`,
        );
        assert.match(head, new RegExp(`content-length: ${body.length}\\r`, 'i'));
        assert.match(head, /content-type: application\/json/i);
        assert.match(head, new RegExp(`petstore-fault-applied: malformed=${form}\\r`));
        assert.match(head, /cache-control: no-store/);
        assert.doesNotMatch(head, /etag/i);
      }
    }
  });

  await t.test('type: another media type, or none', async () => {
    assert.equal(read(await send('type')).headers['content-type'], 'text/html');
    assert.equal(read(await send('type=text/csv')).headers['content-type'], 'text/csv');
    assert.equal(read(await send('type=none')).headers['content-type'], undefined);
    assert.equal(read(await send('type')).body, whole);
  });

  await t.test('drift: unknown members, new enum values, missing members', async () => {
    const pet = JSON.parse(whole) as Record<string, unknown>;
    const bodyOf = async (fault: string, path = '/pets/1') =>
      JSON.parse(read(await send(fault, { path })).body);
    assert.deepEqual(await bodyOf('drift'), {
      ...pet,
      addedLater: { since: '2031-01-01', values: [1, null] },
    });
    assert.deepEqual(await bodyOf('drift=enum'), { ...pet, status: 'quarantined' });
    const pets = (await bodyOf('drift=enum', '/pets')) as { status: string }[];
    assert.ok(pets.length > 1 && pets.every(({ status }) => status === 'quarantined'));
    const { id, ...rest } = pet;
    const missed = async () => {
      await inSandbox('/sandbox/reset', { method: 'POST' });
      return bodyOf('drift=missing;seed=2', '/pets?limit=100');
    };
    assert.deepEqual(await missed(), await missed(), 'the same seed, the same members');
    const missing = (await bodyOf('drift=missing;seed=2')) as Record<string, unknown>;
    assert.equal(missing.id, id);
    assert.equal(Object.keys(missing).length, Object.keys(rest).length);
  });

  await t.test('big-ids: odd ones beyond 2^53, with every digit', async () => {
    const { body } = read(await send('big-ids', { path: '/pets?limit=2' }));
    assert.match(body, /"id":9007199254740993,.*"id":9007199254740995,/);
    assert.match(body, /"categoryId":90071992547\d{5}/);
  });

  await t.test('clock: Date, a Retry-After that is a date, and the deprecation', async () => {
    const now = Date.now();
    const { headers } = read(await send('clock=1h'));
    const ahead = Date.parse(headers.date ?? '') - now;
    assert.ok(Math.abs(ahead - 3_600_000) < 60_000, headers.date);
    assert.equal(headers.deprecation, `@${1_764_892_800 + 3_600}`);
    assert.equal(headers.sunset, 'Thu, 05 Dec 2030 01:00:00 GMT');
    const fault = 'clock=-1d;status=503;retry-after=1s;retry-form=date';
    const behind = read(await send(fault)).headers;
    assert.ok(Date.parse(behind['retry-after'] ?? '') < now - 80_000_000, behind['retry-after']);
  });

  await t.test('latency: before the request is carried out, or after', async () => {
    const fixed = await send('latency=60ms');
    assert.ok(fixed.ms >= 55, `${fixed.ms}`);
    assert.equal(read(fixed).headers['petstore-fault-applied'], 'latency=60;when=before');
    const drawn = await send('latency=uniform;min=20ms;max=21ms;when=after');
    assert.match(read(drawn).headers['petstore-fault-applied'] ?? '', /^latency=2[01];when=after$/);
  });

  await t.test('latency after: the change is made before the wait', async () => {
    const before = await count();
    const startedAt = performance.now();
    const leave = new AbortController();
    const init = { method: 'POST', body: PET, fault: 'latency=30s;when=after' };
    const sent = inSandbox('/pets', { ...init, signal: leave.signal }).catch(() => undefined);
    while ((await count()) === before) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.ok(performance.now() - startedAt < 20_000, 'it was made only when the wait was over');
    leave.abort();
    await sent;
  });

  await t.test('stale: a list as it was before the last changes', async () => {
    const list = async (fault: string, path = '/pets?limit=100') => {
      const { body, headers } = read(await send(fault, { path }));
      return { body, applied: headers['petstore-fault-applied'], etag: headers.etag };
    };
    const first = await list('cut;rate=0');
    const made = await inSandbox('/pets', { method: 'POST', body: PET });
    const { id } = (await made.json()) as { id: number };
    const second = await list('cut;rate=0');
    const patch = JSON.stringify({ name: 'Kim' });
    await inSandbox(`/pets/${id}`, { method: 'PATCH', body: patch });
    const third = await list('cut;rate=0');
    const order = await inSandbox('/store/orders', {
      method: 'POST',
      body: JSON.stringify({ petId: id }),
    });
    const { id: orderId } = (await order.json()) as { id: number };
    await inSandbox(`/store/orders/${orderId}/cancel`, { method: 'POST' });
    await inSandbox(`/pets/${id}`, { method: 'DELETE' });
    assert.deepEqual(await list('stale=3'), { ...third, applied: 'stale=3' });
    assert.deepEqual(await list('stale=4'), { ...second, applied: 'stale=4' });
    assert.deepEqual(await list('stale=5'), { ...first, applied: 'stale=5' });
    assert.notEqual((await list('stale=1')).body, (await list('cut;rate=0')).body);
    assert.doesNotMatch(
      (await list('stale=3', '/store/orders')).body,
      new RegExp(`"petId":${id},`),
    );
    const one = read(await send('stale', { path: '/pets/1' }));
    assert.equal(one.headers['petstore-fault-applied'], undefined);
  });

  await t.test('several at once', async () => {
    const both = await send('status=500;malformed=html;cut=3', {}, never);
    assert.match(both.text, /^HTTP\/1\.1 500 /);
    assert.match(both.text, /applied: status=500;when=before, malformed=html, cut=3\r/);
    assert.ok(both.text.endsWith('\r\n\r\n<!d'));
    const later = read(await send('status=500, cut;rate=0, malformed'));
    assert.equal(later.status, 500);
  });

  await t.test('a response without a body has nothing to cut', async () => {
    const { headers } = read(await send('rate=0;cut'));
    const conditional = { headers: `If-None-Match: ${headers.etag}\r\n` };
    const fault = 'cut;slow;length=5;duplicate;malformed;drift;big-ids;type';
    const known = read(await send(fault, conditional));
    assert.equal(known.status, 304);
    assert.equal(known.headers['petstore-fault-applied'], undefined);
    assert.equal(known.headers.etag, headers.etag);
    const head = await send(fault, { method: 'HEAD' }, (text) => text.endsWith('\r\n\r\n'));
    assert.match(head.text, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(head.text, /petstore-fault-applied: type=text\/html\r/);
    assert.match(head.text, new RegExp(`content-length: ${length}\\r`, 'i'));
    await inSandbox('/pets', { method: 'POST', body: PET });
    const made = (await (await inSandbox('/pets', { method: 'POST', body: PET })).json()) as {
      id: number;
    };
    const gone = read(await send(fault, { method: 'DELETE', path: `/pets/${made.id}` }));
    assert.equal(gone.status, 204);
    assert.equal(gone.headers['petstore-fault-applied'], undefined);
    const failed = read(await send('status=503;when=after', conditional));
    assert.equal(failed.status, 503);
    assert.equal(failed.headers['content-length'], `${failed.body.length}`);
  });
});
