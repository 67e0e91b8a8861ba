import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERRORS } from '@petstore/http/errors.ts';
import { assertError } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

test('every error code has a page that says what it means, and the list leads to each', async (t) => {
  const { origin } = await startService(t);
  const list = await (await fetch(`${origin}/errors`)).text();
  for (const [code, { status, meaning }] of Object.entries(ERRORS)) {
    assert.ok(list.includes(`href="/errors/${code}"`), code);
    const answer = await fetch(`${origin}/errors/${code}`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    const page = await answer.text();
    for (const part of [`<code>${code}</code>`, `${status} · `, meaning.slice(0, 12)]) {
      assert.ok(page.includes(part.replace("'", '&#39;')), `${code} lacks ${part}`);
    }
    assert.doesNotMatch(page, /`|\bundefined\b|\[object/);
  }
  const escaped = await (await fetch(`${origin}/errors/unauthorized`)).text();
  assert.match(escaped, /Bearer &lt;API_KEY&gt;/);
  for (const path of ['/errors/nothing', '/errors/', '/errors/constructor']) {
    await assertError(await fetch(origin + path), 'not_found');
  }
});

test('a page asks for nothing from elsewhere, and runs nothing', async (t) => {
  const { origin } = await startService(t);
  const { headers } = await fetch(`${origin}/errors/not_found`);
  assert.match(
    headers.get('content-security-policy') ?? '',
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
});

test('llms.txt names every operation that is offered, with its mark', async (t) => {
  for (const [stability, wanted, unwanted] of [
    [
      'experimental',
      /`PATCH \/pets\/\{petId\}` \(updatePet\): Change an animal; pets:write; beta\n/,
      /undefined/,
    ],
    [
      'stable',
      /`GET \/pets\/\{petId\}` \(getPet\): .*; deprecated, to be removed on 2030-12-05\n/,
      /PATCH/,
    ],
  ] as const) {
    const { origin } = await startService(t, {
      config: { stability },
      now: () => Date.parse('2026-06-01'),
    });
    const answer = await fetch(`${origin}/llms.txt`);
    assert.equal(answer.headers.get('content-type'), 'text/markdown; charset=utf-8');
    const text = await answer.text();
    assert.match(text, /^# Petstore\n\n> /);
    assert.match(text, wanted);
    assert.doesNotMatch(text, unwanted);
    assert.ok(text.includes(`${origin}/v1`));
  }
});

test('a text is sent compressed to who can read that, and not again to who has it', async (t) => {
  const { origin } = await startService(t);
  const get = (headers: Record<string, string>) =>
    fetch(`${origin}/llms.txt`, { headers: { 'accept-encoding': 'identity', ...headers } });
  const plain = await get({});
  const text = await plain.text();
  const tags = new Set([plain.headers.get('etag')]);
  for (const [accepted, coding] of [
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['zstd', null],
  ] as const) {
    const answer = await get({ 'accept-encoding': accepted });
    assert.equal(answer.headers.get('content-encoding'), coding, accepted);
    assert.equal(await answer.text(), text);
    const etag = answer.headers.get('etag') ?? '';
    tags.add(etag);
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`]) {
      const again = await get({ 'accept-encoding': accepted, 'if-none-match': known });
      assert.equal(again.status, 304);
    }
  }
  assert.equal(tags.size, 3);
});
