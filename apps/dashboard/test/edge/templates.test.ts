import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startTestEdge } from './support/edge.ts';
import { MemorySource, SITE } from './support/memory-source.ts';

const MB = 1_000_000;

/** Text that compresses as a sitemap does, and differs at each length. */
const entries = (bytes: number) =>
  Array.from(
    { length: Math.ceil(bytes / 50) },
    (_, at) => `<loc>{{origin}}/reference/${at}</loc>\n`,
  )
    .join('')
    .slice(0, bytes);

const sitemap = (bytes: number) => ({
  '/sitemap.xml': {
    ...{ type: 'application/xml; charset=utf-8', text: entries(bytes), isTemplate: true },
  },
});

test('a large template is compressed once for each host, with the origin of its site', async (t) => {
  const source = new MemorySource();
  for (const host of ['a.test', 'b.test']) source.deploy(host, sitemap(2 * MB));
  const { ask } = await startTestEdge(t, { source });
  const decode = { br: brotliDecompressSync, gzip: gunzipSync };
  const texts = new Set<string>();
  const tags = new Set<string | undefined>();
  for (const host of ['a.test', 'b.test']) {
    source.forgetAsked();
    for (const coding of ['br', 'gzip'] as const) {
      const ofCoding = { host, headers: { 'accept-encoding': coding } };
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => ask('/sitemap.xml', ofCoding)),
      );
      for (const { headers, body } of answers) {
        assert.equal(headers['content-encoding'], coding);
        assert.equal(headers.vary, 'Accept-Encoding');
        assert.equal(headers['content-length'], String(body.length));
        assert.ok(body.length < MB / 2, `${body.length} bytes`);
        texts.add(String(decode[coding](body)));
        tags.add(headers.etag);
      }
      const known = { 'accept-encoding': coding, 'if-none-match': answers[0]?.headers.etag ?? '' };
      assert.equal((await ask('/sitemap.xml', { host, headers: known })).status, 304);
    }
    const plain = await ask('/sitemap.xml', { host });
    assert.equal(plain.headers['content-encoding'], undefined);
    texts.add(String(plain.body));
    tags.add(plain.headers.etag);
    assert.equal(source.asked.readBlob, 1, 'all forms are made of one read');
  }
  const expected = ['a', 'b'].map((name) =>
    entries(2 * MB).replaceAll('{{origin}}', `https://${name}.test`),
  );
  assert.deepEqual([...texts], expected);
  assert.equal(tags.size, 6);
});

test('templates take no more memory than contents may, and one that would take most of it stays as it is', async (t) => {
  const source = new MemorySource();
  const hosts = Array.from({ length: 8 }, (_, at) => `h${at}.test`);
  for (const host of hosts) source.deploy(host, sitemap(100_000));
  source.deploy('large.test', sitemap(400_000));
  const { ask } = await startTestEdge(t, { source, limits: { contentBytes: 600_000 } });
  const get = async (host: string) => {
    source.forgetAsked();
    const { headers } = await ask('/sitemap.xml', { host, headers: { 'accept-encoding': 'br' } });
    return { reads: source.asked.readBlob, coding: headers['content-encoding'] };
  };
  for (const host of hosts) assert.deepEqual(await get(host), { reads: 1, coding: 'br' });
  assert.deepEqual(await get('h7.test'), { reads: 0, coding: 'br' }, 'what was asked for last');
  assert.deepEqual(await get('h0.test'), { reads: 1, coding: 'br' }, 'what was asked for first');
  assert.equal((await get('large.test')).coding, undefined);
});

test('small templates, and those of kinds that are compressed already, stay as they are', async (t) => {
  const { ask, source } = await startTestEdge(t);
  const text = entries(5_000);
  source.deploy('b.test', { '/x.png': { type: 'image/png', text, isTemplate: true }, ...SITE });
  for (const path of ['/x.png', '/llms.txt']) {
    const { headers } = await ask(path, { host: 'b.test', headers: { 'accept-encoding': 'br' } });
    assert.equal(headers['content-encoding'], undefined, path);
    assert.equal(headers.vary, undefined);
  }
});
